package docs

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"berth.dev/berth/tests/e2e/box"
)

// somethingChanges is the exit code of `berth mutate` for an object that the webhook would change.
const somethingChanges = 1

const (
	readme      = "README.md"
	operations  = "docs/operations.md"
	researchers = "docs/for-researchers.md"
)

// documents are those whose command blocks are run, in this order.
var documents = []string{readme, operations}

// notRun are the blocks without a language that are not run, by their beginning, and why. Every other
// such block is run.
var notRun = []struct{ document, begins, why string }{
	{readme, "make demo", "builds and tests all of Berth; .ci/run and the tests of demo/ do that"},
	{readme, "kube-scheduler alone", "is what `make demo` says"},
	{readme, "Warning: berth: cpu and memory", "is what the webhook says: " +
		"TestWarningsAreThoseOfTheReadme compares it"},
	{operations, "{{ range $name", "is a template of alertmanager-to-github"},
}

func (b Block) begins(with string) bool { return strings.HasPrefix(strings.TrimSpace(b.Text), with) }

// isShell tells whether the block has commands: none that names its language has others.
func (b Block) isShell() bool { return b.Language == "" || b.Language == "sh" }

// why is the reason for which the block is not run; empty if it is.
func (b Block) why() string {
	for _, named := range notRun {
		if named.document == b.Document && b.begins(named.begins) {
			return named.why
		}
	}
	return ""
}

var continuation = regexp.MustCompile(`\\\n\s*`)

// blocksOf are the blocks of a document.
func blocksOf(t *testing.T, document string) []Block {
	t.Helper()
	blocks, err := Blocks(document)
	if err != nil {
		t.Fatal(err)
	}
	return blocks
}

// commands are the lines of a block, those that go on in the next one joined.
func (b Block) commands() []string {
	lines := strings.Split(continuation.ReplaceAllString(b.Text, ""), "\n")
	return slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" })
}

// A block that is new either runs or is named, and what is named is there.
func TestBlocksThatAreNotRunAreNamed(t *testing.T) {
	run, named := 0, map[string]int{}
	for _, document := range documents {
		for _, b := range blocksOf(t, document) {
			switch why := b.why(); {
			case why != "":
				named[why]++
				t.Logf("%s:%d %s", document, b.Line, why)
			case b.isShell():
				run++
				for _, command := range b.commands() {
					if program := strings.Fields(command)[0]; !slices.Contains(programs, program) {
						t.Errorf("%s:%d: '%s' is no command that can be run: name a language, or the reason "+
							"in notRun", document, b.Line, command)
					}
				}
			}
		}
	}
	for _, n := range notRun {
		if named[n.why] != 1 {
			t.Errorf("%d blocks of %s begin with '%s', want 1", named[n.why], n.document, n.begins)
		}
	}
	if run < 9 || len(notRun) > 4 {
		t.Errorf("%d blocks are run, %d are not: what the documentation says is no longer tried", run,
			len(notRun))
	}
}

// oneGPU is a Job whose author wrote what most do.
const oneGPU = `
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: train, image: "registry.example/train:1", resources: {limits: {nvidia.com/gpu: 1}}}
`

// What the front page shows is what authors read.
func TestWarningsAreThoseOfTheReadme(t *testing.T) {
	berth, err := box.BerthBinary()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), berth, "mutate", "-f", "-")
	command.Stdin = strings.NewReader(oneGPU)
	said, err := command.CombinedOutput()
	if command.ProcessState.ExitCode() != somethingChanges {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, b := range blocksOf(t, readme) {
		if !b.begins("Warning:") {
			continue
		}
		for _, warning := range b.commands() {
			if text := strings.TrimPrefix(warning, "Warning: "); !strings.Contains(string(said), text) {
				t.Errorf("no '%s' in\n%s", text, said)
			}
		}
	}
}

// programs are what a reader has, and what is run.
var programs = []string{"berth", "helm", "kubectl"}
