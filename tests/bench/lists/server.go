// Package lists answers as kube-apiserver does who lists nodes, pods and Services by a watch
// (sendInitialEvents), in Kubernetes' own protobuf. The objects are made while they are sent, so a
// cluster may be larger than what could be created one object after the other. Nodes may change
// once they have been listed.
package lists

import (
	"context"
	"encoding/pem"
	"errors"
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
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// listed is the resourceVersion of all lists: later than that of any object in them.
const listed = 1_000_000_000

// Cluster is what there is. What is nil is empty.
type Cluster struct {
	Nodes    iter.Seq[*corev1.Node]
	Pods     iter.Seq[*corev1.Pod]
	Services iter.Seq[*corev1.Service]
}

// Server serves a cluster. Prepare is for one caller at a time, all else is thread-safe.
type Server struct {
	server   *httptest.Server
	nodes    *history
	prepared int // changes of nodes so far
}

// Start serves the cluster by TLS to everybody. The caller closes it.
func Start(cluster Cluster) *Server {
	nodes := newHistory()
	mux := http.NewServeMux()
	mux.Handle("GET /api/v1/nodes", watchOf(cluster.Nodes, &corev1.Node{}, nodes))
	mux.Handle("GET /api/v1/pods", watchOf(cluster.Pods, &corev1.Pod{}, newHistory()))
	mux.Handle("GET /api/v1/services", watchOf(cluster.Services, &corev1.Service{}, newHistory()))
	return &Server{server: httptest.NewTLSServer(mux), nodes: nodes}
}

// Close ends all watches, which do not end by themselves.
func (s *Server) Close() {
	s.server.CloseClientConnections()
	s.server.Close()
}

// WriteKubeconfig writes a file by which clients reach the server and verify it.
func (s *Server) WriteKubeconfig(path string) error {
	config := api.NewConfig()
	config.Clusters["lists"] = &api.Cluster{
		Server: s.server.URL,
		CertificateAuthorityData: pem.EncodeToMemory(
			&pem.Block{Type: "CERTIFICATE", Bytes: s.server.Certificate().Raw}),
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

// request is what a client wants of a watch.
type request struct {
	lists  bool // all that there is, at first
	seen   int  // how many of the events since then it knows
	length time.Duration
}

func parse(r *http.Request) (request, error) {
	if r.FormValue("watch") != "true" ||
		!strings.Contains(r.Header.Get("Accept"), runtime.ContentTypeProtobuf) {
		return request{}, errors.New("only watches are served, in " + runtime.ContentTypeProtobuf)
	}
	seconds, err := strconv.Atoi(r.FormValue("timeoutSeconds"))
	if err != nil {
		return request{}, fmt.Errorf("timeoutSeconds: %w", err)
	}
	asked := request{lists: r.FormValue("sendInitialEvents") == "true",
		length: time.Duration(seconds) * time.Second}
	if asked.lists {
		return asked, nil
	}
	version, err := strconv.Atoi(r.FormValue("resourceVersion"))
	if err != nil {
		return request{}, fmt.Errorf("resourceVersion: %w", err)
	}
	asked.seen = version - listed
	return asked, nil
}

// watchOf serves watches that begin with all objects or after a resourceVersion. bookmark is an
// empty object, with which the server says that these were all.
func watchOf[T object](objects iter.Seq[T], bookmark T, changes *history) http.HandlerFunc {
	bookmark.SetResourceVersion(strconv.Itoa(listed))
	bookmark.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	return func(w http.ResponseWriter, r *http.Request) {
		asked, err := parse(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if _, _, err := changes.since(asked.seen); err != nil {
			http.Error(w, err.Error(), http.StatusGone) // as kube-apiserver tells of "Expired"
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), asked.length)
		defer cancel()
		stream, err := newStream(w)
		if err == nil && asked.lists {
			err = sendAll(stream, objects, bookmark)
		}
		if err == nil {
			changes.follow(ctx, stream, asked.seen)
		} // else the client is gone
	}
}

func sendAll[T object](stream *stream, objects iter.Seq[T], bookmark T) error {
	if objects != nil {
		for each := range objects {
			if err := stream.encode(watch.Added, each); err != nil {
				return err
			}
		}
	}
	if err := stream.encode(watch.Bookmark, bookmark); err != nil {
		return err
	}
	return stream.flush()
}
