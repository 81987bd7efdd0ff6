//go:build long

package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Who has the release before comes to this one and back again, chart and program, while users create
// and wait.
func TestUpgradeFromTheFormerReleaseFailsNoRequest(t *testing.T) {
	w := newWorld(t)
	folder, err := formerFolder()
	w.Check("find the former release", err)
	program := filepath.Join(folder, formerBinary)
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("%v: run image/dist/former, which builds it", err)
	}
	said, err := exec.CommandContext(t.Context(), program, "version").Output()
	w.Check("ask the former release for its version", err)
	t.Logf("from %s", strings.TrimSpace(string(said)))

	if installed != nil {
		w.uninstall()
	}
	former := values{"image": values{"repository": formerImage}}
	w.withChartOf(filepath.Join(folder, "charts", "berth"), former, "install", "--create-namespace")
	installed = former
	w.awaitAsked()
	w.expectImage(formerImage)
	team := w.team("enforce")
	for _, step := range []struct {
		name  string
		take  func(*world)
		image string
	}{
		{"upgrade", func(w *world) { w.upgrade(nil) }, "berth"},
		{"rollback", func(w *world) { w.rollback(former) }, formerImage},
		{"upgrade again", func(w *world) { w.upgrade(nil) }, "berth"},
	} {
		t.Run(step.name, func(t *testing.T) {
			inner := newWorld(t)
			creates, placements := inner.createSafely(team), inner.place(team)
			creates.AwaitMore(leastLoad)
			step.take(inner)
			inner.expectImage(step.image)
			creates.AwaitMore(leastLoad)
			placements.AwaitMore(2)
			creates.ExpectNoFailure(2 * leastLoad)
			placements.ExpectNoFailure(2)
			inner.awaitTrustedWebhooks()
		})
	}
}

// expectImage fails the test unless Berth's own programs are all there, in whatever pods (0.1.0 has
// the extender in kube-scheduler's), and all of this image.
func (w *world) expectImage(repository string) {
	w.Helper()
	found := map[string]bool{}
	for _, pod := range w.components() {
		for _, container := range pod.Spec.Containers {
			switch container.Name {
			case "admission", "controller", "extender":
			default:
				continue
			}
			found[container.Name] = true
			if !strings.HasPrefix(container.Image, repository+":") {
				w.Errorf("%s in %s is of %s, want %s", container.Name, pod.Name, container.Image,
					repository)
			}
		}
	}
	if len(found) != 3 {
		w.Errorf("of Berth's programs there are only %v", found)
	}
}
