package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
)

// picture is what a reader sees.
type picture struct {
	width, height float64
	texts         []string
	points        [][2]float64 // of polylines, and the centres of circles
	boxes         [][2]float64 // left and right
}

func draw(t *testing.T, panels ...Panel) picture {
	t.Helper()
	var out bytes.Buffer
	if err := Draw(&out, "two CPUs & <no> more", panels...); err != nil {
		t.Fatal(err)
	}
	var p picture
	for decoder := xml.NewDecoder(&out); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return p
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		switch element := token.(type) {
		case xml.CharData:
			p.texts = append(p.texts, string(element))
		case xml.StartElement:
			p.see(t, element)
		}
	}
}

func (p *picture) see(t *testing.T, element xml.StartElement) {
	t.Helper()
	values := map[string]string{}
	for _, attribute := range element.Attr {
		values[attribute.Name.Local] = attribute.Value
	}
	switch element.Name.Local {
	case "svg":
		scan(t, values["viewBox"], "0 0 %g %g", &p.width, &p.height)
	case "circle":
		p.points = append(p.points, [2]float64{number(t, values["cx"]), number(t, values["cy"])})
	case "rect":
		if x, isBox := values["x"]; isBox {
			left := number(t, x)
			p.boxes = append(p.boxes, [2]float64{left, left + number(t, values["width"])})
		}
	case "polyline":
		for text := range strings.FieldsSeq(values["points"]) {
			var point [2]float64
			scan(t, text, "%g,%g", &point[0], &point[1])
			p.points = append(p.points, point)
		}
	}
}

func scan(t *testing.T, text, format string, into ...any) {
	t.Helper()
	if _, err := fmt.Sscanf(text, format, into...); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// inFrame fails the test if a point is nowhere or beside the picture.
func (p picture) inFrame(t *testing.T) {
	t.Helper()
	for _, point := range p.points {
		if !(point[0] >= 0 && point[0] <= p.width && point[1] >= 0 && point[1] <= p.height) {
			t.Fatalf("point %v is outside of %v x %v", point, p.width, p.height)
		}
	}
}

func (p picture) says(t *testing.T, texts ...string) {
	t.Helper()
	all := strings.Join(p.texts, "\n")
	for _, want := range texts {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in the picture", want)
		}
	}
}

func TestLinesRunFromLeftToRightAndUpwards(t *testing.T) {
	p := draw(t,
		Lines{Title: "memory, MiB", End: 10, Curves: []Curve{
			{Name: "p99", Colour: "red", Points: []Point{{0, 1}, {5, 30}, {10, 50}}}}},
		Axis{Title: "minutes", End: 10})
	p.inFrame(t)
	p.says(t, "memory, MiB", "p99", "minutes", "two CPUs & <no> more", "60", "2.5")
	if len(p.points) != 3 {
		t.Fatalf("%d points, want 3", len(p.points))
	}
	for i, point := range p.points[1:] {
		if before := p.points[i]; point[0] <= before[0] || point[1] >= before[1] {
			t.Errorf("%v comes after %v", point, before)
		}
	}
}

func TestCurveOfZeros(t *testing.T) {
	draw(t, Lines{Title: "faults", End: 1, Curves: []Curve{{Points: []Point{{0, 0}, {1, 0}}}}}).
		inFrame(t)
}

func TestRowsShowEveryValueAndTheQuartiles(t *testing.T) {
	p := draw(t,
		Rows{Title: "pods/s", Rows: []Row{
			{Name: "none", Colour: "red", Values: []float64{10, 20, 30, 40, 50}},
			{Name: "berth", Colour: "blue", Values: []float64{25}}}},
		Rows{Title: "ratio", Mark: 1, Rows: []Row{{Name: "berth", Values: []float64{0.5, 0.7}}}})
	p.inFrame(t)
	p.says(t, "pods/s", "none", "berth", "ratio", "60")
	if len(p.points) != 8 || len(p.boxes) != 3 {
		t.Fatalf("%d points and %d boxes, want 8 and 3", len(p.points), len(p.boxes))
	}
	first, last := p.points[0], p.points[4]
	if first[1] != last[1] || first[0] >= last[0] {
		t.Errorf("the values of a row lie at %v", p.points[:5])
	}
	for end, quartile := range map[int]int{0: 1, 1: 3} {
		if off := p.boxes[0][end] - p.points[quartile][0]; math.Abs(off) > 0.2 { // it is rounded
			t.Errorf("end %d of the box is %v from the quartile", end, off)
		}
	}
	if p.points[5][1] <= last[1] || p.points[6][1] <= p.points[5][1] {
		t.Error("rows and panels are not below each other")
	}
}

func TestCeiling(t *testing.T) {
	for value, want := range map[float64]float64{
		0: 1, 0.03: 0.04, 1: 1, 1.5: 2, 7: 8, 9: 10, 29: 40, 31.6: 40, 250: 400, 1000: 1000,
	} {
		if got := Ceiling(value); math.Abs(got-want) > 1e-9*want {
			t.Errorf("above %v comes %v, want %v", value, got, want)
		}
	}
}
