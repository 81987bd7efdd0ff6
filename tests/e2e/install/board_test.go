package install

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// What a person does: reads the address in the log, forwards the port and opens it. Here the port is
// reached without forwarding, as on the pod's own loopback.
func TestTheBoardShowsTheClusterToWhoeverHasItsAddress(t *testing.T) {
	w := release(t, values{"board": values{"enabled": true}})
	pods := w.component("board")
	if len(pods) != 1 {
		t.Fatalf("%d pods of the board", len(pods))
	}
	pod := pods[0].Name
	w.awaitReady(pod)
	printed, err := url.Parse(strings.TrimSpace(addressIn(w.logOf(pods[0], "board"))))
	w.Check("read the address in the log", err)
	if at := shared.Kubelet.Addresses("board")[pod]; printed.Host != at {
		t.Errorf("the log names %q, the board is at %s", printed.Host, at)
	}
	state := "http://" + printed.Host + "/api/state"
	if status, _ := w.fetch(state, ""); status != http.StatusUnauthorized {
		t.Errorf("without the token the answer is %d", status)
	}
	status, body := w.fetch(state, printed.Fragment)
	var told struct {
		Picture struct{ Nodes struct{ Name []string } }
	}
	w.Check("read what the board tells", json.Unmarshal(body, &told))
	if got := len(told.Picture.Nodes.Name); status != http.StatusOK || got != 5*nodesPerPool {
		t.Errorf("the answer is %d, with %d nodes", status, got)
	}
	// This port is reached over the network.
	probes := "http://" + shared.Kubelet.Addresses("probes")[pod]
	if status, _ := w.fetch(probes+"/readyz", ""); status != http.StatusOK {
		t.Errorf("kubelet's probe is answered %d", status)
	}
	if status, _ := w.fetch(probes+"/api/state", printed.Fragment); status != http.StatusNotFound {
		t.Errorf("at the port of probes the answer is %d", status)
	}
}

// addressIn is the line of a log that is an address.
func addressIn(log []string) string {
	for _, line := range log {
		if strings.HasPrefix(line, "http://") {
			return line
		}
	}
	return ""
}

// fetch returns status and body of an answer; empty: without a token.
func (w *world) fetch(address, token string) (int, []byte) {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), http.MethodGet, address, nil)
	w.Check("write a request", err)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	w.Check("ask "+address, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	w.Check("read the answer of "+address, err)
	return response.StatusCode, body
}
