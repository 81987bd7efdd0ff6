package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
)

// picture is what a plot holds.
type picture struct {
	texts []string
	lines [][2]float64 // points of all polylines
}

func draw(t *testing.T, samples []sample) picture {
	t.Helper()
	var out bytes.Buffer
	if err := plot(&out, samples, "a caption"); err != nil {
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
			p.lines = append(p.lines, pointsOf(t, element)...)
		}
	}
}

func pointsOf(t *testing.T, element xml.StartElement) [][2]float64 {
	t.Helper()
	var points [][2]float64
	for _, attribute := range element.Attr {
		if attribute.Name.Local != "points" {
			continue
		}
		for text := range strings.FieldsSeq(attribute.Value) {
			var x, y float64
			if _, err := fmt.Sscanf(text, "%f,%f", &x, &y); err != nil {
				t.Fatalf("point %q: %v", text, err)
			}
			points = append(points, [2]float64{x, y})
		}
	}
	return points
}

func TestPlotHasUnitsAndStaysInItsFrame(t *testing.T) {
	samples := run100(func(i int) int { return 30000 + 100*i })
	p := draw(t, samples)
	all := strings.Join(p.texts, "\n")
	for _, want := range []string{"resident memory, MiB", "filter, ms", "minutes", "a caption", "p99"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in the picture", want)
		}
	}
	if len(p.lines) != 4*len(samples) {
		t.Errorf("%d points, want %d of each of four curves", len(p.lines), len(samples))
	}
	bottom := float64(len(panels) * (panelHeight + marginTop))
	for _, point := range p.lines {
		if point[0] < marginLeft || point[0] > width-marginRight || point[1] < marginTop ||
			point[1] > bottom {
			t.Fatalf("point %v is outside of the frame", point)
		}
	}
}

func TestPlotOfConstantZeros(t *testing.T) {
	p := draw(t, []sample{{Seconds: 10}, {Seconds: 20}})
	for _, point := range p.lines {
		if text := strconv.FormatFloat(point[1], 'f', -1, 64); text == "NaN" {
			t.Fatal("a curve of zeros has no height")
		}
	}
}

func TestNiceCeiling(t *testing.T) {
	for value, want := range map[float64]float64{
		0: 1, 0.03: 0.04, 1: 1, 1.5: 2, 7: 8, 9: 10, 29: 40, 31.6: 40, 250: 400, 1000: 1000,
	} {
		if got := niceCeiling(value); got < want*(1-1e-9) || got > want*(1+1e-9) {
			t.Errorf("above %v comes %v, want %v", value, got, want)
		}
	}
}
