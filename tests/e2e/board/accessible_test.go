//go:build browser

package board

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

// axe's rules, from the npm registry.
const axeVersion = "4.10.3"

// axe returns the script of axe-core, which is fetched once into .cache.
func axe(l *look) string {
	l.Helper()
	root, err := box.RepoRoot()
	l.Check("find the repository", err)
	dir := filepath.Join(root, ".cache", "axe-core-"+axeVersion)
	script := filepath.Join(dir, "node_modules", "axe-core", "axe.min.js")
	if _, err := os.Stat(script); err != nil {
		if _, err := exec.LookPath("npm"); err != nil {
			l.Skip("no npm, with which axe-core is fetched: .ci/install-dependencies --with-browser")
		}
		l.Check("make "+dir, os.MkdirAll(dir, 0o755))
		npm := exec.CommandContext(l.Context(), "npm", "install", "--prefix", dir, "--no-save", "--ignore-scripts", "axe-core@"+axeVersion)
		output, err := npm.CombinedOutput()
		if err != nil {
			l.Fatalf("npm install axe-core: %v\n%s", err, output)
		}
	}
	content, err := os.ReadFile(script)
	l.Check("read axe-core", err)
	return string(content)
}

// Every part of the page is open, in both schemes of colours.
func TestMeetsAxesRules(t *testing.T) {
	l := open(t, 1500, 950)
	script := axe(l)
	l.fault("mn2a-004", "GPUIsLost")
	l.bind("held", "alice", "mn2a-003", fleet.ResourceGPU, 5)
	l.wait("waits", "bob", fleet.Ask{Resource: fleet.ResourceGPU, Devices: 8})
	l.awaitLive()
	l.awaitCounts(5, 0, 8)
	l.search("mn2a")
	l.said("mn2a-004")
	l.run(chromedp.KeyEvent(kb.Enter), chromedp.Click("#node-list summary", chromedp.ByQuery))
	l.Await("the node's verdicts", func() bool { return strings.Contains(l.text("#details-body"), "GPUIsLost") })
	eval[bool](l, script+"; true")
	for _, theme := range []string{"light", "dark"} {
		l.choose("#theme", theme)
		violations := eval[[]string](l, `axe.run().then((result) => result.violations.flatMap((rule) =>
			rule.nodes.map((node) => rule.id + ': ' + rule.help + ': ' + node.html)))`)
		for _, violation := range violations {
			t.Errorf("%s: %s", theme, violation)
		}
		l.screenshot("board-" + theme + ".png")
	}
}
