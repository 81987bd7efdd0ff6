//go:build browser

package board

import (
	"fmt"
	"math"
	"testing"

	"berth.dev/berth/tests/e2e/fleet"
)

// drawnColours tells which of the colours of the style sheet are among the pixels of a canvas.
func (l *look) drawnColours(canvas string, names ...string) []string {
	l.Helper()
	return eval[[]string](l, fmt.Sprintf(`((canvas, names) => {
		const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
		const drawn = new Set();
		for (let i = 0; i < data.length; i += 4) {
			drawn.add('#' + [...data.subarray(i, i + 3)].map((value) => value.toString(16).padStart(2, '0')).join(''));
		}
		const style = getComputedStyle(document.documentElement);
		return names.filter((name) => drawn.has(style.getPropertyValue('--' + name).trim()));
	})(document.querySelector(%s), %s)`, quoted(canvas), quoted(names)))
}

// asked tells how often the page has asked for a path and query.
func (l *look) asked(target string) int {
	l.Helper()
	return eval[int](l, fmt.Sprintf(
		"performance.getEntriesByType('resource').filter((each) => each.name.endsWith(%s)).length", quoted(target)))
}

// The bars of a pool, and what those are told who do not see them, are what the board has sampled.
func TestDrawsThePoolsOverTime(t *testing.T) {
	l := open(t, 1500, 950)
	pool := pools(nodesPerPool * 5)[0]
	const nodes = 8
	for i := range nodes {
		l.bind(fmt.Sprintf("held-%d", i), "alice", pool.NodeName(i), fleet.ResourceGPU, pool.Devices)
	}
	for i := range nodes {
		l.fault(pool.NodeName(nodes+i), "GPUIsLost")
	}
	l.restart() // so that all samples have these pods and faults
	share := math.Round(100 * nodes / float64(pool.Nodes))
	const bars = `canvas.bars[data-pool="V100"]`
	for _, span := range []struct{ seconds, words string }{{"3600", "hour"}, {"86400", "day"}} {
		l.choose("#span", span.seconds)
		want := fmt.Sprintf("V100 over the last %s: on average %.0f %% were held", span.words, share)
		label := fmt.Sprintf("document.querySelector(%s)?.getAttribute('aria-label') ?? ''", quoted(bars))
		l.Await("the words for the bars: "+want, func() bool { return eval[string](l, label) == want })
		target := fmt.Sprintf("/api/history?seconds=%s&bars=120", span.seconds)
		l.Await("a request of "+target, func() bool { return l.asked(target) > 0 })
		// The background is between the dots of what is broken.
		if drawn := l.drawnColours(bars, "held", "planned", "broken", "dim", "back"); fmt.Sprint(drawn) != "[held broken dim back]" {
			t.Errorf("the bars of the last %s have the colours %v, not those of what is held, broken (dotted) and free", span.words, drawn)
		}
	}
}
