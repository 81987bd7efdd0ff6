package contract

import (
	"fmt"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

const (
	corpusSeed  = 20260131
	corpusNodes = 400
	corpusPods  = 1500
)

func corpus() ([]*corev1.Node, []*corev1.Pod) {
	g := newGenerator(corpusSeed)
	nodes := []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "empty"}}}
	for i := range corpusNodes {
		nodes = append(nodes, g.node(i))
	}
	pods := []*corev1.Pod{{}}
	for i := range corpusPods {
		pods = append(pods, g.pod(i))
	}
	return nodes, pods
}

// checkObjects has all three ways into the model agree with `expected` for each object.
func checkObjects[O runtime.Object, M any](t *testing.T, kind string, objects []O, expected func(O) M) {
	t.Helper()
	var jsons, events [][]byte
	for _, object := range objects {
		jsons = append(jsons, encode(t, jsonEncoder, object))
		events = append(events, watchEvent(t, watch.Modified, object))
	}
	fromJSON := decode(t, kind+"-json", jsons)
	fromEvents := decode(t, kind+"-event", events)
	for i, object := range objects {
		want := expected(object)
		if got := as[M](t, fromJSON[i]); !reflect.DeepEqual(got, want) {
			t.Errorf("JSON of %s %d: got %+v (%s), want %+v\n%s", kind, i, got, fromJSON[i].failure(t), want, jsons[i])
		}
		event := as[struct{ Object M }](t, fromEvents[i])
		if !reflect.DeepEqual(event.Object, want) {
			t.Errorf("protobuf of %s %d: got %+v (%s), want %+v\n%s", kind, i, event.Object, fromEvents[i].failure(t), want, jsons[i])
		}
		if t.Failed() {
			return
		}
	}
}

func TestNodesDecodeAsKubernetesReadsThem(t *testing.T) {
	nodes, _ := corpus()
	checkObjects(t, "node", nodes, expectedNode)
}

func TestPodsDecodeAsKubernetesReadsThem(t *testing.T) {
	_, pods := corpus()
	checkObjects(t, "pod", pods, expectedPod)
}

// Services are read from protobuf alone.
func TestServicesDecodeAsKubernetesReadsThem(t *testing.T) {
	g := newGenerator(corpusSeed)
	list := &corev1.ServiceList{ListMeta: metav1.ListMeta{ResourceVersion: "4711"}}
	want := page[serviceModel]{Items: []serviceModel{}, ResourceVersion: "4711"}
	for i := range 20 {
		service := g.service(i)
		list.Items = append(list.Items, *service)
		want.Items = append(want.Items, expectedService(service))
		event := decode(t, "service-event", [][]byte{watchEvent(t, watch.Added, service)})[0]
		if got := as[struct{ Object serviceModel }](t, event).Object; !reflect.DeepEqual(got, expectedService(service)) {
			t.Fatalf("got %+v, want %+v", got, expectedService(service))
		}
	}
	got := decode(t, "service-page", [][]byte{encode(t, protobufEncoder, list)})[0]
	if !reflect.DeepEqual(as[page[serviceModel]](t, got), want) {
		t.Errorf("services differ: %.200s", got.line)
	}
}

type page[M any] struct {
	Items           []M
	ResourceVersion string
	Continue        string
}

func TestPagesOfLists(t *testing.T) {
	nodes, pods := corpus()
	meta := metav1.ListMeta{ResourceVersion: "4711", Continue: "token=="}
	nodeList := &corev1.NodeList{ListMeta: meta}
	wantNodes := page[nodeModel]{ResourceVersion: "4711", Continue: "token=="}
	for _, node := range nodes {
		nodeList.Items = append(nodeList.Items, *node)
		wantNodes.Items = append(wantNodes.Items, expectedNode(node))
	}
	podList := &corev1.PodList{ListMeta: meta}
	wantPods := page[podModel]{ResourceVersion: "4711", Continue: "token=="}
	for _, pod := range pods {
		podList.Items = append(podList.Items, *pod)
		wantPods.Items = append(wantPods.Items, expectedPod(pod))
	}
	gotNodes := decode(t, "node-page", [][]byte{encode(t, protobufEncoder, nodeList)})[0]
	if !reflect.DeepEqual(as[page[nodeModel]](t, gotNodes), wantNodes) {
		t.Errorf("nodes differ: %.200s", gotNodes.line)
	}
	gotPods := decode(t, "pod-page", [][]byte{encode(t, protobufEncoder, podList)})[0]
	if !reflect.DeepEqual(as[page[podModel]](t, gotPods), wantPods) {
		t.Errorf("pods differ: %.200s", gotPods.line)
	}
}

func TestAnEmptyLastPage(t *testing.T) {
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
	got := as[page[podModel]](t, decode(t, "pod-page", [][]byte{encode(t, protobufEncoder, list)})[0])
	if want := (page[podModel]{Items: []podModel{}, ResourceVersion: "1"}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestWatchEvents(t *testing.T) {
	type event struct {
		Type            string
		ResourceVersion string
		Object          *nodeModel
		Status          *struct {
			Code              int
			Reason            string
			Message           string
			RetryAfterSeconds int
		}
	}
	node := newGenerator(corpusSeed).node(1)
	for _, eventType := range []watch.EventType{watch.Added, watch.Modified, watch.Deleted} {
		got := as[event](t, decode(t, "node-event", [][]byte{watchEvent(t, eventType, node)})[0])
		if want := expectedNode(node); got.Object == nil || !reflect.DeepEqual(*got.Object, want) {
			t.Errorf("%s: got %+v, want %+v", eventType, got.Object, want)
		}
		if got.Type != string(eventType) || got.ResourceVersion != node.ResourceVersion {
			t.Errorf("%s: got %+v", eventType, got)
		}
	}

	bookmark := &corev1.Node{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "99"}}
	got := as[event](t, decode(t, "node-event", [][]byte{watchEvent(t, watch.Bookmark, bookmark)})[0])
	if got.Type != "BOOKMARK" || got.ResourceVersion != "99" || got.Object != nil {
		t.Errorf("bookmark: got %+v", got)
	}

	expired := apierrors.NewResourceExpired("too old resource version")
	got = as[event](t, decode(t, "node-event", [][]byte{watchEvent(t, watch.Error, &expired.ErrStatus)})[0])
	if got.Type != "ERROR" || got.Status == nil || got.Status.Code != 410 || got.Status.Reason != "Expired" ||
		got.Status.Message != "too old resource version" {
		t.Errorf("error: got %+v", got)
	}
}

func TestErrorReplies(t *testing.T) {
	busy := apierrors.NewTooManyRequests("slow down", 7)
	got := decode(t, "status", [][]byte{encode(t, protobufEncoder, &busy.ErrStatus)})[0]
	want := `{"code":429,"message":"slow down","reason":"TooManyRequests","retryAfterSeconds":7}`
	if string(got.line) != want {
		t.Errorf("got %s, want %s", got.line, want)
	}
}

func TestObjectsAsKubectlPrintsThem(t *testing.T) {
	g := newGenerator(corpusSeed)
	node, pod := g.node(1), g.pod(1)
	raw := func(object runtime.Object) runtime.RawExtension {
		return runtime.RawExtension{Raw: encode(t, jsonEncoder, object)}
	}
	list := &metav1.List{Items: []runtime.RawExtension{
		raw(node), raw(pod), raw(&corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "other"}}),
	}}
	list.Kind, list.APIVersion = "List", "v1"
	listed, err := runtime.Encode(jsonSerializer, list)
	if err != nil {
		t.Fatal(err)
	}
	type objects struct {
		Nodes   []nodeModel
		Pods    []podModel
		Skipped int
	}
	both := objects{[]nodeModel{expectedNode(node)}, []podModel{expectedPod(pod)}, 0}
	withOther := both
	withOther.Skipped = 1
	cases := map[string]struct {
		text string
		want objects
	}{
		"a List":      {string(listed), withOther},
		"single ones": {fmt.Sprintf("%s\n%s", raw(node).Raw, raw(pod).Raw), both},
		"typed lists": {string(encode(t, jsonEncoder, &corev1.NodeList{Items: []corev1.Node{*node}})) + string(encode(t, jsonEncoder, &corev1.PodList{Items: []corev1.Pod{*pod}})), both},
	}
	for name, c := range cases {
		got := decode(t, "objects-json", [][]byte{[]byte(c.text)})[0]
		if !reflect.DeepEqual(as[objects](t, got), c.want) {
			t.Errorf("%s: got %s, want %+v", name, got.line, c.want)
		}
	}
}
