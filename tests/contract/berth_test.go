package contract

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const startTimeout = 30 * time.Second

// startBerth runs the real extender, plain on loopback, over a cluster of these nodes and pods, and
// returns its URL once it is ready. It ends with the test.
func startBerth(t *testing.T, nodes []corev1.Node, pods []corev1.Pod) string {
	t.Helper()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	writeFile(t, kubeconfig, kubeconfigFor(newAPIServer(t, nodes, pods)))
	return launch(t, "extender", fmt.Sprintf("kubernetes: {kubeconfig: %q}", kubeconfig))
}

// startAdmission runs the real admission server, plain on loopback, and returns its URL once it is
// ready. It ends with the test.
func startAdmission(t *testing.T) string {
	t.Helper()
	return launch(t, "admission", "")
}

// launch runs a server that is configured by a block of its own name, and by more.
func launch(t *testing.T, name, more string) string {
	t.Helper()
	config := filepath.Join(t.TempDir(), "berth.yaml")
	writeFile(t, config, fmt.Sprintf(`apiVersion: config.berth.dev/v1alpha1
kind: BerthConfiguration
%s: {listen: "127.0.0.1:0", insecureLoopback: true}
metrics: {listen: "127.0.0.1:0"}
%s
`, name, more))

	command := exec.Command(tool(t, "BERTH_BINARY", "cli/berth"), name, "--config", config)
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	logs, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // killed: it cannot end well
	})
	addresses := make(chan map[string]string, 1)
	go followLog(logs, addresses)
	select {
	case listening := <-addresses:
		await(t, "http://"+listening["metrics"]+"/readyz")
		return "http://" + listening[name]
	case <-time.After(startTimeout):
		t.Fatal("berth did not say where it listens")
		return ""
	}
}

// followLog reads JSON lines until both listeners have told their address, then on, so that the
// writer never blocks.
func followLog(logs interface{ Read([]byte) (int, error) }, addresses chan<- map[string]string) {
	listening := map[string]string{}
	for lines := bufio.NewScanner(logs); lines.Scan(); {
		var line struct{ Msg, Listener, Address string }
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Msg != "listening" {
			continue
		}
		listening[line.Listener] = line.Address
		if len(listening) == 2 {
			addresses <- listening
		}
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// await polls url until it answers 200.
func await(t *testing.T, url string) {
	t.Helper()
	last := "nothing yet"
	for deadline := time.Now().Add(startTimeout); time.Now().Before(deadline); {
		response, err := http.Get(url)
		if err == nil {
			body, _ := io.ReadAll(response.Body) // for the message below only
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
			last = fmt.Sprintf("%s: %s", response.Status, body)
		} else {
			last = err.Error()
		}
		time.Sleep(10 * time.Millisecond) // between two looks at the condition
	}
	t.Fatalf("%s is not ready: %s", url, last)
}
