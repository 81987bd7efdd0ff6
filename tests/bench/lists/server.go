// Package lists answers as kube-apiserver does who lists nodes, pods and Services by a watch
// (sendInitialEvents), in Kubernetes' own protobuf. The objects are made while they are sent, so a
// cluster may be larger than what could be created one object after the other. Nothing changes in
// it.
package lists

import (
	"encoding/pem"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// now is the resourceVersion of all lists: later than that of any object.
const now = "1000000000"

// Cluster is what there is. What is nil is empty.
type Cluster struct {
	Nodes    iter.Seq[*corev1.Node]
	Pods     iter.Seq[*corev1.Pod]
	Services iter.Seq[*corev1.Service]
}

// Start serves the cluster by TLS to everybody. The caller closes it.
func Start(cluster Cluster) *httptest.Server {
	mux := http.NewServeMux()
	mux.Handle("GET /api/v1/nodes", watchOf(cluster.Nodes, &corev1.Node{}))
	mux.Handle("GET /api/v1/pods", watchOf(cluster.Pods, &corev1.Pod{}))
	mux.Handle("GET /api/v1/services", watchOf(cluster.Services, &corev1.Service{}))
	return httptest.NewTLSServer(mux)
}

// WriteKubeconfig writes a file by which clients reach the server and verify it.
func WriteKubeconfig(server *httptest.Server, path string) error {
	config := api.NewConfig()
	config.Clusters["lists"] = &api.Cluster{
		Server: server.URL,
		CertificateAuthorityData: pem.EncodeToMemory(
			&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
	}
	config.AuthInfos["anyone"] = &api.AuthInfo{Token: "anyone"}
	config.Contexts["lists"] = &api.Context{Cluster: "lists", AuthInfo: "anyone"}
	config.CurrentContext = "lists"
	return clientcmd.WriteToFile(*config, path)
}

// object is what Kubernetes keeps.
type object interface {
	runtime.Object
	metav1.Object
}

// watchOf serves watches that may begin with all objects. bookmark is an empty object, with which
// the server says that these were all.
func watchOf[T object](objects iter.Seq[T], bookmark T) http.HandlerFunc {
	bookmark.SetResourceVersion(now)
	bookmark.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	return func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("watch") != "true" ||
			!strings.Contains(r.Header.Get("Accept"), runtime.ContentTypeProtobuf) {
			http.Error(w, "only watches are served, in "+runtime.ContentTypeProtobuf,
				http.StatusBadRequest)
			return
		}
		seconds, err := strconv.Atoi(r.FormValue("timeoutSeconds"))
		if err != nil {
			http.Error(w, fmt.Sprintf("timeoutSeconds: %v", err), http.StatusBadRequest)
			return
		}
		stream, err := newStream(w)
		if err == nil && r.FormValue("sendInitialEvents") == "true" {
			err = sendAll(stream, objects, bookmark)
		}
		if err != nil {
			return // the client is gone
		}
		select {
		case <-r.Context().Done():
		case <-time.After(time.Duration(seconds) * time.Second):
		}
	}
}

func sendAll[T object](stream *stream, objects iter.Seq[T], bookmark T) error {
	if objects != nil {
		for each := range objects {
			if err := stream.send("ADDED", each); err != nil {
				return err
			}
		}
	}
	if err := stream.send("BOOKMARK", bookmark); err != nil {
		return err
	}
	return stream.flush()
}
