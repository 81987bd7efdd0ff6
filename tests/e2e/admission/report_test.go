package admission

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
)

// What the report and kube-apiserver say of an object.
const (
	effectSame    = "same"
	effectChanged = "changed"
	effectDenied  = "denied"
)

// controllers are the users that make the pods of owners.
var controllers = map[string]string{
	"Job":        "system:serviceaccount:kube-system:job-controller",
	"ReplicaSet": "system:serviceaccount:kube-system:replicaset-controller",
	"DaemonSet":  "system:serviceaccount:kube-system:daemon-set-controller",
}

// reportedIn has berth report read the cluster by these arguments, and returns its effect on each
// object of the world's namespace, by kind and name.
func (w *world) reportedIn(arguments ...string) map[string]string {
	w.Helper()
	berth, err := box.BerthBinary()
	w.Check("find berth", err)
	command := exec.CommandContext(w.Context(), berth,
		append([]string{"report", "-o", "objects"}, arguments...)...)
	var complaint bytes.Buffer
	command.Stderr = &complaint
	lines, err := command.Output()
	if err != nil {
		w.Fatalf("berth report: %v: %s", err, complaint.String())
	}
	effects := map[string]string{}
	decoder := json.NewDecoder(bytes.NewReader(lines))
	for decoder.More() {
		var line struct{ Namespace, Kind, Name, Effect string }
		w.Check("read what berth report says", decoder.Decode(&line))
		if line.Namespace != w.namespace {
			continue
		}
		if line.Effect != effectChanged && line.Effect != effectDenied {
			line.Effect = effectSame
		}
		effects[line.Kind+"/"+line.Name] = line.Effect
	}
	return effects
}

// dumpOfAll writes what kubectl says of the whole cluster, of several kinds at once.
func (w *world) dumpOfAll() string {
	w.Helper()
	kubectl, err := box.Program("kubectl")
	w.Check("find kubectl", err)
	objects, err := exec.CommandContext(w.Context(), kubectl, "--kubeconfig", shared.Kubeconfig,
		"get", "pods,jobs,nodes,namespaces", "-A", "-o", "json").Output()
	w.Check("kubectl get", err)
	file := filepath.Join(w.TempDir(), "objects.json")
	w.Check("write what kubectl said", os.WriteFile(file, objects, 0o600))
	return file
}

// anew is the metadata of an object that is created again.
func anew(meta metav1.ObjectMeta, namespace string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: meta.Name + "-again", Namespace: namespace,
		Labels: maps.Clone(meta.Labels), Annotations: maps.Clone(meta.Annotations),
		OwnerReferences: meta.OwnerReferences}
}

// unrecorded is the metadata without what is only recorded, and without what differs anyway.
func unrecorded(meta metav1.ObjectMeta) metav1.ObjectMeta {
	rest := metav1.ObjectMeta{Labels: maps.Clone(meta.Labels), Annotations: maps.Clone(meta.Annotations)}
	for _, name := range []string{createdBy, applied} {
		delete(rest.Annotations, name)
	}
	for _, name := range []string{"controller-uid", "job-name", batchv1.ControllerUidLabel,
		batchv1.JobNameLabel} {
		delete(rest.Labels, name)
	}
	if len(rest.Annotations) == 0 {
		rest.Annotations = nil
	}
	if len(rest.Labels) == 0 {
		rest.Labels = nil
	}
	return rest
}

// effectOf compares what kube-apiserver would store without Berth and with it.
func effectOf[T any](t *testing.T, name string, plain, enforced T, plainErr, err error) string {
	t.Helper()
	if plainErr != nil {
		t.Fatalf("%s cannot even be created without Berth: %v", name, plainErr)
	}
	if apierrors.IsInvalid(err) || apierrors.IsForbidden(err) {
		return effectDenied
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if equality.Semantic.DeepEqual(plain, enforced) {
		return effectSame
	}
	return effectChanged
}

// againPod is what becomes of a stored pod if its creator creates it again in the world, compared
// with a namespace about which nobody asks Berth.
func (w *world) againPod(pod corev1.Pod, without *world) string {
	w.Helper()
	creator := author
	if owner := metav1.GetControllerOf(&pod); owner != nil {
		creator = controllers[owner.Kind]
	}
	create := func(in *world) (*corev1.Pod, error) {
		again := &corev1.Pod{ObjectMeta: anew(pod.ObjectMeta, in.namespace), Spec: *pod.Spec.DeepCopy()}
		again.Spec.NodeName = ""
		got, err := in.as(creator).dryRun(again)
		if err != nil {
			return nil, err
		}
		return &corev1.Pod{ObjectMeta: unrecorded(got.ObjectMeta), Spec: got.Spec}, nil
	}
	plain, plainErr := create(without)
	enforced, err := create(w)
	return effectOf(w.T, pod.Name, plain, enforced, plainErr, err)
}

// againJob is the same of a Job.
func (w *world) againJob(job batchv1.Job, without *world) string {
	w.Helper()
	create := func(in *world) (*batchv1.Job, error) {
		again := &batchv1.Job{ObjectMeta: anew(job.ObjectMeta, in.namespace), Spec: *job.Spec.DeepCopy()}
		again.Spec.Selector = nil
		again.Spec.Template.ObjectMeta = unrecorded(again.Spec.Template.ObjectMeta)
		again.ObjectMeta.Labels = unrecorded(again.ObjectMeta).Labels
		got, err := in.client.BatchV1().Jobs(in.namespace).Create(in.Context(), again,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err != nil {
			return nil, err
		}
		got.Spec.Selector = nil
		got.Spec.Template.ObjectMeta = unrecorded(got.Spec.Template.ObjectMeta)
		return &batchv1.Job{ObjectMeta: unrecorded(got.ObjectMeta), Spec: got.Spec}, nil
	}
	plain, plainErr := create(without)
	enforced, err := create(w)
	return effectOf(w.T, job.Name, plain, enforced, plainErr, err)
}

// keptOff is a pod's spec that says itself what isolation would say.
func keptOff(spec corev1.PodSpec) corev1.PodSpec {
	spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: acceleratorLabel,
					Operator: corev1.NodeSelectorOpDoesNotExist}}}}}}}
	return spec
}

// variety creates pods and Jobs of all sorts, as careless and as careful people write them, and
// returns how many pods there will be.
func (w *world) variety() int {
	w.Helper()
	const sizes = "cpu=2 memory=4Gi"
	pods := map[string]*corev1.Pod{
		"nothing":          pod(container("main", "", "")),
		"requests":         pod(container("main", sizes, "")),
		"memory-limit":     pod(container("main", "", "memory=4Gi")),
		"burstable":        pod(container("main", "cpu=1 memory=1Gi", sizes)),
		"guaranteed":       pod(container("main", sizes, sizes)),
		"kept-off":         {Spec: keptOff(podSpec(container("main", sizes, sizes)))},
		"gpus-alone":       gpuPod(),
		"gpus":             pod(container("main", "", sizes+" nvidia.com/gpu=1")),
		"gpus-and-sidecar": pod(container("main", "", "nvidia.com/gpu=1"), container("logs", "", "")),
		"unknown-device":   pod(container("main", "", "example.com/fpga=1")),
		"fpga-with-limits": pod(container("main", "", sizes+" example.com/fpga=1")),
		"unknown-model":    pod(container("main", "", sizes+" nvidia.com/gpu=1")),
		"model":            pod(container("main", "", sizes+" nvidia.com/gpu=1")),
		"no-size":          pod(container("main", "", sizes+" nvidia.com/gpu=1")),
		"let-in":           pod(container("main", sizes, sizes)),
		"checkpoints":      pod(container("main", "", sizes+" nvidia.com/gpu=1")),
	}
	annotated(&pods["unknown-model"].ObjectMeta, "berth.dev/accelerators", "K80")
	annotated(&pods["model"].ObjectMeta, "berth.dev/accelerators", "A30,V100")
	annotated(&pods["no-size"].ObjectMeta, "berth.dev/accelerator-memory", "much")
	annotated(&pods["let-in"].ObjectMeta, box.LabelAllowAcceleratorNodes, "true")
	annotated(&pods["checkpoints"].ObjectMeta, checkpoint, "claim")
	for name, p := range pods {
		p.Name, p.GenerateName = name, ""
		w.createPod(p)
	}
	careful := job("job-careful", keptOff(podSpec(container("main", sizes, sizes))))
	few := job("job-few", podSpec(container("main", "", sizes+" nvidia.com/gpu=1")))
	few.Spec.BackoffLimit = new(int32(2))
	queued := job("job-queued", podSpec(container("main", "", sizes+" nvidia.com/gpu=1")))
	queued.Spec.Suspend = new(true)
	jobs := []*batchv1.Job{careful, few, queued,
		job("job-without-limits", podSpec(container("main", "", "nvidia.com/gpu=1"))),
		job("job-cpu", podSpec(container("main", "", ""))),
		job("job-unknown-model", podSpec(container("main", "", "nvidia.com/gpu=1")),
			"berth.dev/accelerators", "K80"),
		indexed(job("job-indexed", podSpec(container("main", "", "nvidia.com/gpu=1"))), 2)}
	made := len(pods) + 1 // job-indexed has two pods
	for _, j := range jobs {
		w.createJob(j)
		if j.Spec.Suspend == nil || !*j.Spec.Suspend {
			made++
		}
	}
	web := podSpec(container("web", "cpu=1 memory=1Gi", ""))
	web.RestartPolicy = corev1.RestartPolicyAlways
	_, err := w.client.AppsV1().Deployments(w.namespace).Create(w.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{Replicas: new(int32(2)), Selector: selector(),
			Template: template(web)},
	}, metav1.CreateOptions{})
	w.Check("create the Deployment", err)
	return made + 2
}

// What berth report says of a namespace that does not enforce is what becomes of the same objects
// when it does, object by object: the same ones are changed, the same are denied.
func TestReportForetellsWhatEnforcingDoes(t *testing.T) {
	without := in(t, "off")
	for name, w := range map[string]*world{
		"ordinary namespace": in(t, ""),
		"namespace that lets its pods onto nodes with accelerators": in(t, "",
			box.LabelAllowAcceleratorNodes, "true"),
	} {
		t.Run(name, func(t *testing.T) {
			w := w.within(t)
			count := w.variety()
			w.Await("all pods", func() bool { return len(w.pods()) == count })
			foretold := w.reportedIn("--kubeconfig", shared.Kubeconfig)
			offline := w.reportedIn("--objects", w.dumpOfAll())
			jobs, err := w.client.BatchV1().Jobs(w.namespace).List(w.Context(), metav1.ListOptions{})
			w.Check("list Jobs", err)
			pods := w.pods()
			w.setMode("enforce")
			seen := map[string]int{}
			check := func(object, effect string) {
				seen[effect]++
				if foretold[object] != effect || offline[object] != effect {
					t.Errorf("%s would be %s by the live report and %s by the dump, but is %s", object,
						foretold[object], offline[object], effect)
				}
			}
			for _, pod := range pods {
				check("Pod/"+pod.Name, w.againPod(pod, without))
			}
			for _, job := range jobs.Items {
				check("Job/"+job.Name, w.againJob(job, without))
			}
			for _, effect := range []string{effectSame, effectChanged, effectDenied} {
				if seen[effect] < 2 {
					t.Errorf("too few objects are %s: %v", effect, seen)
				}
			}
			if want := slices.Sorted(maps.Keys(foretold)); len(want) != len(pods)+len(jobs.Items) {
				t.Errorf("the report has %q, which are not %d pods and %d Jobs", want, len(pods),
					len(jobs.Items))
			}
		})
	}
}
