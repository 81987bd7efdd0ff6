//go:build browser

package board

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

// counts are the devices of the V100 nodes by the API's own objects: nodes, held, planned, free, broken.
func (l *look) counts() []int {
	l.Helper()
	nodes, err := shared.Client.CoreV1().Nodes().List(l.Context(), metav1.ListOptions{LabelSelector: fleet.LabelPool + "=mn2a"})
	l.Check("list nodes", err)
	pods, err := shared.Client.CoreV1().Pods("").List(l.Context(), metav1.ListOptions{})
	l.Check("list pods", err)
	held, planned := map[string]int{}, map[string]int{}
	for _, pod := range pods.Items {
		devices := pod.Spec.Containers[0].Resources.Requests[fleet.ResourceGPU]
		held[pod.Spec.NodeName] += int(devices.Value())
		if pod.Spec.NodeName == "" {
			planned[pod.Status.NominatedNodeName] += int(devices.Value())
		}
	}
	counts := []int{len(nodes.Items), 0, 0, 0, 0}
	for _, node := range nodes.Items {
		devices := node.Status.Allocatable[fleet.ResourceGPU]
		left := int(devices.Value()) - held[node.Name] - planned[node.Name]
		counts[1] += held[node.Name]
		counts[2] += planned[node.Name]
		if slices.ContainsFunc(node.Status.Conditions, isLost) {
			counts[4] += left
		} else {
			counts[3] += left
		}
	}
	return counts
}

func isLost(condition corev1.NodeCondition) bool {
	return condition.Type == "GPUIsLost" && condition.Status == corev1.ConditionTrue
}

// awaitCounts waits until the table of pools says what the API says, and that is `want`.
func (l *look) awaitCounts(held, planned, broken int) {
	l.Helper()
	pool := pools(nodesPerPool * 5)[0]
	devices := pool.Nodes * int(pool.Devices)
	want := []int{pool.Nodes, held, planned, devices - held - planned - broken, broken}
	if counts := l.counts(); !slices.Equal(counts, want) {
		l.Fatalf("the API says %v of V100, not %v: another test has left something behind", counts, want)
	}
	if !box.HoldsWithin(l.Timeout, func() bool { return slices.Equal(l.row("V100"), want) }) {
		l.Fatalf("the board says %v of V100, the API %v", l.row("V100"), want)
	}
}

// said moves the keyboard to a node and returns what a screen reader says of it.
func (l *look) said(node string) string {
	l.Helper()
	l.run(chromedp.Focus("#picture", chromedp.ByQuery), chromedp.KeyEvent(kb.Home))
	for range 5 * nodesPerPool {
		said := l.text("#said")
		if strings.HasPrefix(said, node+",") {
			return said
		}
		l.run(chromedp.KeyEvent(kb.ArrowRight))
	}
	l.Fatalf("no node %s was reached with the arrow keys", node)
	return ""
}

func TestShowsWhatTheAPIHas(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	l.awaitCounts(0, 0, 0)

	l.bind("held", "alice", "mn2a-003", fleet.ResourceGPU, 5)
	l.fault("mn2a-004", "GPUIsLost")
	l.wait("planned", "bob", fleet.Ask{Resource: fleet.ResourceGPU, Devices: 2})
	l.nominate("planned", "mn2a-005")
	// No node has so many, so kube-scheduler refuses it.
	l.create(fleet.Ask{Resource: fleet.ResourceGPU, Devices: 16, Accelerators: []string{"A100"}}.Pod("waits"))
	l.awaitCounts(5, 2, 8)

	l.Await("the queue", func() bool {
		waiting := l.text("#waiting-rows")
		return strings.Contains(waiting, "default/waits") && strings.Contains(waiting, "Insufficient nvidia.com/gpu") &&
			strings.Contains(waiting, "planned for mn2a-005")
	})
	for node, want := range map[string][]string{
		"mn2a-003": {"V100", "rack mn2a-rack-0", "held by 5 alice", "3 free"},
		"mn2a-004": {"GPUIsLost since", "8 broken"},
		"mn2a-005": {"planned for 2 bob", "6 free"},
	} {
		said := l.said(node)
		for _, part := range want {
			if !strings.Contains(said, part) {
				t.Errorf("of %s the board says %q, without %q", node, said, part)
			}
		}
	}
	l.screenshot("shows.png")

	l.delete("held")
	l.delete("planned")
	l.awaitCounts(0, 0, 8)
}

func TestAgesGoOnWhereNothingChanges(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	l.create(fleet.Ask{Resource: fleet.ResourceGPU, Devices: 16, Accelerators: []string{"A100"}}.Pod("waits"))
	l.Await("the queue", func() bool { return strings.Contains(l.text("#waiting-rows"), "default/waits") })
	// The row stays as it is but for its age. If the queue is drawn anew, there is another row to look at.
	const marked = "#waiting-rows li[data-marked] time"
	before := ""
	l.Await("the age of a pod to go on", func() bool {
		now := l.text(marked)
		if now == "" {
			eval[bool](l, "document.querySelector('#waiting-rows li').dataset.marked = 'once', true")
			before = l.text(marked)
		}
		return now != "" && now != before
	})
}

// A page that stays open for weeks draws for as long, and browsers never forget a mark by themselves.
func TestDrawingLeavesNothingBehind(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	l.bind("held", "alice", "mn2a-003", fleet.ResourceGPU, 5)
	l.Await("another drawing", func() bool { return eval[bool](l, "document.documentElement.dataset.drawings > 1") })
	if marks := eval[int](l, "performance.getEntriesByType('mark').length"); marks != 1 {
		t.Errorf("the page has %d marks, not that of the first whole picture alone", marks)
	}
}

func TestAClickShowsTheVerdicts(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	l.fault("mn2a-004", "GPUIsLost")
	l.bind("held", "alice", "mn2a-004", fleet.ResourceGPU, 5)
	l.wait("waits", "bob", fleet.Ask{Resource: fleet.ResourceGPU, Devices: 1})
	l.awaitCounts(5, 0, 3)

	l.said("mn2a-004")
	l.run(chromedp.KeyEvent(kb.Enter))
	l.awaitText("#details-title", "Node mn2a-004")
	l.Await("the node's verdicts", func() bool {
		body := l.text("#details-body")
		return strings.Contains(body, "default/held") && strings.Contains(body, "node(s) had condition GPUIsLost")
	})
	l.screenshot("verdicts.png")
	l.run(chromedp.KeyEvent(kb.Escape))
	l.Await("the panel to close", func() bool { return eval[bool](l, "document.querySelector('#details').hidden") })
	if focused := eval[string](l, "document.activeElement.id"); focused != "picture" {
		t.Errorf("after the panel has closed the focus is on %q", focused)
	}

	l.run(chromedp.Click(`li[data-key="default/waits"] button`, chromedp.ByQuery))
	l.awaitText("#details-title", "Pod default/waits")
	l.Await("the pod's verdicts", func() bool {
		return strings.Contains(l.text("#details-body"), "1 node(s) had condition GPUIsLost")
	})
}

func TestASearchFindsNodesPodsAndOwners(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	l.bind("train-7", "carol", "mn2a-006", fleet.ResourceGPU, 4)
	l.awaitCounts(4, 0, 0)
	for text, want := range map[string]string{
		"MN2A-006": "1 node, 0 pods",
		"train-7":  "0 nodes, 1 pod",
		"carol":    "0 nodes, 1 pod",
		"nobody":   "0 nodes, 0 pods",
	} {
		l.search(text)
		if !box.HoldsWithin(l.Timeout, func() bool { return l.text("#found-summary") == want }) {
			t.Errorf("a search for %q finds %q, not %q", text, l.text("#found-summary"), want)
		}
	}
	l.search("carol")
	l.awaitText("#found-owners", "carol holds 4 devices")
	l.awaitText("#found-list button", "default/train-7")
	l.run(chromedp.Click("#found-list button", chromedp.ByQuery))
	l.awaitText("#details-title", "Pod default/train-7")
}

// The frame is all that tells of it where pods hold all devices.
func TestASearchLeavesABrokenNodeItsFrame(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	l.bind("train-7", "carol", "mn2a-006", fleet.ResourceGPU, 8)
	l.fault("mn2a-006", "GPUIsLost")
	l.awaitCounts(8, 0, 0)
	l.Await("its frame", func() bool { return l.pixels("frame") > 0 })
	solid := l.pixels("frame")
	l.search("mn2a-006")
	l.awaitText("#found-summary", "1 node, 0 pods")
	l.Await("the frame of what is found", func() bool { return l.pixels("found") > 0 })
	framed, found := l.pixels("frame"), l.pixels("found")
	if framed != solid {
		t.Errorf("the frame of the broken node has %d pixels beside that of the search, and %d without", framed, solid)
	}
	if found > framed*3/4 {
		t.Errorf("the frame of the search has %d pixels, that of the broken node %d: it is not dashed", found, framed)
	}
}

func TestTheListHasWhatThePictureHas(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	l.fault("mn2a-004", "GPUIsLost")
	l.awaitCounts(0, 0, 8)
	l.run(chromedp.Click("#node-list summary", chromedp.ByQuery))
	l.choose("#filter-state", "bad")
	l.Await("the list", func() bool {
		rows := eval[[]string](l, "[...document.querySelectorAll('#node-rows tr')].map((row) => row.innerText)")
		return len(rows) == 1 && strings.Contains(rows[0], "mn2a-004") && strings.Contains(rows[0], "GPUIsLost")
	})
}

// A click on who holds devices finds them.
func TestTellsWhoHoldsDevices(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	l.bind("train-7", "carol", "mn2a-006", fleet.ResourceGPU, 4)
	l.bind("train-8", "carol", "mn2a-008", fleet.ResourceGPU, 2)
	l.bind("train-9", "dave", "mn2a-008", fleet.ResourceGPU, 3)
	l.awaitText("#owner-rows", "carol 6dave 3")
	l.run(chromedp.Click(`#owner-rows li[data-key="dave"] button`, chromedp.ByQuery))
	l.awaitText("#found-owners", "dave holds 3 devices")
	l.awaitText("#found-list button", "default/train-9")
}

// Neither an owner whose name has that of another in it nor nodes with such names are meant.
func TestAClickOnAnOwnerMarksNobodyElse(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	l.bind("train-7", "nlp", "mn2a-006", fleet.ResourceGPU, 4)
	l.bind("train-8", "nlp-dev", "mn2a-008", fleet.ResourceGPU, 2)
	l.bind("train-9", "mn2a", "mn2a-010", fleet.ResourceGPU, 1)
	l.awaitText("#owner-rows", "nlp 4nlp-dev 2mn2a 1")
	l.run(chromedp.Click(`#owner-rows li[data-key="nlp"] button`, chromedp.ByQuery))
	l.awaitText("#found-owners", "nlp holds 4 devices")
	l.awaitText("#found-list", "default/train-7 on mn2a-006; nlp")
	l.run(chromedp.Click(`#owner-rows li[data-key="mn2a"] button`, chromedp.ByQuery))
	l.awaitText("#found-owners", "mn2a holds 1 device")
	l.awaitText("#found-summary", "0 nodes, 1 pod")
	l.search("nlp") // what is typed is looked for in all names
	l.awaitText("#found-summary", "0 nodes, 2 pods")
}

// Policies have no say in such a node, and the board knows nothing of what runs there.
func TestShowsTheConditionsOfANodeWithoutAccelerators(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	l.said("cpu-001")
	l.run(chromedp.KeyEvent(kb.Enter))
	l.awaitText("#details-title", "Node cpu-001")
	l.Await("its conditions", func() bool {
		body := l.text("#details-body")
		return strings.Contains(body, "MemoryPressure") && strings.Contains(body, "It has no accelerators")
	})
}

// A device plugin that is away and a label that is missing take the devices from nobody.
func TestDoesNotSayThatANodeHasNoAcceleratorsOnWhichPodsHoldSome(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	l.bind("held", "alice", "cpu-002", fleet.ResourceGPU, 1)
	l.said("cpu-002")
	l.Await("its panel to say so", func() bool {
		body := l.text("#details-body")
		if strings.Contains(body, "default/held") && strings.Contains(body, "Which accelerators it has is not known") {
			return !strings.Contains(body, "It has no accelerators")
		}
		if body == "Asking the board" {
			return false
		}
		l.run(chromedp.Focus("#picture", chromedp.ByQuery), chromedp.KeyEvent(kb.Enter))
		return false
	})
}

// another is a pool of one more V100 node.
func another(name string) fleet.Pool {
	pool := pools(nodesPerPool * 5)[0]
	pool.Name, pool.Nodes = name, 1
	return pool
}

// addNodes creates the nodes of a pool, and deletes them when the test is over.
func (l *look) addNodes(pool fleet.Pool) {
	l.Helper()
	l.Cleanup(func() { l.deleteNodes([]fleet.Pool{pool}) })
	l.Check("create nodes", fleet.CreateNodes(l.Context(), shared.Client, []fleet.Pool{pool}))
}

// awaitV100Nodes waits until the page shows so many of them.
func (l *look) awaitV100Nodes(nodes int) {
	l.Helper()
	l.Await(fmt.Sprintf("%d nodes", nodes), func() bool { return l.row("V100")[0] == nodes })
}

// The page knows nodes by numbers, and the number of one that is gone may be that of another.
func TestEnterOnANodeThatIsGoneOpensNoOther(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	nodes := l.row("V100")[0]
	gone := another("gone")
	l.addNodes(gone)
	l.awaitV100Nodes(nodes + 1)
	l.said(gone.NodeName(0))
	l.deleteNodes([]fleet.Pool{gone})
	l.awaitV100Nodes(nodes)
	l.addNodes(another("next"))
	l.awaitV100Nodes(nodes + 1)
	l.run(chromedp.KeyEvent(kb.Enter))
	l.awaitText("#said", "There is no node gone-001 any more")
	if title := l.text("#details-title"); title != "" {
		t.Errorf("a panel has opened: %q", title)
	}
}

// A node's device plugin may claim anything, and everybody's page has to draw it.
func TestANodeMayClaimAnyNumberOfDevices(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	nodes := l.row("V100")[0]
	claims := another("claims")
	claims.Devices = 1_000_000_000
	l.addNodes(claims)
	l.awaitV100Nodes(nodes + 1)
	said := l.said(claims.NodeName(0))
	for _, part := range []string{"1000000000 free", "each cell stands for about 62500000 devices"} {
		if !strings.Contains(said, part) {
			t.Errorf("the board says %q, without %q", said, part)
		}
	}
	l.awaitText("#health", "Live")

	// One of them is seen all the same, if it is broken or if its owner is looked for.
	l.Await("a picture without broken devices", func() bool { return l.pixels("broken") == 0 })
	_, err := shared.Client.CoreV1().Nodes().Patch(l.Context(), claims.NodeName(0), types.MergePatchType,
		[]byte(`{"status":{"allocatable":{"`+fleet.ResourceGPU+`":"999999999"}}}`), metav1.PatchOptions{}, "status")
	l.Check("offer one device less", err)
	l.Await("the broken device", func() bool { return l.pixels("broken") > 0 })
	l.bind("train-7", "erin", claims.NodeName(0), fleet.ResourceGPU, 1)
	l.awaitText("#owner-rows", "erin 1")
	l.run(chromedp.Click(`#owner-rows li[data-key="erin"] button`, chromedp.ByQuery))
	l.Await("the device of its owner", func() bool { return l.pixels("found") > 0 })
}

// pixels counts those of the picture that have one of the colours of the style sheet.
func (l *look) pixels(colour string) int {
	l.Helper()
	return eval[int](l, fmt.Sprintf(`(() => {
		const hex = getComputedStyle(document.documentElement).getPropertyValue('--%s').trim();
		const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
		const canvas = document.querySelector('#nodes');
		const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
		let pixels = 0;
		for (let i = 0; i < data.length; i += 4) {
			if (data[i] === red && data[i + 1] === green && data[i + 2] === blue) ++pixels;
		}
		return pixels;
	})()`, colour))
}

// What the page asks for goes to the board alone.
func TestAsksNoOtherHost(t *testing.T) {
	l := open(t, 1500, 950)
	l.awaitLive()
	l.said("mn2a-001")
	l.run(chromedp.KeyEvent(kb.Enter))
	l.awaitText("#details-title", "Node mn2a-001")
	hosts := eval[[]string](l, "[...new Set(performance.getEntriesByType('resource').map((each) => new URL(each.name).host))]")
	own := eval[string](l, "location.host")
	if len(hosts) != 1 || hosts[0] != own {
		t.Errorf("the page of %s has asked %v", own, hosts)
	}
	if address := eval[string](l, "location.href"); address != fmt.Sprintf("http://%s/", own) {
		t.Errorf("the address shows more than it should: %s", address)
	}
}
