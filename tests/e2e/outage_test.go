package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

// Pods that need Berth wait while it is away, and a node that broke meanwhile gets none of them.
func TestExtenderKilledUnderLoad(t *testing.T) {
	w := fresh(t)
	favourite := w.place(gpus(1, "V100"))
	before := w.arrive(6)
	w.box.Berth.Kill()
	w.Check("break", fleet.SetCondition(t.Context(), w.box.Client, favourite, "GPUIsLost", true))
	away := w.arrive(4)
	if message := w.event(away[3]); !strings.Contains(message, "connection refused") {
		t.Errorf("event %q does not say that Berth is away", message)
	}
	w.Check("start Berth", w.box.Berth.Start(t.Context()))
	w.avoid([]string{favourite}, append(away, w.arrive(6)...))
	for _, pod := range before {
		w.placed(pod)
	}
	w.allSound()
}

// outageTimeout is how long kube-scheduler may take to watch again, on a busy machine.
const outageTimeout = 90 * time.Second

// Berth goes on answering from its last snapshot, and catches up when the API server is back.
func TestAPIServerKilledUnderLoad(t *testing.T) {
	w := fresh(t)
	favourite := w.place(gpus(1, "V100"))
	pods := w.arrive(4)
	w.killAPIServer()
	w.expectReady()
	w.Check("start kube-apiserver", w.box.APIServer.Start(t.Context()))
	w.Timeout = outageTimeout
	pods = append(pods, w.arrive(4)...)
	// Once this is known the watch is back. Before, what breaks is news to Berth some seconds later,
	// and pods that were waiting may be placed by what was true before.
	w.breaks("PCIeLinkDegraded", "Penalize", nodesOf("mn2b-a30")[0])
	w.breaks("GPUIsLost", "Exclude", favourite)
	w.avoid([]string{favourite}, w.arrive(6))
	for _, pod := range pods {
		w.placed(pod)
	}
	w.allSound()
}

// killAPIServer ends kube-apiserver, which the test has to start again. What the outage leaves must not
// meet the tests that follow, so kube-scheduler and Berth begin anew after this one: kube-scheduler may
// take a minute to watch again after a second outage, and for 150 s Berth refuses nodes to which it has
// given a pod that it has not seen bound, such as one that was deleted first.
func (w *world) killAPIServer() {
	w.Helper()
	w.Cleanup(func() {
		for _, program := range []*box.Process{w.box.Scheduler, w.box.Berth.Process} {
			program.Kill()
			w.Check("start "+program.Name, program.Start(context.Background()))
		}
	})
	w.box.APIServer.Kill()
}

func (w *world) expectReady() {
	w.Helper()
	response, err := http.Get(w.box.Berth.MetricsURL + "/readyz")
	w.Check("ask whether Berth is ready", err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		w.Errorf("Berth is not ready without kube-apiserver: %s", response.Status)
	}
}
