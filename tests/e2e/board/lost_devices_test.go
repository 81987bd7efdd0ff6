//go:build browser

package board

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"berth.dev/berth/tests/e2e/fleet"
)

// Its device plugin is away, and its pods still run: nobody can get what they hold, and nobody may overlook them.
func TestANodeThatHasLostAllItsDevicesIsNotFree(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	before := l.row("V100")
	lost := another("lost")
	l.addNodes(lost)
	l.awaitV100Nodes(before[0] + 1)
	l.bind("train-7", "erin", lost.NodeName(0), fleet.ResourceGPU, lost.Devices)
	l.awaitText("#owner-rows", "erin 8")
	l.Check("take its devices away",
		fleet.SetDevices(t.Context(), shared.Client, lost.NodeName(0), fleet.ResourceGPU, 0))
	l.Await("word of it", func() bool { return strings.Contains(l.said(lost.NodeName(0)), "offers no devices") })
	said := l.said(lost.NodeName(0))
	if !strings.Contains(said, "held by 8 erin") || strings.Contains(said, "free") {
		t.Errorf("the board says %q", said)
	}
	l.awaitText("#owner-rows", "erin 8")
	if row := l.row("V100"); row[1] != before[1]+8 || row[3] != before[3] {
		t.Errorf("the pool has %v devices held and free, and had %v without the node", row, before)
	}
	l.Await("its cells", func() bool { return l.pixels("held") > 0 && l.pixels("frame") > 0 })
	l.run(chromedp.Click(`#owner-rows li[data-key="erin"] button`, chromedp.ByQuery))
	l.Await("the devices of their owner", func() bool { return l.pixels("found") > 0 })
}
