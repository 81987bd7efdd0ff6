//go:build browser

package board

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"berth.dev/berth/tests/e2e/fleet"
)

// The line above the picture tells of a node for as long as nobody points at another one, and time passes. What
// screen readers were told is told once.
func TestTheLineAboveThePictureFollowsItsNode(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	nodes := l.row("V100")[0]
	goes := another("goes")
	l.addNodes(goes)
	l.awaitV100Nodes(nodes + 1)
	name := goes.NodeName(0)
	said := l.said(name)
	follows := func(word string) {
		l.Helper()
		l.Await(word+" in the line above the picture", func() bool { return strings.Contains(l.text("#where"), word) })
	}
	follows("8 free")
	l.Check("break "+name, fleet.SetCondition(t.Context(), shared.Client, name, "GPUIsLost", true))
	follows("GPUIsLost since")
	before := l.text("#where")
	l.Await("the age of the fault to go on", func() bool { return l.text("#where") != before })
	l.bind("train-7", "erin", name, fleet.ResourceGPU, 3)
	follows("held by 3 erin")
	l.delete("train-7")
	l.deleteNodes([]fleet.Pool{goes})
	l.awaitText("#where", "There is no node "+name+" any more")
	if now := l.text("#said"); now != said {
		t.Errorf("screen readers were told %q after %q", now, said)
	}
}

// Alt+Right goes on in the browser, where there is something to go on to.
func TestKeysWithModifiersAreTheBrowsers(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	said := l.said("mn2a-004")
	eval[bool](l, `(() => {
		window.prevented = 0;
		addEventListener('keydown', (event) => { prevented += event.defaultPrevented ? 1 : 0; });
		return true;
	})()`)
	for _, modifier := range []input.Modifier{input.ModifierAlt, input.ModifierCtrl, input.ModifierMeta} {
		l.run(chromedp.KeyEvent(kb.ArrowRight, chromedp.KeyModifiers(modifier)))
	}
	if now := l.text("#said"); now != said {
		t.Errorf("the keyboard has moved to %q", now)
	}
	l.run(chromedp.KeyEvent(kb.ArrowRight))
	if prevented := eval[int](l, "prevented"); prevented != 1 {
		t.Errorf("the page has taken %d keys, not only the one without a modifier", prevented)
	}
}
