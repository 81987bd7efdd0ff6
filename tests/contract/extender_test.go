package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// The extender is spoken to with kube-scheduler's own types; replies may have no field that these
// types lack.

func gpuNode(name, product string, conditions ...corev1.NodeCondition) corev1.Node {
	devices := corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}
	return corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{"nvidia.com/gpu.product": product},
		},
		Status: corev1.NodeStatus{
			Capacity: devices, Allocatable: devices, Conditions: conditions,
		},
	}
}

func condition(kind corev1.NodeConditionType, status corev1.ConditionStatus) corev1.NodeCondition {
	return corev1.NodeCondition{
		Type: kind, Status: status,
		LastTransitionTime: metav1.NewTime(time.Now().Add(-3 * time.Hour)),
		LastHeartbeatTime:  metav1.Now(),
	}
}

func gpuPod(name string, devices int, annotations map[string]string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "team", UID: "uid-1", Annotations: annotations,
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "train",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				"nvidia.com/gpu": resource.MustParse(fmt.Sprint(devices)),
			}},
		}}},
	}
}

func argsFor(pod *corev1.Pod, names ...string) extenderv1.ExtenderArgs {
	names = append([]string{}, names...) // empty, never nil: as kube-scheduler makes it
	return extenderv1.ExtenderArgs{Pod: pod, NodeNames: &names}
}

// post returns the status and body of a reply.
func post(t *testing.T, url string, body []byte) (int, []byte) {
	t.Helper()
	response, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, reply
}

// ask posts what kube-scheduler would and decodes the reply strictly.
func ask[Result any](t *testing.T, url string, args any) Result {
	t.Helper()
	body, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	status, reply := post(t, url, body)
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, reply)
	}
	decoder := json.NewDecoder(bytes.NewReader(reply))
	decoder.DisallowUnknownFields()
	var result Result
	if err := decoder.Decode(&result); err != nil {
		t.Fatalf("%v in %s", err, reply)
	}
	return result
}

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestExtender(t *testing.T) {
	bound := gpuPod("bound", 6, nil)
	bound.Spec.NodeName = "started"
	url := startBerth(t, []corev1.Node{
		gpuNode("empty", "NVIDIA-A30", condition("GPUIsLost", corev1.ConditionFalse)),
		gpuNode("started", "NVIDIA-A30"),
		gpuNode("lost", "NVIDIA-A30", condition("GPUIsLost", corev1.ConditionTrue)),
		gpuNode("v100", "Tesla-V100-SXM2-32GB"),
	}, []corev1.Pod{*bound})
	filter := func(t *testing.T, args any) extenderv1.ExtenderFilterResult {
		return ask[extenderv1.ExtenderFilterResult](t, url+"/filter", args)
	}

	for unsatisfiable, want := range map[corev1.UnsatisfiableConstraintAction]string{
		corev1.DoNotSchedule:  "started",            // the best
		corev1.ScheduleAnyway: "started empty v100", // kube-scheduler spreads by its own scores
	} {
		t.Run("filter keeps what fits, "+string(unsatisfiable), func(t *testing.T) {
			pod := gpuPod("p", 1, map[string]string{"berth.dev/accelerators": "A30,V100"})
			pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1,
				TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: unsatisfiable}}
			result := filter(t, argsFor(pod, "lost", "started", "empty", "v100"))
			if result.Error != "" || result.NodeNames == nil ||
				strings.Join(*result.NodeNames, " ") != want {
				t.Errorf("got %v and error %q, want %s", result.NodeNames, result.Error, want)
			}
			if len(result.FailedNodes)+len(result.FailedAndUnresolvableNodes) != 0 {
				t.Errorf("failed nodes are listed although some fit: %+v", result)
			}
		})
	}

	t.Run("filter lists every refusal where none fits", func(t *testing.T) {
		pod := gpuPod("p", 1, map[string]string{"berth.dev/accelerators": "A30"})
		result := filter(t, argsFor(pod, "lost", "v100", "nobody"))
		if result.NodeNames == nil || len(*result.NodeNames) != 0 || result.Error != "" {
			t.Errorf("got %+v", result)
		}
		want := extenderv1.FailedNodesMap{
			"lost":   "node(s) had condition GPUIsLost",
			"v100":   "node(s) had accelerator V100, not one the pod asks for",
			"nobody": "node(s) were unknown to Berth",
		}
		if fmt.Sprint(result.FailedAndUnresolvableNodes) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", result.FailedAndUnresolvableNodes, want)
		}
	})

	t.Run("filter of no names", func(t *testing.T) {
		result := filter(t, argsFor(gpuPod("p", 1, nil)))
		if result.NodeNames == nil || len(*result.NodeNames) != 0 || result.Error != "" {
			t.Errorf("got %+v", result)
		}
	})

	t.Run("prioritize ranks within the request", func(t *testing.T) {
		result := ask[extenderv1.HostPriorityList](t, url+"/prioritize",
			argsFor(gpuPod("p", 2, nil), "empty", "started", "nobody"))
		want := extenderv1.HostPriorityList{{Host: "empty"},
			{Host: "started", Score: extenderv1.MaxExtenderPriority}, {Host: "nobody"}}
		if fmt.Sprint(result) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", result, want)
		}
	})

	t.Run("whole nodes are judged as they stand and come back whole", func(t *testing.T) {
		planned := gpuNode("planned", "NVIDIA-A30", condition("GPUIsLost", corev1.ConditionFalse))
		broken := gpuNode("empty", "NVIDIA-A30", condition("GPUIsLost", corev1.ConditionTrue))
		result := filter(t, extenderv1.ExtenderArgs{
			Pod: gpuPod("p", 1, nil), Nodes: &corev1.NodeList{Items: []corev1.Node{planned, broken}},
		})
		if result.Error != "" || result.Nodes == nil ||
			jsonOf(t, result.Nodes.Items) != jsonOf(t, []corev1.Node{planned}) {
			t.Errorf("got %+v", result)
		}
		result = filter(t, extenderv1.ExtenderArgs{
			Pod: gpuPod("p", 1, nil), Nodes: &corev1.NodeList{Items: []corev1.Node{broken}},
		})
		if result.Nodes == nil || len(result.Nodes.Items) != 0 ||
			result.FailedAndUnresolvableNodes["empty"] != "node(s) had condition GPUIsLost" {
			t.Errorf("got %+v", result)
		}
	})

	t.Run("preempt keeps the nodes where it helps, victims unchanged", func(t *testing.T) {
		victims := &extenderv1.MetaVictims{Pods: []*extenderv1.MetaPod{{UID: "u-1"}, {UID: "u-2"}}, NumPDBViolations: 1}
		result := ask[extenderv1.ExtenderPreemptionResult](t, url+"/preempt", extenderv1.ExtenderPreemptionArgs{
			Pod: gpuPod("p", 1, nil),
			NodeNameToMetaVictims: map[string]*extenderv1.MetaVictims{
				"started": victims, "nobody": victims, "empty": {},
			},
		})
		want := map[string]*extenderv1.MetaVictims{"started": victims}
		if jsonOf(t, result.NodeNameToMetaVictims) != jsonOf(t, want) {
			t.Errorf("got %+v", result.NodeNameToMetaVictims)
		}
	})

	t.Run("preempt with whole victims answers their UIDs", func(t *testing.T) {
		victim := gpuPod("victim", 1, nil)
		victim.UID = "u-3"
		result := ask[extenderv1.ExtenderPreemptionResult](t, url+"/preempt", extenderv1.ExtenderPreemptionArgs{
			Pod:               gpuPod("p", 1, nil),
			NodeNameToVictims: map[string]*extenderv1.Victims{"started": {Pods: []*corev1.Pod{victim}}},
		})
		got := result.NodeNameToMetaVictims["started"]
		if got == nil || len(got.Pods) != 1 || got.Pods[0].UID != "u-3" {
			t.Errorf("got %+v", result.NodeNameToMetaVictims)
		}
	})

	for name, body := range badBodies() {
		t.Run("bad body: "+name, func(t *testing.T) {
			status, reply := post(t, url+"/filter", body)
			var result extenderv1.ExtenderFilterResult
			if err := json.Unmarshal(reply, &result); err != nil || status != http.StatusOK ||
				!strings.HasPrefix(result.Error, "berth: ") || len(result.Error) < 20 {
				t.Errorf("filter: status %d, error %v, reply %.200s", status, err, reply)
			}
			status, reply = post(t, url+"/prioritize", body)
			if (status != http.StatusBadRequest && status != http.StatusRequestEntityTooLarge) ||
				len(reply) < 20 {
				t.Errorf("prioritize: status %d, reply %.200s", status, reply)
			}
			if fits := filter(t, argsFor(gpuPod("p", 1, nil), "empty")); len(*fits.NodeNames) != 1 {
				t.Errorf("does not serve any more: %+v", fits)
			}
		})
	}
}

func badBodies() map[string][]byte {
	deep := strings.Repeat("[", 1000) + strings.Repeat("]", 1000)
	return map[string][]byte{
		"empty":           {},
		"not JSON":        []byte("not JSON"),
		"wrong type":      []byte(`{"Pod": [], "NodeNames": ["empty"]}`),
		"name not a text": []byte(`{"Pod": {}, "NodeNames": [5]}`),
		"nesting over 64": []byte(`{"Pod": {"metadata": ` + deep + `}, "NodeNames": []}`),
		"over the limit":  bytes.Repeat([]byte(" "), 9<<20),
		"bad quantity": []byte(`{"Pod": {"spec": {"containers": [{"resources":
			{"requests": {"nvidia.com/gpu": "1e3Ki"}}}]}}, "NodeNames": ["empty"]}`),
	}
}
