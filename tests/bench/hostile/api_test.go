package main

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"berth.dev/berth/tests/e2e/fleet"
)

// Whether it speaks as an API server does is client-go's to say.
func TestAPIIsWatched(t *testing.T) {
	initialEvents := metav1.ListOptions{SendInitialEvents: new(true), AllowWatchBookmarks: true,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}
	old := fleet.Nodes(renamed(fleet.Small(1), 0), time.Now())
	next := fleet.Nodes(renamed(fleet.Small(1), 1), time.Now())
	a, err := startAPI(old)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: a.server.URL,
		ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeProtobuf}})
	if err != nil {
		t.Fatal(err)
	}
	stream, err := client.CoreV1().Nodes().Watch(t.Context(), initialEvents)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Stop()
	expect := func(kind watch.EventType, name string) {
		t.Helper()
		event := <-stream.ResultChan()
		node, isNode := event.Object.(*corev1.Node)
		if event.Type != kind || !isNode || node.Name != name {
			t.Fatalf("event %v of %v, want %s of %q", event.Type, event.Object, kind, name)
		}
	}
	for _, node := range old {
		expect(watch.Added, node.Name)
	}
	expect(watch.Bookmark, "")
	frames, err := replacement(old, next, 0)
	if err != nil {
		t.Fatal(err)
	}
	a.Tell(frames[:3])
	a.Tell(frames[3:])
	for i := range old {
		expect(watch.Deleted, old[i].Name)
		expect(watch.Added, next[i].Name)
	}
	pods, err := client.CoreV1().Pods("").Watch(t.Context(), initialEvents)
	if err != nil {
		t.Fatal(err)
	}
	defer pods.Stop()
	if event := <-pods.ResultChan(); event.Type != watch.Bookmark {
		t.Errorf("event %v of pods, want none but a bookmark", event)
	}
}
