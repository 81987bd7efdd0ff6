package box

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
)

// PatchOperation is one of RFC 6902.
type PatchOperation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// Mutator is a mutating webhook for pods beside Berth's. Thread-safe.
type Mutator struct {
	URL string

	server *httptest.Server
}

// StartMutator serves a webhook that does to every pod what patch says; nil does nothing.
func (b *Box) StartMutator(name string, patch func(*corev1.Pod) []PatchOperation) (*Mutator, error) {
	serving, err := b.ca.Server(name)
	if err != nil {
		return nil, err
	}
	pair, err := tls.LoadX509KeyPair(serving.CertFile, serving.KeyFile)
	if err != nil {
		return nil, err
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) { answerReview(w, r, patch) }))
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	server.StartTLS()
	return &Mutator{URL: server.URL, server: server}, nil
}

// Stop ends the server. kube-apiserver keeps asking until Deregister.
func (m *Mutator) Stop() {
	m.server.CloseClientConnections()
	m.server.Close()
}

func answerReview(
	w http.ResponseWriter, r *http.Request, patch func(*corev1.Pod) []PatchOperation,
) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
		http.Error(w, fmt.Sprintf("no review: %v", err), http.StatusBadRequest)
		return
	}
	response, err := respond(review.Request, patch)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	review.Request, review.Response = nil, response
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(review) // kube-apiserver notices what is missing
}

func respond(
	request *admissionv1.AdmissionRequest, patch func(*corev1.Pod) []PatchOperation,
) (*admissionv1.AdmissionResponse, error) {
	response := &admissionv1.AdmissionResponse{UID: request.UID, Allowed: true}
	if patch == nil {
		return response, nil
	}
	var pod corev1.Pod
	if err := json.Unmarshal(request.Object.Raw, &pod); err != nil {
		return nil, err
	}
	operations := patch(&pod)
	if len(operations) == 0 {
		return response, nil
	}
	var err error
	response.Patch, err = json.Marshal(operations)
	response.PatchType = new(admissionv1.PatchTypeJSONPatch)
	return response, err
}
