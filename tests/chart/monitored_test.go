package chart

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	nodesPerPool = 2
	// unscheduled is the schedulerName of pods that only the test binds.
	unscheduled = "nobody"
)

// monitored is a control plane with all of Berth's parts, and a Prometheus that scrapes them.
type monitored struct {
	*testing.T
	box        *box.Box
	admission  *box.Admission
	prometheus *box.Prometheus
	created    int
	broken     bool
	changed    time.Time // when it was broken or repaired
}

func startMonitored(t *testing.T) *monitored {
	t.Helper()
	b := box.ForTest(t, box.Options{Stages: fleet.Stages, Berth: &box.BerthOptions{
		// One policy refuses nothing and says what it would.
		Config: map[string]any{"scheduling": map[string]any{"policies": map[string]any{
			"accelerator": map[string]any{"mode": "Observe"}}}},
	}})
	w := &monitored{T: t, box: b}
	w.check("create nodes", fleet.CreateNodes(t.Context(), b.Client, fleet.Small(nodesPerPool)))
	w.check("break a node", fleet.SetCondition(t.Context(), b.Client,
		fleet.Small(nodesPerPool)[0].NodeName(0), "GPUIsLost", true))
	controller := w.startController()
	w.startAdmission()
	var err error
	w.prometheus, err = b.NewPrometheus(map[string]string{"extender": b.Berth.MetricsURL,
		"admission": w.admission.MetricsURL, "controller": controller.MetricsURL})
	w.check("configure Prometheus", err)
	w.check("start Prometheus", w.prometheus.Start(t.Context()))
	return w
}

func (w *monitored) startController() *box.Controller {
	w.Helper()
	controller, err := w.box.NewController("controller", map[string]any{
		"controller": map[string]any{
			"lease": map[string]any{"namespace": metav1.NamespaceDefault},
			"certificates": map[string]any{"servers": []any{
				map[string]any{"secret": "berth-admission-tls", "hosts": []string{"localhost"}}}},
		},
		// Nobody schedules these pods, so what is nominated stands until somebody looks.
		"planner": map[string]any{"schedulers": []string{unscheduled},
			"backlog":  map[string]any{"enabled": true, "pods": 0},
			"gangs":    map[string]any{"enabled": true, "schedulerLeases": []string{}},
			"topology": []any{map[string]any{"label": corev1.LabelTopologyZone}}}})
	w.check("configure the controller", err)
	w.check("start the controller", errors.Join(w.box.GrantController(w.Context(), controller),
		controller.Start(w.Context())))
	return controller
}

func (w *monitored) startAdmission() {
	w.Helper()
	for _, mode := range []string{"enforce", "warn"} {
		_, err := w.box.Client.CoreV1().Namespaces().Create(w.Context(), &corev1.Namespace{
			ObjectMeta: metav1.ObjectMeta{Name: mode, Labels: map[string]string{
				box.LabelAdmission: mode}}}, metav1.CreateOptions{})
		w.check("create a namespace", err)
	}
	var err error
	w.admission, err = w.box.NewAdmission("admission", nil)
	w.check("configure the webhook", err)
	w.check("start the webhook", w.admission.Start(w.Context()))
	w.check("register the webhook", w.box.RegisterAdmission(w.Context(),
		box.Registration{Name: "berth", Probe: "warn"}, w.admission))
}

func (w *monitored) check(what string, err error) {
	w.Helper()
	if err != nil {
		w.Fatalf("%s: %v", what, err)
	}
}

// traffic is what every metric that the dashboard shows counts, once.
func (w *monitored) traffic() {
	w.Helper()
	ask := fleet.Ask{Name: "any", Resource: "nvidia.com/gpu", Devices: 1, Cores: 1, MemoryGiB: 1}
	w.create(metav1.NamespaceDefault, ask.Pod)
	ask.Accelerators = []string{"A100"}
	w.create(metav1.NamespaceDefault, ask.Pod)
	for _, namespace := range []string{"enforce", "warn"} {
		w.create(namespace, withoutLimits)
	}
	w.breakAndRepair()
	w.plan()
	ask.Accelerators = []string{"P100"} // which the catalogue lacks
	if err := w.tryCreate("enforce", ask.Pod); err == nil {
		w.Error("a pod of an unknown model is not denied")
	}
	w.misbehave()
}

// breakAndRepair breaks a node or, the next time, repairs it, not so soon that the controller, which
// looks once a second, misses it.
func (w *monitored) breakAndRepair() {
	w.Helper()
	if time.Since(w.changed) < 3*time.Second {
		return
	}
	w.broken, w.changed = !w.broken, time.Now()
	w.check("break or repair a node", fleet.SetCondition(w.Context(), w.box.Client,
		fleet.Small(nodesPerPool)[3].NodeName(0), "GPUIsLost", w.broken))
}

// plan creates a pod that waits for a nomination, and one that is a gang, binds those that have one,
// and deletes those that were bound before, so that there is always room for the next.
func (w *monitored) plan() {
	w.Helper()
	ask := fleet.Ask{Name: "planned", Resource: fleet.ResourceMNCore, Devices: 1, Cores: 1, MemoryGiB: 1}
	w.create(metav1.NamespaceDefault, func(name string) *corev1.Pod {
		pod := ask.Pod(name)
		pod.Spec.SchedulerName = unscheduled
		return pod
	})
	w.create(metav1.NamespaceDefault, func(name string) *corev1.Pod {
		pod := ask.Pod(name)
		pod.Spec.SchedulerName = unscheduled
		pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "berth.dev/gang"}}
		pod.Annotations = map[string]string{"berth.dev/gang-name": name, "berth.dev/gang-size": "1"}
		return pod
	})
	pods := w.box.Client.CoreV1().Pods(metav1.NamespaceDefault)
	all, err := pods.List(w.Context(), metav1.ListOptions{})
	w.check("list pods", err)
	for _, pod := range all.Items {
		switch node := pod.Status.NominatedNodeName; {
		case pod.Spec.SchedulerName != unscheduled, len(pod.Spec.SchedulingGates) > 0:
		case pod.Spec.NodeName != "":
			w.check("delete a pod", pods.Delete(w.Context(), pod.Name, *metav1.NewDeleteOptions(0)))
		case node != "":
			w.check("bind a pod", pods.Bind(w.Context(), &corev1.Binding{
				ObjectMeta: metav1.ObjectMeta{Name: pod.Name},
				Target:     corev1.ObjectReference{Kind: "Node", Name: node}}, metav1.CreateOptions{}))
		}
	}
}

func (w *monitored) create(namespace string, pod func(name string) *corev1.Pod) {
	w.Helper()
	w.check("create a pod in "+namespace, w.tryCreate(namespace, pod))
}

func (w *monitored) tryCreate(namespace string, pod func(name string) *corev1.Pod) error {
	w.created++
	made := pod(fmt.Sprintf("pod-%d", w.created))
	made.Namespace = namespace
	_, err := w.box.Client.CoreV1().Pods(namespace).Create(w.Context(), made, metav1.CreateOptions{})
	return err
}

func withoutLimits(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "main", Image: "registry.example/main:1",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("10m")}}}}}}
}

// misbehave runs into the limits of servers, and trusts a certificate that it should not.
func (w *monitored) misbehave() {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), http.MethodGet, w.admission.MetricsURL, nil)
	w.check("make a request", err)
	request.Header.Set("X-Long", strings.Repeat("x", 32<<10))
	if response, err := http.DefaultClient.Do(request); err == nil {
		response.Body.Close()
	}
	if response, err := http.Get(w.admission.URL); err == nil { // of an authority nobody knows
		response.Body.Close()
		w.Error("an unknown authority is trusted")
	}
}
