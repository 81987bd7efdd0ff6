package contract

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// newAPIServer serves lists of these nodes and pods as Kubernetes' own serializer writes them, and
// watches on which nothing ever happens. It refuses to list by a watch, as an API server does where
// the feature gate WatchList is off. It closes with the test.
func newAPIServer(t *testing.T, nodes []corev1.Node, pods []corev1.Pod) string {
	t.Helper()
	meta := metav1.ListMeta{ResourceVersion: "7"}
	forbidden := encode(t, protobufEncoder, &metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid,
		Message: "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
	})
	mux := http.NewServeMux()
	serve := func(path string, list runtime.Object) {
		body := encode(t, protobufEncoder, list)
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("watch") == "" {
				w.Header().Set("Content-Type", runtime.ContentTypeProtobuf)
				_, _ = w.Write(body) // a client that went away is none of this server's business
				return
			}
			if r.URL.Query().Has("sendInitialEvents") {
				w.Header().Set("Content-Type", runtime.ContentTypeProtobuf)
				w.WriteHeader(http.StatusUnprocessableEntity)
				_, _ = w.Write(forbidden)
				return
			}
			w.Header().Set("Content-Type", runtime.ContentTypeProtobuf+";stream=watch")
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		})
	}
	serve("/api/v1/nodes", &corev1.NodeList{ListMeta: meta, Items: nodes})
	serve("/api/v1/pods", &corev1.PodList{ListMeta: meta, Items: pods})
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// kubeconfigFor points at a plain loopback server without credentials.
func kubeconfigFor(url string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: test
clusters: [{name: test, cluster: {server: %q}}]
users: [{name: test, user: {}}]
contexts: [{name: test, context: {cluster: test, user: test}}]
`, url)
}
