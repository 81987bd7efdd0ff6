package gangs

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	preflightLabel     = "berth.dev/preflight"
	preflightCondition = "GPURuntimeError"
	preflightImage     = "registry.example/stand-in:1"
	ownReason          = "ActiveCheckPassed" // Berth leaves conditions of others alone
	address            = "10.9.8.7"
)

// preflighting has a controller in place of the usual one that runs a preflight of each gang on three
// nodes or more.
func preflighting(w *world, timeout time.Duration) *box.Controller {
	w.Helper()
	w.away(controller.Process)
	w.Check("create a PriorityClass",
		shared.CreatePriorityClass(w.Context(), box.ChecksPriorityClass, box.ChecksPriority))
	w.setPreflightConditions(w.Context())
	settings := config(30 * time.Second)
	settings["planner"].(map[string]any)["gangs"].(map[string]any)["preflight"] = map[string]any{
		"image": preflightImage, "minNodes": 3, "condition": preflightCondition,
		"timeout": timeout.String()}
	name := "preflight-" + strings.ToLower(w.Name())
	settings["controller"].(map[string]any)["lease"].(map[string]any)["name"] = name
	made, err := shared.NewController(name, settings)
	w.Check("make a controller", err)
	w.Check("grant its rights", shared.GrantController(w.Context(), made))
	w.Cleanup(func() {
		made.Stop()
		ctx := context.Background()
		w.Check("grant the usual rights", shared.GrantController(ctx, controller))
		w.Check("delete the pods of preflights", shared.Client.CoreV1().Pods(metav1.NamespaceDefault).
			DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: new(int64)},
				metav1.ListOptions{LabelSelector: preflightLabel}))
		w.setPreflightConditions(ctx)
	})
	w.Check("start the controller", made.Start(w.Context()))
	return made
}

// setPreflightConditions has each node look as if checks had passed there an hour ago.
func (w *world) setPreflightConditions(ctx context.Context) {
	w.Helper()
	before := metav1.NewTime(time.Now().Add(-time.Hour))
	for i := range nodes {
		node := pool().NodeName(i)
		w.Check("patch "+node, fleet.PatchCondition(ctx, shared.Client, node, corev1.NodeCondition{
			Type: preflightCondition, Status: corev1.ConditionFalse, Reason: ownReason,
			LastHeartbeatTime: before, LastTransitionTime: before}))
	}
}

func (w *world) preflightPods() []corev1.Pod {
	w.Helper()
	list, err := shared.Client.CoreV1().Pods(metav1.NamespaceDefault).List(w.Context(),
		metav1.ListOptions{LabelSelector: preflightLabel})
	w.Check("list pods", err)
	return list.Items
}

// standIn plays the programs that run, of which each waits for all the others: those on the broken
// node say that it is at fault, and the others fail because of it.
func (w *world) standIn(broken string) {
	w.Helper()
	for _, pod := range w.preflightPods() {
		if pod.Status.Phase == corev1.PodRunning {
			w.setStatus(pod, endOf(pod, broken))
		}
	}
}

// giveAddress plays kubelet, which says a pod's address when it runs.
func (w *world) giveAddress(pod corev1.Pod) {
	w.Helper()
	if pod.Status.Phase == corev1.PodRunning {
		w.setStatus(pod, corev1.PodStatus{PodIP: address, PodIPs: []corev1.PodIP{{IP: address}}})
	}
}

// setStatus changes what the status names. The pod may be gone.
func (w *world) setStatus(pod corev1.Pod, status corev1.PodStatus) {
	w.Helper()
	patch, err := json.Marshal(map[string]any{"status": status})
	w.Check("write a status", err)
	_, err = shared.Client.CoreV1().Pods(pod.Namespace).Patch(w.Context(), pod.Name,
		types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	if !apierrors.IsNotFound(err) {
		w.Check("write the status of "+pod.Name, err)
	}
}

func endOf(pod corev1.Pod, broken string) corev1.PodStatus {
	phase, reason, code := corev1.PodSucceeded, "Completed", int32(0)
	if broken != "" {
		phase, reason, code = corev1.PodFailed, "Error", 1
	}
	if pod.Spec.NodeName == broken {
		code = 3
	}
	return corev1.PodStatus{Phase: phase, ContainerStatuses: []corev1.ContainerStatus{{Name: "check",
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: code, Reason: reason}}}}}
}

func envOf(pod corev1.Pod, name string) string {
	for _, env := range pod.Spec.Containers[0].Env {
		if env.Name == name {
			return env.Value
		}
	}
	return ""
}

// awaitPreflight waits until so many pods run on the nodes of a gang, which is held meanwhile, and
// returns the nodes.
func (w *world) awaitPreflight(gang string, count int) map[string]bool {
	w.Helper()
	on := map[string]bool{}
	w.Await("a preflight on the nodes of "+gang, func() bool {
		pods := w.preflightPods()
		if len(pods) == 1 { // the others begin when it has an address
			w.giveAddress(pods[0])
		}
		clear(on)
		for _, pod := range pods {
			if pod.Status.Phase == corev1.PodRunning {
				on[pod.Spec.NodeName] = true
			}
		}
		// Not those of an earlier one.
		return len(on) == count && !slices.ContainsFunc(w.pods(gang), func(pod corev1.Pod) bool {
			return !on[pod.Status.NominatedNodeName]
		})
	})
	for _, pod := range w.pods(gang) {
		if !isGated(pod) {
			w.Errorf("%s has no gate any more while the preflight runs", pod.Name)
		}
	}
	return on
}

func (w *world) expectPreflights(c *box.Controller, want map[string]float64) {
	w.Helper()
	samples, err := c.Metrics(w.Context())
	w.Check("scrape the controller", err)
	for _, result := range []string{"passed", "failed", "unclear", "not_run", "dropped"} {
		got := samples.Sum("berth_gang_preflights_total", `result="`+result+`"`)
		if got != want[result] {
			w.Errorf("%v preflights have the result %s, want %v", got, result, want[result])
		}
	}
}

func TestAGangRunsOnceItsPreflightHasPassed(t *testing.T) {
	w := fresh(t)
	c := preflighting(w, time.Minute)
	w.create(members("train", 4, devices)...)
	on := w.awaitPreflight("train-", 4)
	for _, pod := range w.preflightPods() {
		resources := pod.Spec.Containers[0].Resources.Requests
		if got := resources[corev1.ResourceName(fleet.ResourceGPU)]; got.Value() != devices {
			t.Errorf("%s has %s devices, want %d", pod.Name, got.String(), devices)
		}
		if got := envOf(pod, "MASTER_ADDR"); envOf(pod, "RANK") != "0" && got != address {
			t.Errorf("%s looks for the first pod at %q", pod.Name, got)
		}
	}
	w.standIn("")
	for _, pod := range w.all("train-", 4, "run", isRunning) {
		if !on[pod.Spec.NodeName] {
			t.Errorf("%s runs on %s, which was not checked", pod.Name, pod.Spec.NodeName)
		}
	}
	if left := w.preflightPods(); len(left) > 0 {
		t.Errorf("%d pods of the preflight are left", len(left))
	}
	w.expectPreflights(c, map[string]float64{"passed": 1})
}

func TestAGangMovesAwayFromANodeThatFailsItsPreflight(t *testing.T) {
	w := fresh(t)
	c := preflighting(w, time.Minute)
	w.create(members("train", 4, devices)...)
	w.awaitPreflight("train-", 4)
	lost := w.preflightPods()[1].Spec.NodeName
	w.standIn(lost)
	w.Await("the preflight to fail", func() bool {
		samples, err := c.Metrics(w.Context())
		return err == nil && samples.Sum("berth_gang_preflights_total", `result="failed"`) == 1
	})
	w.some("train-", 4, 4, "have other nodes", func(pod corev1.Pod) bool {
		return isGated(pod) && isNominated(pod) && pod.Status.NominatedNodeName != lost
	})
	if w.awaitPreflight("train-", 4)[lost] {
		t.Errorf("%s is checked again, which has failed", lost)
	}
	w.standIn("")
	w.expectNobodyOn(lost, w.all("train-", 4, "run", isRunning))
	w.expectPreflights(c, map[string]float64{"failed": 1, "passed": 1})
	node, err := shared.Client.CoreV1().Nodes().Get(t.Context(), lost, metav1.GetOptions{})
	w.Check("get "+lost, err)
	for _, condition := range node.Status.Conditions {
		if condition.Type == preflightCondition && condition.Status != corev1.ConditionTrue {
			t.Errorf("%s has the condition %+v", lost, condition)
		}
	}
}

// It told nothing, so the gang runs all the same.
func TestAPreflightThatNeverEndsIsGivenUp(t *testing.T) {
	w := fresh(t)
	c := preflighting(w, 3*time.Second)
	w.create(members("train", 3, devices)...)
	w.awaitPreflight("train-", 3)
	w.all("train-", 3, "run", isRunning)
	if left := w.preflightPods(); len(left) > 0 {
		t.Errorf("%d pods of the preflight are left", len(left))
	}
	w.expectPreflights(c, map[string]float64{"not_run": 1})
}

func TestAPreflightGoesOnWhenTheControllerIsStartedAgain(t *testing.T) {
	w := fresh(t)
	c := preflighting(w, time.Minute)
	w.create(members("train", 3, devices)...)
	w.awaitPreflight("train-", 3)
	began := map[types.UID]bool{}
	for _, pod := range w.preflightPods() {
		began[pod.UID] = true
	}
	c.Stop()
	w.back(c.Process)
	w.awaitPhaseOf(c, "planned")
	for _, pod := range w.preflightPods() {
		if !began[pod.UID] {
			t.Errorf("%s has begun anew", pod.Name)
		}
	}
	w.standIn("")
	w.all("train-", 3, "run", isRunning)
	w.expectPreflights(c, map[string]float64{"passed": 1})
}

func TestASmallGangHasNoPreflightUnlessItAsks(t *testing.T) {
	w := fresh(t)
	c := preflighting(w, time.Minute)
	w.create(members("small", 2, devices)...)
	w.all("small-", 2, "run", isRunning)
	w.expectPreflights(c, nil)
	asking := members("asking", 2, devices)
	for _, pod := range asking {
		pod.Annotations["berth.dev/gang-preflight"] = "true"
	}
	w.create(asking...)
	w.awaitPreflight("asking-", 2)
	w.standIn("")
	w.all("asking-", 2, "run", isRunning)
	w.expectPreflights(c, map[string]float64{"passed": 1})
}
