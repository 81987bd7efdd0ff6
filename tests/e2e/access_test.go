package e2e

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	extender "k8s.io/kube-scheduler/extender/v1"

	"berth.dev/berth/tests/e2e/box"
)

// filter asks the extender as kube-scheduler does.
func (w *world) filter(
	client *http.Client, pod *corev1.Pod, nodes ...string,
) extender.ExtenderFilterResult {
	w.Helper()
	body, err := json.Marshal(extender.ExtenderArgs{Pod: pod, NodeNames: &nodes})
	w.Check("encode the request", err)
	response, err := client.Post(w.box.Berth.URL+"/filter", "application/json", bytes.NewReader(body))
	w.Check("filter", err)
	defer response.Body.Close()
	var result extender.ExtenderFilterResult
	w.Check("decode the reply", json.NewDecoder(response.Body).Decode(&result))
	return result
}

func TestLastSnapshotServesWithoutAPIServer(t *testing.T) {
	w := fresh(t)
	pool := nodesOf("mn2b-a30")
	w.breaks("GPUIsLost", "Exclude", pool[0])
	client, err := w.box.Berth.HTTPClient()
	w.Check("make a client", err)
	w.killAPIServer()
	answer := w.filter(client, gpus(1, "A30"), pool[0], pool[1])
	w.Check("start kube-apiserver", w.box.APIServer.Start(t.Context()))
	if answer.NodeNames == nil || !slices.Equal(*answer.NodeNames, pool[1:2]) {
		t.Errorf("filter answers %+v, want the node without a fault", answer)
	}
}

func TestExtenderRefusesClientsWithoutCertificate(t *testing.T) {
	w := fresh(t)
	authority, err := w.box.Berth.HTTPClient()
	w.Check("make a client", err)
	config := authority.Transport.(*http.Transport).TLSClientConfig
	anonymous := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: config.RootCAs, MinVersion: tls.VersionTLS12},
	}}
	response, err := anonymous.Post(w.box.Berth.URL+"/filter", "application/json", nil)
	if err == nil {
		response.Body.Close()
		t.Fatalf("a client without a certificate got %s", response.Status)
	}
	if !strings.Contains(err.Error(), "certificate") {
		t.Errorf("refused for another reason: %v", err)
	}
}

func TestBearerTokenIsEnoughToWatch(t *testing.T) {
	b, err := startBox(t.Context(), &box.BerthOptions{Kubeconfig: (*box.Box).BerthTokenKubeconfig})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Stop)
	w := newWorld(t, b)
	w.breaks("DStateProcess", "Exclude", nodesOf("mn3")...)
	w.refused(mnCores(1))
}
