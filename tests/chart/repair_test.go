package chart

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"berth.dev/berth/tests/e2e/box"
)

func TestNothingIsRepairedByDefault(t *testing.T) {
	r := render(t, "")
	if found := all[*nodeRemediationTemplate](r); len(found) > 0 {
		t.Errorf("the chart installs %s", found[0].Name)
	}
	if spaces := all[*corev1.Namespace](r); len(spaces) > 0 {
		t.Errorf("the chart makes the namespace %s", spaces[0].Name)
	}
}

// All conditions of one template would have to hold, so each has its own.
func TestEachConditionStartsItsOperation(t *testing.T) {
	r := render(t, "repair: {enabled: true}")
	got := map[string]string{}
	for _, template := range all[*nodeRemediationTemplate](r) {
		spec := template.Spec.Template.Spec
		if len(spec.Rule.Conditions) != 1 || spec.Rule.Conditions[0].Status != "True" {
			t.Errorf("%s waits for %v", template.Name, spec.Rule.Conditions)
			continue
		}
		if selector := template.Spec.NodeSelector; len(selector) != 1 || selector["berth.dev/repair"] != "allowed" {
			t.Errorf("%s selects nodes by %v, so nothing would stop it", template.Name, selector)
		}
		got[spec.Rule.Conditions[0].Type] = spec.NodeOperationTemplateName
		named[*nodeOperationTemplate](r, spec.NodeOperationTemplateName)
	}
	for condition, operation := range map[string]string{
		"GPUIsLost": "berth-reboot", "GPUPendingPage": "berth-reboot",
		"DStateProcess": "berth-reboot-now", "NFSUnresponsive": "berth-remount-nfs",
	} {
		if got[condition] != operation {
			t.Errorf("%s starts %q, want %s", condition, got[condition], operation)
		}
	}
}

// A process in state D does not end when its pod is evicted.
func TestNobodyWaitsForProcessesThatDoNotEnd(t *testing.T) {
	r := render(t, "repair: {enabled: true}")
	for name, skips := range map[string]bool{
		"berth-reboot": false, "berth-reboot-now": true, "berth-remount-nfs": true,
	} {
		if got := named[*nodeOperationTemplate](r, name).Spec.Template.Spec.SkipWaitingForEviction; got != skips {
			t.Errorf("%s: skipWaitingForEviction is %t, want %t", name, got, skips)
		}
	}
}

// Berth's controller labels what may be repaired, or nothing would ever be.
func TestTheControllerSaysWhatMayBeRepaired(t *testing.T) {
	r := render(t, "repair: {enabled: true}\nconfig: {prefix: ml.example.com, controller: {repair: {maxShare: 0.5}}}")
	var config struct {
		Controller struct {
			Repair struct {
				Enabled  bool
				MaxShare float64
			}
		}
	}
	text := named[*corev1.ConfigMap](r, "berth").Data["config.yaml"]
	if err := yaml.Unmarshal([]byte(text), &config); err != nil {
		t.Fatal(err)
	}
	if !config.Controller.Repair.Enabled || config.Controller.Repair.MaxShare != 0.5 {
		t.Errorf("the controller's repair is %+v", config.Controller.Repair)
	}
	for _, template := range all[*nodeRemediationTemplate](r) {
		if template.Spec.NodeSelector["ml.example.com/repair"] != "allowed" {
			t.Errorf("%s selects nodes by %v", template.Name, template.Spec.NodeSelector)
		}
	}
}

// Berth's admission must not touch the Jobs, and Kubernetes' must let their pods be privileged.
func TestRepairsHaveANamespaceOfTheirOwn(t *testing.T) {
	r := render(t, "repair: {enabled: true}")
	space := named[*corev1.Namespace](r, "berth-repair")
	if space.Labels["berth.dev/admission"] != "off" ||
		space.Labels["pod-security.kubernetes.io/enforce"] != "privileged" {
		t.Errorf("the namespace has labels %v", space.Labels)
	}
	r = render(t, "repair: {enabled: true, namespace: ops}")
	if spaces := all[*corev1.Namespace](r); len(spaces) > 0 {
		t.Errorf("the chart makes the namespace %s, although there is one", spaces[0].Name)
	}
	for _, template := range all[*nodeOperationTemplate](r) {
		job := template.Spec.Template.Spec.JobTemplate
		account := named[*corev1.ServiceAccount](r, job.Spec.Template.Spec.ServiceAccountName)
		if job.Metadata.Namespace != "ops" || account.Namespace != "ops" {
			t.Errorf("%s runs in %s, its account is in %s", template.Name, job.Metadata.Namespace, account.Namespace)
		}
	}
}

func TestRepairsMayOnlyCreatePods(t *testing.T) {
	r := render(t, "repair: {enabled: true}")
	for _, rule := range named[*rbacv1.Role](r, "berth-repair").Rules {
		if !slices.Equal(rule.Resources, []string{"pods"}) || !slices.Equal(rule.Verbs, []string{"create"}) {
			t.Errorf("they may %v %v", rule.Verbs, rule.Resources)
		}
	}
}

const rebootWithNames = `repair: {enabled: true, operations: {reboot: {command: [sh, -c, 'echo "<$(NODE_NAME)>" && reboot']}}}`

// jobPod is the pod of a Job of node-operation-controller, which puts the names of template, node, remediation
// and operation together: as long as a name that kube-apiserver generates may be.
const jobPod = "nodeops-berth-reboot-gpuislost-gpu-7-rack-12-pdx1-abcde-f-klmno"

// argumentsOf are those of the operation's kubectl, after kubelet has put the names of a node and a pod in.
func argumentsOf(r *release, operation string) []string {
	container := named[*nodeOperationTemplate](r, operation).
		Spec.Template.Spec.JobTemplate.Spec.Template.Spec.Containers[0]
	names := strings.NewReplacer("$(NODE_NAME)", "gpu-7", "$(POD_NAME)", jobPod, "$(POD_UID)", "u-1")
	var arguments []string
	for _, argument := range container.Args {
		arguments = append(arguments, names.Replace(argument))
	}
	return arguments
}

// The real kubectl starts the pod, with the rights of the Job's account and no others.
func testRepair(t *testing.T, b *box.Box) {
	r := render(t, rebootWithNames)
	client := b.Client
	create := metav1.CreateOptions{}
	space := named[*corev1.Namespace](r, "berth-repair")
	_, err := client.CoreV1().Namespaces().Create(t.Context(), space, create)
	if err == nil {
		_, err = client.CoreV1().ServiceAccounts(space.Name).
			Create(t.Context(), named[*corev1.ServiceAccount](r, "berth-repair"), create)
	}
	if err == nil {
		_, err = client.RbacV1().Roles(space.Name).Create(t.Context(), named[*rbacv1.Role](r, "berth-repair"), create)
	}
	if err == nil {
		_, err = client.RbacV1().RoleBindings(space.Name).
			Create(t.Context(), named[*rbacv1.RoleBinding](r, "berth-repair"), create)
	}
	if err != nil {
		t.Fatal(err)
	}
	arguments := append(argumentsOf(r, "berth-reboot"),
		"--kubeconfig="+b.Kubeconfig, "--as=system:serviceaccount:berth-repair:berth-repair")
	if text, err := run(t, "", program(t, "kubectl"), arguments...); err != nil {
		t.Fatal(text, err)
	}
	pod, err := client.CoreV1().Pods(space.Name).Get(t.Context(), jobPod+"-on-node", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	holdsRepair(t, pod)
}

// What the Job starts runs on the node that it is told, whatever its taints, and goes when the Job does.
func TestRepairsRunOnTheirNode(t *testing.T) {
	arguments := argumentsOf(render(t, rebootWithNames), "berth-reboot")
	index := slices.IndexFunc(arguments, func(a string) bool { return strings.HasPrefix(a, "--overrides=") })
	var pod corev1.Pod
	if err := json.Unmarshal([]byte(strings.TrimPrefix(arguments[index], "--overrides=")), &pod); err != nil {
		t.Fatalf("%v in %s", err, arguments[index])
	}
	holdsRepair(t, &pod)
}

// holdsRepair tells whether the pod is what testRepair and the test above ask for.
func holdsRepair(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	if pod.Spec.NodeName != "gpu-7" || !pod.Spec.HostPID || !*pod.Spec.Containers[0].SecurityContext.Privileged {
		t.Errorf("the pod is %+v", pod.Spec)
	}
	if !slices.Contains(pod.Spec.Tolerations, corev1.Toleration{Operator: corev1.TolerationOpExists}) {
		t.Errorf("the pod tolerates %v", pod.Spec.Tolerations)
	}
	if owner := pod.OwnerReferences[0]; owner.Name != jobPod || owner.UID != "u-1" {
		t.Errorf("the pod is owned by %v", owner)
	}
	if command := pod.Spec.Containers[0].Command; command[len(command)-1] != `echo "<gpu-7>" && reboot` {
		t.Errorf("the pod runs %q", command)
	}
}

func TestOperationsCanBeLeftOutAndAdded(t *testing.T) {
	r := render(t, `
repair:
  enabled: true
  operations:
    remount-nfs: null
    reset: {conditions: [{type: AcceleratedHardwareReady, status: "False"}], command: [nvidia-smi, --gpu-reset]}`)
	var names []string
	for _, template := range all[*nodeOperationTemplate](r) {
		names = append(names, template.Name)
	}
	slices.Sort(names)
	if want := []string{"berth-reboot", "berth-reboot-now", "berth-reset"}; !slices.Equal(names, want) {
		t.Errorf("there are %v, want %v", names, want)
	}
	conditions := named[*nodeRemediationTemplate](r, "berth-reset-acceleratedhardwareready").Spec.Template.Spec.Rule.Conditions
	if conditions[0].Status != "False" {
		t.Errorf("it waits for %v", conditions)
	}
}
