package main

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
)

// api is an API server of nodes that change as fast as they are told to. All that costs time is
// done before, so that what is measured is Berth's work and not an API server's.
type api struct {
	server *httptest.Server

	mu      sync.Mutex
	log     [][]byte      // frames of the nodes' watch; a resource version is how many there were
	changed chan struct{} // closed when log grows
}

// startAPI serves these nodes, and neither pods nor Services. The caller closes it.
func startAPI(nodes []*corev1.Node) (*api, error) {
	end := metav1.ObjectMeta{ResourceVersion: versionOf(0),
		Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}}
	initial, err := listing(nodes, &corev1.Node{ObjectMeta: end})
	if err != nil {
		return nil, err
	}
	nothing, err := listing(nil, &corev1.Pod{ObjectMeta: end})
	if err != nil {
		return nil, err
	}
	a := &api{changed: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/nodes", serve(initial, a.follow))
	mux.HandleFunc("GET /api/v1/pods", serve(nothing, func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
	}))
	a.server = httptest.NewServer(mux)
	return a, nil
}

// Close ends all watches.
func (a *api) Close() {
	a.server.CloseClientConnections()
	a.server.Close()
}

// Tell has those who watch see the frames.
func (a *api) Tell(frames [][]byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.log = append(a.log, frames...)
	close(a.changed)
	a.changed = make(chan struct{})
}

// serve answers watches, which begin with what there is if they ask for it. It has no lists.
func serve(initial []byte, follow http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") == "" {
			http.Error(w, "only watches", http.StatusNotImplemented)
			return
		}
		w.Header().Set("Content-Type", runtime.ContentTypeProtobuf+";stream=watch")
		if r.URL.Query().Get("sendInitialEvents") == "true" {
			_, _ = w.Write(initial) // a client that leaves needs no more
		}
		w.(http.Flusher).Flush()
		follow(w, r)
	}
}

// follow writes the log from the request's resource version on.
func (a *api) follow(w http.ResponseWriter, r *http.Request) {
	next := 0
	if version, err := strconv.Atoi(r.URL.Query().Get("resourceVersion")); err == nil {
		next = version - firstVersion
	}
	for {
		a.mu.Lock()
		frames, changed := a.log[next:], a.changed
		a.mu.Unlock()
		next += len(frames)
		if _, err := w.Write(bytes.Join(frames, nil)); err != nil {
			return
		}
		w.(http.Flusher).Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// firstVersion, because 0 means any version.
const firstVersion = 1

// versionOf is the resource version after so many frames.
func versionOf(frames int) string { return strconv.Itoa(firstVersion + frames) }

// replacement is the events by which one list of nodes becomes another: of each pair the first is
// deleted and the second made. before is how many frames the log has by then.
func replacement(old, new []*corev1.Node, before int) ([][]byte, error) {
	var frames [][]byte
	for i := range old {
		for _, event := range []struct {
			kind watch.EventType
			node *corev1.Node
		}{{watch.Deleted, old[i]}, {watch.Added, new[i]}} {
			node := event.node.DeepCopy()
			node.ResourceVersion = versionOf(before + len(frames) + 1)
			frame, err := encodeEvent(event.kind, node)
			if err != nil {
				return nil, err
			}
			frames = append(frames, frame)
		}
	}
	return frames, nil
}

// listing is the events by which a watch tells what there is, and by a bookmark that this is all.
func listing(nodes []*corev1.Node, bookmark runtime.Object) ([]byte, error) {
	var frames []byte
	for _, node := range nodes {
		frame, err := encodeEvent(watch.Added, node)
		if err != nil {
			return nil, err
		}
		frames = append(frames, frame...)
	}
	frame, err := encodeEvent(watch.Bookmark, bookmark)
	return append(frames, frame...), err
}

// encodeEvent is a frame of a watch: its length and the event.
// k8s.io/apimachinery/pkg/runtime/serializer/protobuf, LengthDelimitedFramer.
func encodeEvent(kind watch.EventType, object runtime.Object) ([]byte, error) {
	kinds, _, err := scheme.Scheme.ObjectKinds(object)
	if err != nil {
		return nil, err
	}
	object.GetObjectKind().SetGroupVersionKind(kinds[0])
	var raw bytes.Buffer
	err = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(object, &raw)
	if err != nil {
		return nil, err
	}
	event := metav1.WatchEvent{Type: string(kind), Object: runtime.RawExtension{Raw: raw.Bytes()}}
	content, err := event.Marshal()
	if err != nil {
		return nil, err
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(content))), content...), nil
}
