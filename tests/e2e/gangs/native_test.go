package gangs

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/docs"
)

// Gangs whose pods wait for a PodGroup, which Berth creates last. With -native the other tests are
// about such gangs, too.

const podGroups = "/apis/scheduling.k8s.io/v1beta1/namespaces/" + namespace + "/podgroups"

// nativeWorld is the box of gangs that wait for PodGroups.
func nativeWorld(t *testing.T) *world {
	t.Helper()
	if !*native {
		t.Skip("PodGroups are of Kubernetes 1.37: -native -kube-apiserver kube-apiserver-1.37 " +
			"-kube-scheduler kube-scheduler-1.37")
	}
	return fresh(t)
}

// gateWorld is the box of gangs that wait behind gates, one for each pod.
func gateWorld(t *testing.T) *world {
	t.Helper()
	if *native {
		t.Skip("there are no gates with -native")
	}
	return fresh(t)
}

// lacksGroup tells whether a pod waits for a PodGroup that is not there, or closed.
func lacksGroup(pod corev1.Pod) bool {
	if pod.Spec.SchedulingGroup == nil || isBound(pod) {
		return false
	}
	exists, isClosed := readGroup(*pod.Spec.SchedulingGroup.PodGroupName)
	return !exists || isClosed
}

func groupExists(name string) bool {
	exists, _ := readGroup(name)
	return exists
}

// readGroup tells whether the PodGroup is there, and whether no number of pods is enough for it.
func readGroup(name string) (exists, isClosed bool) {
	var group struct {
		Spec struct {
			SchedulingPolicy struct {
				Gang struct{ MinCount int32 }
			}
		}
	}
	err := readGroups(&group, name)
	return !apierrors.IsNotFound(err), err == nil && group.Spec.SchedulingPolicy.Gang.MinCount == math.MaxInt32
}

func (w *world) awaitNoGroup(name string) {
	w.Helper()
	w.Await("the PodGroup "+name+" to be gone", func() bool { return !groupExists(name) })
}

func (w *world) haveGroupsGone() bool {
	w.Helper()
	var list struct{ Items []any }
	w.Check("list PodGroups", readGroups(&list))
	return len(list.Items) == 0
}

// readGroups reads one PodGroup by its name, or else the list of all.
func readGroups(into any, name ...string) error {
	body, err := shared.Client.CoreV1().RESTClient().Get().AbsPath(append([]string{podGroups}, name...)...).
		SetHeader("Accept", "application/json").DoRaw(context.Background())
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

func TestAPodGroupIsThereOnlyWhileItsGangIsReleased(t *testing.T) {
	w := nativeWorld(t)
	w.away(shared.Scheduler)
	const pods = 8
	group := "berth-" + w.start(gangJob("train", pods, 4))
	promised := promises(w.all("train-", pods, "are nominated and released", func(pod corev1.Pod) bool {
		return isNominated(pod) && isReleased(pod)
	}))
	for _, pod := range w.pods("train-") {
		if got := pod.Spec.SchedulingGroup; got == nil || *got.PodGroupName != group {
			t.Errorf("%s has the PodGroup %v, want %s", pod.Name, got, group)
		}
		if len(pod.Spec.SchedulingGates) > 0 {
			t.Errorf("%s has the gates %v", pod.Name, pod.Spec.SchedulingGates)
		}
	}
	w.back(shared.Scheduler)
	w.expectOn(promised, w.all("train-", pods, "run", isRunning))
	w.awaitNoGroup(group)
	w.all("train-", pods, "run on", isRunning)
}

// The one that comes instead waits for a PodGroup of its own.
func TestAPodOfAPodGroupIsReplaced(t *testing.T) {
	w := nativeWorld(t)
	const pods = 4
	w.create(members("train", pods, devices)...)
	former := w.all("train-", pods, "run", isRunning)
	w.awaitNoGroup("berth-train")
	w.delete(former[1].Name)
	w.create(members("train", pods, devices)[1])
	w.some("train-", 1, pods, "wait for a PodGroup", holdsNothing)
	w.all("train-", pods, "run", isRunning)
	w.awaitNoGroup("berth-train")
}

// Another pod has a node when kube-scheduler comes. It refuses one pod of the gang, and therefore binds
// none. Berth holds them back again, and lets them go when all fit.
func TestAGangThatKubeSchedulerRefusesIsHeldBackAgain(t *testing.T) {
	w := nativeWorld(t)
	const pods = nodes
	w.away(shared.Scheduler)
	w.create(members("train", pods, devices)...)
	released := w.all("train-", pods, "are released", isReleased)
	lost := released[0].Status.NominatedNodeName
	w.away(controller.Process)
	w.create(single("thief", lost, devices))
	w.back(shared.Scheduler)
	w.all("train-", pods, "are refused", isRefused)
	w.back(controller.Process)
	w.all("train-", pods, "hold nothing", holdsNothing)
	w.delete("thief")
	w.all("train-", pods, "run", isRunning)
}

// The controller is away while the pods of a gang end and others of the same name come.
func TestAPodGroupOfAnEarlierStartGoesFirst(t *testing.T) {
	w := nativeWorld(t)
	const pods = 4
	w.away(shared.Scheduler)
	w.create(members("train", pods, devices)...)
	w.all("train-", pods, "are released", isReleased)
	w.away(controller.Process)
	w.back(shared.Scheduler)
	for _, pod := range w.all("train-", pods, "run", isRunning) {
		w.delete(pod.Name)
	}
	w.create(members("train", pods-1, devices)...)
	w.back(controller.Process)
	w.all("train-", pods-1, "run", isRunning)
	w.awaitNoGroup("berth-train")
}

// Nobody creates their PodGroups while the controller is away, and a PodGroup has the priority of its
// pods, or kube-scheduler refuses these. The controller that comes back takes the PodGroups for Berth's.
func TestTheLinesOfTheDocumentationCreatePodGroups(t *testing.T) {
	w := nativeWorld(t)
	w.away(controller.Process)
	const pods, class = 4, "e2e-ranked"
	w.Check("create a PriorityClass", shared.CreatePriorityClass(w.Context(), class, 1000))
	ranked := members("ranked", pods, devices)
	for _, pod := range ranked {
		pod.Spec.PriorityClassName = class
	}
	w.Await("kube-apiserver to know the PriorityClass", func() bool {
		_, err := shared.Client.CoreV1().Pods(namespace).Create(w.Context(), ranked[0],
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err == nil
	})
	w.create(ranked...)
	w.create(members("plain", pods, devices)...)
	gangs := []string{"plain", "ranked"}
	for _, gang := range gangs {
		w.all(gang+"-", pods, "wait for a PodGroup", holdsNothing)
	}
	docs.Type(w.Test, shared.Kubeconfig, "docs/gangs.md", "minCount", "-n ml", "-n "+namespace)
	for _, gang := range gangs {
		w.all(gang+"-", pods, "run", isRunning)
	}
	w.back(controller.Process)
	for _, gang := range gangs {
		w.awaitNoGroup("berth-" + gang)
		w.all(gang+"-", pods, "run on", isRunning)
	}
}
