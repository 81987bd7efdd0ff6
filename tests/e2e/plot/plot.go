// Package plot draws panels below each other as one picture in SVG.
package plot

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"
)

// Sizes of the picture in its own units.
const (
	width         = 720
	marginLeft    = 64
	marginRight   = 16
	titleHeight   = 28
	axisHeight    = 24
	captionHeight = 16
	tickCount     = 4
)

// Panel is a diagram over the whole width of a picture: Lines, Axis or Rows.
type Panel interface {
	height() int
	draw(svg *strings.Builder, top int)
}

// Draw writes the picture, with the caption below on the right.
func Draw(out io.Writer, caption string, panels ...Panel) error {
	height := captionHeight
	for _, panel := range panels {
		height += panel.height()
	}
	var svg strings.Builder
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" `+
		`font-family="sans-serif" font-size="12" fill="#333">`+"\n", width, height)
	fmt.Fprintf(&svg, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	top := 0
	for _, panel := range panels {
		panel.draw(&svg, top)
		top += panel.height()
	}
	write(&svg, width-marginRight, float64(height-8), `text-anchor="end"`, caption)
	svg.WriteString("</svg>\n")
	_, err := io.WriteString(out, svg.String())
	return err
}

// write puts a text at a place; attributes are SVG's.
func write(svg *strings.Builder, x, y float64, attributes, text string) {
	if attributes != "" {
		attributes = " " + attributes
	}
	fmt.Fprintf(svg, `<text x="%.1f" y="%.1f"%s>%s</text>`+"\n", x, y, attributes,
		html.EscapeString(text))
}

// horizontal is where a value is between left and the right margin, where end is.
func horizontal(left, value, end float64) float64 {
	return left + (width-left-marginRight)*value/end
}

// tick is the value of one of the ticks of an axis that ends at end, from 0.
func tick(index int, end float64) float64 { return end * float64(index) / tickCount }

func label(value float64) string { return fmt.Sprintf("%.4g", value) }

// Ceiling is the least of 1, 2, 4, 6 and 8 times a power of ten that is not below the value: where
// an axis ends well.
func Ceiling(value float64) float64 {
	if value <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(value)))
	for _, factor := range []float64{1, 2, 4, 6, 8} {
		if factor*power >= value {
			return factor * power
		}
	}
	return 10 * power
}
