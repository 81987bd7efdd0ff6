//go:build long

package docs

import (
	"fmt"
	"strings"
	"testing"
)

// step is what a block needs and promises.
type step struct {
	document, begins string
	before           func(*world)
	// The name in the document and the one here, in turn.
	names func(*world) []string
	after func(w *world, said string)
}

// steps are those of blocks that need or promise more than that every command succeeds.
var steps = []step{
	{document: readme, begins: "helm install", after: (*world).expectTested},
	{document: operations, begins: "berth mutate", before: (*world).writeManifests,
		after: (*world).expectForetold},
	{document: operations, begins: "helm install", after: (*world).expectObserving},
	{document: operations, begins: "kubectl label namespace vision",
		before: func(w *world) { w.createNamespace(team) },
		after:  func(w *world, _ string) { w.awaitSafe(team) }},
	{document: operations,
		begins: "helm upgrade berth charts/berth -n berth-system --reuse-values --set admission.defaultMode",
		before: func(w *world) { w.createNamespace("others") },
		after:  func(w *world, _ string) { w.awaitSafe("others") }},
	{document: operations, begins: "helm uninstall", before: (*world).awaitOwned,
		after: (*world).expectUninstalled},
	{document: operations, begins: "kubectl label nodes --all berth.dev/accelerator-",
		after: (*world).expectNoLabels},
	{document: operations, begins: "kubectl taint", after: (*world).expectNoTaint},
	{document: operations, begins: "kubectl patch pod", before: (*world).losePod,
		names: func(w *world) []string { return []string{"train-x7k2p", w.lost} },
		after: (*world).expectReplaced},
}

func stepOf(b Block) step {
	for _, s := range steps {
		if s.document == b.Document && b.begins(s.begins) {
			return s
		}
	}
	return step{}
}

// Every block in its order, as an administrator types it.
func TestCommandsOfTheDocumentationRun(t *testing.T) {
	w := newWorld(t)
	for _, document := range documents {
		w.on(t).uninstallIfThere()
		for _, b := range blocksOf(t, document) {
			if !b.isShell() {
				continue
			}
			ran := t.Run(fmt.Sprintf("%s:%d", document, b.Line), func(t *testing.T) {
				if why := b.why(); why != "" {
					t.Skipf("not run: it %s", why)
				}
				w.on(t).run(b)
			})
			if !ran {
				return // what follows needs it
			}
		}
	}
}

// Every step is that of a block.
func TestStepsBelongToBlocks(t *testing.T) {
	for _, s := range steps {
		found := 0
		for _, b := range blocksOf(t, s.document) {
			if b.isShell() && b.why() == "" && b.begins(s.begins) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%d blocks of %s begin with '%s', want 1", found, s.document, s.begins)
		}
	}
}

func (w *world) run(b Block) {
	w.Helper()
	s := stepOf(b)
	if s.before != nil {
		s.before(w)
	}
	rename := strings.NewReplacer()
	if s.names != nil {
		rename = strings.NewReplacer(s.names(w)...)
	}
	said := ""
	for _, command := range b.commands() {
		said += w.typed(rename.Replace(command))
	}
	if s.after != nil {
		s.after(w, said)
	}
}
