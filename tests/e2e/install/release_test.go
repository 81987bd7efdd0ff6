package install

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/box"
)

const (
	releaseName = "berth"
	namespace   = box.KubeletNamespace
	helmTimeout = 4 * time.Minute
)

// values are those of the chart.
type values = map[string]any

// asService has the extender behind a Service instead of the chart's own scheduler.
var asService = values{"scheduler": values{"enabled": false}}

// installed are the values of the release as this suite left it; nil where there is none.
var installed values

// withChart runs a helm command that takes the chart and values, waits as users are told to, and
// returns what it says.
func (w *world) withChart(with values, command ...string) string {
	w.Helper()
	return w.withChartOf(w.chart(), with, command...)
}

// withChartOf does the same with the chart of another folder.
func (w *world) withChartOf(folder string, with values, command ...string) string {
	w.Helper()
	content, err := yaml.Marshal(with)
	w.Check("write the values", err)
	file := filepath.Join(shared.Dir, "values.yaml")
	w.Check("write the values", os.WriteFile(file, content, 0o600))
	said, err := shared.Helm(w.Context(), append(command, releaseName, folder, "--wait",
		"--timeout", helmTimeout.String(), "--values", file)...)
	w.Check(command[0]+" the release", err)
	return said
}

// chart is the folder of the chart.
func (w *world) chart() string {
	w.Helper()
	folder, err := box.Chart()
	w.Check("find the chart", err)
	return folder
}

// release makes sure that the chart is installed with exactly these values.
func release(t *testing.T, with values) *world {
	t.Helper()
	w := newWorld(t)
	if fmt.Sprint(installed) == fmt.Sprint(with) && installed != nil {
		return w
	}
	if installed != nil {
		w.uninstall()
	}
	w.install(with)
	return w
}

// install installs the chart and returns what helm says.
func (w *world) install(with values) string {
	w.Helper()
	said := w.withChart(with, "install", "--create-namespace")
	installed = copyOf(with)
	w.awaitAsked()
	return said
}

func (w *world) upgrade(with values) {
	w.Helper()
	w.withChart(with, "upgrade", "--reset-values") // else none would be those of before
	installed = copyOf(with)
}

// rollback goes back to the values that were in force before.
func (w *world) rollback(to values) {
	w.Helper()
	_, err := shared.Helm(w.Context(), "rollback", releaseName, "--wait", "--timeout",
		helmTimeout.String())
	w.Check("roll the release back", err)
	installed = copyOf(to)
}

func (w *world) uninstall() {
	w.Helper()
	w.awaitOwned()
	_, err := shared.Helm(w.Context(), "uninstall", releaseName, "--wait", "--timeout",
		helmTimeout.String())
	w.Check("uninstall the release", err)
	installed = nil
}

// awaitOwned waits until all Leases go with the release.
func (w *world) awaitOwned() {
	w.Helper()
	w.awaitNone("Leases without an owner", func() []string {
		ownerless, err := shared.OwnerlessLeases(w.Context())
		w.Check("list the Leases", err)
		return ownerless
	})
}

func copyOf(with values) values {
	copied := values{}
	maps.Copy(copied, with)
	return copied
}

// berth runs a command of Berth as an administrator.
func (w *world) berth(arguments ...string) string {
	w.Helper()
	path, err := box.BerthBinary()
	w.Check("find berth", err)
	command := exec.CommandContext(w.Context(), path, arguments...)
	command.Env = append(command.Environ(), "KUBECONFIG="+shared.Kubeconfig,
		"HTTPS_PROXY="+shared.Services.URL)
	said, err := command.CombinedOutput()
	if err != nil {
		w.Fatalf("berth %v: %v\n%s", arguments, err, said)
	}
	return string(said)
}
