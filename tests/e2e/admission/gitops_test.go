package admission

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/box"
)

// deployer applies what others have written, as Argo CD and Flux do.
const deployer = "deployer"

// bareJob says all that decides about retries, and nothing about memory.
const bareJob = `
apiVersion: batch/v1
kind: Job
metadata: {name: applied}
spec:
  backoffLimit: 100
  podReplacementPolicy: TerminatingOrFailed
  template:
    spec:
      restartPolicy: OnFailure
      containers:
      - {name: train, image: "registry.example/train:1"}
`

// claimingJob contradicts Berth in lists and annotations as well.
const claimingJob = `
apiVersion: batch/v1
kind: Job
metadata: {name: applied, annotations: {berth.dev/created-by: mallory}}
spec:
  backoffLimit: 4
  podFailurePolicy:
    rules:
    - {action: FailJob, onExitCodes: {operator: In, values: [42]}}
  podReplacementPolicy: Failed
  template:
    metadata: {annotations: {berth.dev/created-by: mallory}}
    spec:
      restartPolicy: Never
      containers:
      - name: train
        image: registry.example/train:1
        resources:
          requests: {cpu: "1", memory: 1Gi}
          limits: {cpu: "2", memory: 2Gi, nvidia.com/gpu: 1}
`

const notebook = `
apiVersion: v1
kind: Pod
metadata: {name: applied}
spec:
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{key: kubernetes.io/os, operator: NotIn, values: [windows]}]
  containers:
  - name: notebook
    image: registry.example/notebook:1
    resources:
      requests: {cpu: "1", memory: 1Gi}
      limits: {cpu: "1", memory: 2Gi}
`

// run has a program of the cluster's do something in the namespace.
func (w *world) run(input, program string, arguments ...string) (string, error) {
	w.Helper()
	path, err := box.Program(program)
	w.Check("find "+program, err)
	command := exec.CommandContext(w.Context(), path, arguments...)
	command.Env = append(os.Environ(), "KUBECONFIG="+shared.Kubeconfig)
	for _, folder := range []string{"CACHE", "CONFIG", "DATA"} {
		command.Env = append(command.Env, "HELM_"+folder+"_HOME="+filepath.Join(shared.Dir, "helm", folder))
	}
	command.Stdin = strings.NewReader(input)
	said, err := command.CombinedOutput()
	return string(said), err
}

func (w *world) apply(user, manifest string, flags ...string) (string, error) {
	w.Helper()
	return w.run(manifest, "kubectl", append([]string{"apply", "-f", "-", "-n", w.namespace,
		"--as", user, "--as-group", "system:masters"}, flags...)...)
}

// spec is what is stored under the name "applied", without what controllers write.
func (w *world) spec(kind string) any {
	w.Helper()
	if kind == "Job" {
		job := w.job("applied")
		return []any{job.Spec, job.Annotations[createdBy], job.Generation}
	}
	pod, err := w.client.CoreV1().Pods(w.namespace).Get(w.Context(), "applied", metav1.GetOptions{})
	w.Check("get the pod", err)
	return []any{pod.Spec, pod.Annotations[createdBy]}
}

// What a manifest says is applied again and again, by whomever: only the first time it counts.
func TestManifestsAreAppliedAgain(t *testing.T) {
	for _, c := range []struct{ name, kind, manifest string }{
		{"bare Job", "Job", bareJob},
		{"claiming Job", "Job", claimingJob},
		{"pod", "Pod", notebook},
	} {
		for mode, flags := range map[string][]string{
			"client side": nil, "server side": {"--server-side"},
		} {
			t.Run(c.name+", "+mode, func(t *testing.T) {
				w := in(t, "enforce")
				said, err := w.apply(author, c.manifest, flags...)
				w.Check("apply: "+said, err)
				if c.kind == "Pod" {
					w.running(1)
				}
				before := w.spec(c.kind)
				for _, user := range []string{author, deployer} {
					said, err := w.apply(user, c.manifest, flags...)
					w.Check("apply again as "+user+": "+said, err)
					if !contains(said, "stays") {
						t.Errorf("says %q, want a warning", said)
					}
					after := w.spec(c.kind)
					if !apiequality.Semantic.DeepEqual(before, after) {
						t.Errorf("%s became %s", jsonOf(t, before), jsonOf(t, after))
					}
				}
			})
		}
	}
}

// kubectl diff and Argo CD's server-side diff ask by a dry run.
func TestNoDifferenceIsShown(t *testing.T) {
	w := in(t, "enforce")
	said, err := w.apply(author, bareJob, "--server-side")
	w.Check("apply: "+said, err)
	w.running(1)
	// kubectl reads the Job and then has the change tried: what is written in between is a difference.
	w.Await("the Job controller to count the pod as ready", func() bool {
		ready := w.job("applied").Status.Ready
		return ready != nil && *ready == 1
	})
	said, err = w.run(bareJob, "kubectl", "diff", "--server-side", "-f", "-", "-n", w.namespace)
	if err != nil {
		t.Errorf("kubectl diff: %v\n%s", err, said)
	}
}

func TestJobThatItsAuthorChangesIsRefusedAsEver(t *testing.T) {
	w := in(t, "enforce")
	said, err := w.apply(author, bareJob)
	w.Check("apply: "+said, err)
	said, err = w.apply(author, strings.Replace(bareJob, "train:1", "train:2", 1))
	if err == nil || !contains(said, "field is immutable") {
		t.Errorf("another image: %v, %q, want kube-apiserver's refusal", err, said)
	}
}

// What may be changed is changed beside what stays.
func TestSuspendedJobIsChangedAndStaysSafe(t *testing.T) {
	w := in(t, "enforce")
	suspended := strings.Replace(bareJob, "backoffLimit: 100", "backoffLimit: 100\n  suspend: true", 1)
	said, err := w.apply(author, suspended)
	w.Check("apply: "+said, err)
	changed := strings.Replace(suspended, "restartPolicy: OnFailure",
		"restartPolicy: OnFailure\n      nodeSelector: {kubernetes.io/os: linux}", 1)
	said, err = w.apply(author, changed)
	w.Check("apply with a node selector: "+said, err)
	job := w.job("applied")
	w.expectBareJobIsSafe(job)
	if job.Spec.Template.Spec.NodeSelector["kubernetes.io/os"] != "linux" {
		t.Errorf("the node selector is %v", job.Spec.Template.Spec.NodeSelector)
	}
}

// expectBareJobIsSafe fails the test if what bareJob says about retries has come to hold.
func (w *world) expectBareJobIsSafe(job *batchv1.Job) {
	w.Helper()
	policy, limit := job.Spec.Template.Spec.RestartPolicy, *job.Spec.BackoffLimit
	if policy != corev1.RestartPolicyNever || limit == 100 || job.Spec.PodFailurePolicy == nil {
		w.Errorf("restartPolicy %s, backoffLimit %d: %s", policy, limit, jsonOf(w.T, job.Spec))
	}
}

// chartOf writes a chart whose only template is the manifest.
func chartOf(t *testing.T, manifest string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range map[string]string{
		"Chart.yaml":         "apiVersion: v2\nname: training\nversion: 0.1.0\n",
		"templates/job.yaml": manifest,
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestHelmUpgradesAJob(t *testing.T) {
	w := in(t, "enforce")
	chart := chartOf(t, strings.Replace(bareJob, "backoffLimit: 100",
		"backoffLimit: 100\n  parallelism: {{ .Values.parallelism }}", 1))
	helm := func(verb, parallelism string) {
		t.Helper()
		said, err := w.run("", "helm", verb, "training", chart, "-n", w.namespace,
			"--set", "parallelism="+parallelism, "--kube-as-user", author,
			"--kube-as-group", "system:masters")
		w.Check("helm "+verb+": "+said, err)
	}
	helm("install", "1")
	before := w.job("applied")
	w.expectBareJobIsSafe(before)
	helm("upgrade", "1")
	after := w.job("applied")
	if before.Generation != after.Generation {
		t.Errorf("%s became %s", jsonOf(t, before.Spec), jsonOf(t, after.Spec))
	}
	helm("upgrade", "2")
	scaled := w.job("applied")
	w.expectBareJobIsSafe(scaled)
	if *scaled.Spec.Parallelism != 2 {
		t.Errorf("parallelism is %d", *scaled.Spec.Parallelism)
	}
}

// An update is no way to be called another, and none to lose retries' end.
func TestUpdatesUndoNothing(t *testing.T) {
	w := in(t, "enforce")
	said, err := w.apply(author, bareJob)
	w.Check("apply: "+said, err)
	before := w.job("applied")
	got, err := w.as("mallory").patchJob("applied",
		`{"metadata":{"annotations":{"berth.dev/created-by":"mallory"}},"spec":{"backoffLimit":100}}`)
	w.Check("patch", err)
	if *got.Spec.BackoffLimit != *before.Spec.BackoffLimit || got.Annotations[createdBy] != author {
		t.Errorf("backoffLimit %d, by %q", *got.Spec.BackoffLimit, got.Annotations[createdBy])
	}
	p := w.createPod(pod(container("train", "", "cpu=1 memory=1Gi")))
	patch := `{"metadata":{"annotations":{"berth.dev/created-by":"mallory"}}}`
	kept, err := w.as("mallory").client.CoreV1().Pods(w.namespace).Patch(t.Context(), p.Name,
		types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	w.Check("patch the pod", err)
	if kept.Annotations[createdBy] != author {
		t.Errorf("the pod is %q's", kept.Annotations[createdBy])
	}
}
