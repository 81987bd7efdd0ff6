//go:build browser

package board

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A window that is too low for all pools cuts none off: the picture scrolls, and the keyboard takes it along.
func TestEveryNodeOfASmallWindowCanBeReached(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	fits := "(({scrollHeight, clientHeight}) => scrollHeight <= clientHeight)(document.querySelector('#picture'))"
	if !eval[bool](l, fits) {
		t.Error("the picture scrolls in a window that is high enough")
	}
	l.run(chromedp.EmulateViewport(1500, 160))
	l.Await("a picture that is higher than its window", func() bool { return !eval[bool](l, fits) })
	l.run(chromedp.Focus("#picture", chromedp.ByQuery), chromedp.KeyEvent(kb.End))
	last, _, _ := strings.Cut(l.text("#said"), ",")
	at := eval[place](l, `(() => {
		const {left, top, width, height} = document.querySelector('#cursor').getBoundingClientRect();
		const picture = document.querySelector('#picture').getBoundingClientRect();
		const isSeen = top >= picture.top && top + height <= picture.bottom && top + height <= innerHeight;
		return {Name: isSeen ? 'seen' : 'hidden', X: left + width / 2, Y: top + height / 2};
	})()`)
	if at.Name != "seen" {
		t.Error("the picture has not moved to the node that the keyboard is at")
	}
	if scrolled := eval[float64](l, "document.querySelector('#picture').scrollTop"); scrolled == 0 {
		t.Error("the picture has not moved at all")
	}
	l.run(chromedp.MouseClickXY(at.X, at.Y))
	l.awaitText("#details-title", "Node "+last)
	l.run(chromedp.Focus("#picture", chromedp.ByQuery), chromedp.KeyEvent(kb.Home))
	if scrolled := eval[float64](l, "document.querySelector('#picture').scrollTop"); scrolled > 100 {
		t.Errorf("the first node is seen, but the picture is %.0f pixels below its top", scrolled)
	}
}
