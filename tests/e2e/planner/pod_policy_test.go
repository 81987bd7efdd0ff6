package planner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	registration "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"berth.dev/berth/tests/e2e/box"
)

// controllerUser is who controllers of boxes are.
const controllerUser = "berth-controller"

// createPodPolicy creates the chart's policy of what the controller may write of pods. All tests run
// with it: what it refuses, no controller writes.
func createPodPolicy(ctx context.Context, client kubernetes.Interface, values ...string) error {
	arguments := []string{"--namespace", "berth-system", "--show-only",
		"templates/controller/pod-policy.yaml", "--set", "controller.podPolicy=true"}
	for _, value := range values {
		arguments = append(arguments, "--set", value)
	}
	text, err := box.RenderChart(ctx, arguments...)
	if err != nil {
		return err
	}
	const account = "system:serviceaccount:berth-system:berth-controller"
	if !strings.Contains(string(text), account) {
		return fmt.Errorf("the policy does not name %s", account)
	}
	objects := strings.NewReader(strings.ReplaceAll(string(text), account, controllerUser))
	documents := yaml.NewYAMLOrJSONDecoder(objects, len(text))
	var policy registration.ValidatingAdmissionPolicy
	var binding registration.ValidatingAdmissionPolicyBinding
	if err := errors.Join(documents.Decode(&policy), documents.Decode(&binding)); err != nil {
		return err
	}
	if err := documents.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return fmt.Errorf("behind the binding there is something else: %w", err)
	}
	admission := client.AdmissionregistrationV1()
	_, policyErr := admission.ValidatingAdmissionPolicies().Create(ctx, &policy, metav1.CreateOptions{})
	_, bindingErr := admission.ValidatingAdmissionPolicyBindings().Create(ctx, &binding,
		metav1.CreateOptions{})
	return errors.Join(policyErr, bindingErr)
}

// write is a patch of a pod or of its status.
type write struct {
	name        string
	subresource string
	patch       string
	strategic   bool
}

func (w *world) write(client kubernetes.Interface, pod string, what write, dryRun ...string) error {
	w.Helper()
	kind := types.MergePatchType
	if what.strategic {
		kind = types.StrategicMergePatchType
	}
	var path []string
	if what.subresource != "" {
		path = append(path, what.subresource)
	}
	_, err := client.CoreV1().Pods(metav1.NamespaceDefault).Patch(w.Context(), pod, kind,
		[]byte(what.patch), metav1.PatchOptions{DryRun: dryRun}, path...)
	return err
}

// asController is a client that kube-apiserver takes for the controller, who may patch pods.
func (w *world) asController(config *rest.Config) kubernetes.Interface {
	w.Helper()
	config = rest.CopyConfig(config)
	config.Impersonate = rest.ImpersonationConfig{UserName: controllerUser,
		Groups: []string{"system:masters"}}
	client, err := kubernetes.NewForConfig(config)
	w.Check("a client of the controller's", err)
	return client
}

func isPolicys(err error) bool {
	return apierrors.IsInvalid(err) && strings.Contains(err.Error(), "Berth's controller may")
}

// awaitPolicy waits until kube-apiserver goes by the policy.
func (w *world) awaitPolicy(client kubernetes.Interface, pod string) {
	w.Helper()
	address := write{"address", "status", `{"status":{"podIP":"10.1.2.3"}}`, false}
	w.Await("the policy", func() bool {
		return isPolicys(w.write(client, pod, address, metav1.DryRunAll))
	})
}

func TestTheControllerMayWriteNothingElseOfPods(t *testing.T) {
	w := fresh(t)
	pod := gpus("A100", 1, 1)[0]
	pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "berth.dev/gang"}, {Name: "mine"}}
	_, err := w.all().Create(t.Context(), pod, metav1.CreateOptions{})
	w.Check("create a pod", err)
	client := w.asController(shared.Config)
	w.awaitPolicy(client, pod.Name)
	for _, refused := range []write{
		{"phase", "status", `{"status":{"phase":"Failed"}}`, false},
		{"address", "status", `{"status":{"podIP":"10.1.2.3"}}`, false},
		{"message", "status", `{"status":{"message":"x"}}`, false},
		{"field removed", "status", `{"status":{"qosClass":null,"phase":null}}`, false},
		{"container", "status", `{"status":{"containerStatuses":[{"name":"main","ready":true,` +
			`"restartCount":0,"image":"x","imageID":"x"}]}}`, false},
		{"another's condition", "status",
			`{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`, true},
		{"another's condition is removed", "status", `{"status":{"conditions":null}}`, false},
		{"image", "", `{"spec":{"containers":[{"name":"` + pod.Spec.Containers[0].Name +
			`","image":"evil"}]}}`, true},
		{"deadline", "", `{"spec":{"activeDeadlineSeconds":60}}`, false},
		{"another's gate", "", `{"spec":{"schedulingGates":null}}`, false},
		{"label", "", `{"metadata":{"labels":{"app":"x"}}}`, false},
		{"label, by the status", "status", `{"metadata":{"labels":{"app":"x"}}}`, false},
		{"finalizer", "", `{"metadata":{"finalizers":["a.example/b"]}}`, false},
		{"owner", "", `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n",` +
			`"uid":"u"}]}}`, false},
		{"another's annotation", "", `{"metadata":{"annotations":{"app":"x"}}}`, false},
	} {
		if err := w.write(client, pod.Name, refused); !isPolicys(err) {
			t.Errorf("%s: %v, want the policy's refusal", refused.name, err)
		}
	}
	for _, allowed := range []write{
		{"nomination", "status", `{"metadata":{"annotations":{"berth.dev/plan":"n",` +
			`"berth.dev/plan-for":"rescue"}},"status":{"nominatedNodeName":"n"}}`, false},
		{"condition", "status", `{"status":{"conditions":[{"type":"berth.dev/gang","status":"False",` +
			`"reason":"Waiting","message":"x","lastTransitionTime":"2027-01-15T08:00:00Z"}]}}`, true},
		{"condition changed", "status", `{"status":{"conditions":[{"type":"berth.dev/gang",` +
			`"status":"True","reason":"Released"}]}}`, true},
		{"withdrawal", "status", `{"metadata":{"annotations":{"berth.dev/plan":null}},` +
			`"status":{"nominatedNodeName":null}}`, false},
		{"nudge", "", `{"metadata":{"annotations":{"berth.dev/nudged-at":"now"}}}`, false},
		{"gate", "", `{"spec":{"$setElementOrder/schedulingGates":[{"name":"mine"}],` +
			`"schedulingGates":[{"$patch":"delete","name":"berth.dev/gang"}]}}`, true},
	} {
		if err := w.write(client, pod.Name, allowed); err != nil {
			t.Errorf("%s: %v", allowed.name, err)
		}
	}
	err = w.write(shared.Client, pod.Name, write{"status", "status", `{"status":{"message":"x"}}`, false})
	w.Check("write a status as somebody else", err)
}

// With controller.lostNodes.forceDeleteAfter it ends pods that somebody has deleted.
func TestTheControllerMayEndDeletedPods(t *testing.T) {
	w := &world{box.Test{T: t, Timeout: awaitTimeout}}
	own := box.ForTest(t, box.Options{})
	w.Check("create the policy", createPodPolicy(t.Context(), own.Client,
		"config.controller.lostNodes.forceDeleteAfter=15m"))
	pods := own.Client.CoreV1().Pods(metav1.NamespaceDefault)
	pod := gpus("A100", 1, 1)[0]
	pod.Spec.NodeName, pod.Finalizers = "lost", []string{"e2e.berth.dev/kept"}
	_, err := pods.Create(t.Context(), pod, metav1.CreateOptions{})
	w.Check("create a pod", err)
	client := w.asController(own.Config)
	ends := write{"end", "status", `{"status":{"phase":"Failed","conditions":[` +
		`{"type":"DisruptionTarget","status":"True","reason":"DeletionByPodGC"}]}}`, true}
	w.awaitPolicy(client, pod.Name)
	if err := w.write(client, pod.Name, ends); !isPolicys(err) {
		t.Errorf("a pod that nobody has deleted: %v, want a refusal", err)
	}
	w.Check("delete the pod", pods.Delete(t.Context(), pod.Name,
		metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
	w.Check("end the pod", w.write(client, pod.Name, ends))
}
