package admission

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A CronJob makes a Job every minute at best.
const cronTimeout = 90 * time.Second

// The author hears what the pods will be made; what is written stays as it is, or GitOps would see
// drift. Only the pods are made safe.
func TestTemplatesAreForetoldAndNeverChanged(t *testing.T) {
	w := in(t, "enforce")
	spec := podSpec(container("train", "", "nvidia.com/gpu=1"))
	always := podSpec(container("serve", "", "nvidia.com/gpu=1"))
	always.RestartPolicy = corev1.RestartPolicyAlways
	meta := metav1.ObjectMeta{Name: "served"}
	for _, c := range []struct {
		name   string
		create func() (metav1.Object, corev1.PodSpec, error)
		pods   bool
	}{
		{"Deployment", func() (metav1.Object, corev1.PodSpec, error) {
			got, err := w.client.AppsV1().Deployments(w.namespace).Create(t.Context(),
				&appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{
					Selector: selector(), Template: template(always)}}, metav1.CreateOptions{})
			return got, got.Spec.Template.Spec, err
		}, true},
		{"StatefulSet", func() (metav1.Object, corev1.PodSpec, error) {
			got, err := w.client.AppsV1().StatefulSets(w.namespace).Create(t.Context(),
				&appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{
					Selector: selector(), Template: template(always)}}, metav1.CreateOptions{})
			return got, got.Spec.Template.Spec, err
		}, true},
		{"CronJob", func() (metav1.Object, corev1.PodSpec, error) {
			got, err := w.client.BatchV1().CronJobs(w.namespace).Create(t.Context(),
				cronJob("0 0 1 1 *", spec), metav1.CreateOptions{})
			return got, got.Spec.JobTemplate.Spec.Template.Spec, err
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := w.within(t)
			before := len(w.pods())
			got, stored, err := c.create()
			if err != nil {
				t.Fatal(err)
			}
			w.expectWarned("berth, pods: ", "'"+stored.Containers[0].Name+"'")
			w.heard.forget()
			if len(got.GetAnnotations()) != 0 || !stored.Containers[0].Resources.Limits.Cpu().IsZero() {
				t.Errorf("was changed: %s", jsonOf(t, got))
			}
			if !c.pods {
				return
			}
			running := w.running(before + 1)
			for _, p := range running {
				if p.Status.QOSClass != corev1.PodQOSGuaranteed {
					t.Errorf("pod %s is %s", p.Name, p.Status.QOSClass)
				}
			}
		})
	}
}

func cronJob(schedule string, spec corev1.PodSpec) *batchv1.CronJob {
	return &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Name: "nightly"},
		Spec: batchv1.CronJobSpec{Schedule: schedule, JobTemplate: batchv1.JobTemplateSpec{
			Spec: batchv1.JobSpec{Template: template(spec)},
		}},
	}
}

func TestJobOfACronJobIsMadeSafe(t *testing.T) {
	t.Parallel()
	w := in(t, "enforce")
	_, err := w.client.BatchV1().CronJobs(w.namespace).Create(t.Context(),
		cronJob("* * * * *", podSpec(container("train", "", "nvidia.com/gpu=1"))), metav1.CreateOptions{})
	w.Check("create the CronJob", err)
	var jobs []batchv1.Job
	w.awaitFor(cronTimeout, "a Job of the CronJob", func() bool {
		list, err := w.client.BatchV1().Jobs(w.namespace).List(t.Context(), metav1.ListOptions{})
		w.Check("list Jobs", err)
		jobs = list.Items
		return len(jobs) > 0
	})
	w.expectUnretried(&jobs[0])
	if got := w.runningOf(jobs[0].Name, 1)[0]; got.Status.QOSClass != corev1.PodQOSGuaranteed {
		t.Errorf("its pod is %s", got.Status.QOSClass)
	}
}

// They belong to their nodes; isolated they would stay pending for ever.
func TestDaemonsAreLeftAlone(t *testing.T) {
	w := in(t, "enforce")
	spec := podSpec(container("agent", "cpu=10m", ""))
	spec.RestartPolicy = corev1.RestartPolicyAlways
	_, err := w.client.AppsV1().DaemonSets(w.namespace).Create(t.Context(), &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: "agent"},
		Spec:       appsv1.DaemonSetSpec{Selector: selector(), Template: template(spec)},
	}, metav1.CreateOptions{})
	w.Check("create the DaemonSet", err)
	w.expectSilence()
	nodes, err := w.client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	w.Check("list nodes", err)
	for _, p := range w.running(len(nodes.Items)) {
		if p.Status.QOSClass != corev1.PodQOSBurstable || len(p.Annotations) != 0 || isolated(p.Spec) {
			t.Errorf("%s was changed: %s, %v, %v", p.Name, p.Status.QOSClass, p.Annotations, p.Spec.Affinity)
		}
	}
}

// Static pods run already; kubelet only shows them.
func TestMirrorPodsAreLeftAlone(t *testing.T) {
	w := in(t, "enforce").as("system:node:cpu-001", "system:nodes")
	static := pod(container("proxy", "", ""))
	static.GenerateName, static.Name = "", "proxy-cpu-001"
	static.Spec.NodeName = "cpu-001"
	annotated(&static.ObjectMeta, corev1.MirrorPodAnnotationKey, "5f4dcc3b")
	got := w.createPod(static)
	if got.Status.QOSClass != corev1.PodQOSBestEffort || len(got.Annotations) != 1 {
		t.Errorf("is %s with %v", got.Status.QOSClass, got.Annotations)
	}
	w.expectSilence()
}
