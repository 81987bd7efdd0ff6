package admission

import (
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/fleet"
)

// retryTimeout: the Job controller waits 10 s before it replaces a pod that failed.
const retryTimeout = 40 * time.Second

// failTimeout is for a Job of up to eight pods, one after the other.
const failTimeout = 2 * time.Minute

// failed waits until the Job has failed for good and returns how many pods it had.
func (w *world) failed(name string) int {
	w.Helper()
	w.awaitFor(failTimeout, "the Job to have failed", func() bool {
		return slices.ContainsFunc(w.job(name).Status.Conditions, func(c batchv1.JobCondition) bool {
			return c.Type == batchv1.JobFailed && c.Status == corev1.ConditionTrue
		})
	})
	return len(w.pods())
}

// retried waits until the Job has another pod than the one that is lost, and returns it.
func (w *world) retried(lost corev1.Pod) corev1.Pod {
	w.Helper()
	var another corev1.Pod
	w.awaitFor(retryTimeout, "another pod", func() bool {
		for _, p := range w.pods() {
			if p.UID != lost.UID && p.Status.Phase == corev1.PodRunning {
				another = p
			}
		}
		return another.UID != ""
	})
	return another
}

var deviceSpec = podSpec(container("train", "", "nvidia.com/gpu=1"))

// What ends a pod for good ends its Job; what is not its fault does not.
func TestJobsThatEndWithTheirPod(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, server, fate string
		spec               corev1.PodSpec
		pods               int
	}{
		{"out of memory", serverDefault, fleet.FateOOMKilled, deviceSpec, 1},
		{"out of memory with infrastructure retries", serverRetrying, fleet.FateOOMKilled, deviceSpec, 1},
		// kubelet's eviction is a disruption, too, of which a pod that fills its disk has many.
		{"evicted again and again", serverDefault, fleet.FateEvicted, deviceSpec, 7},
		// Without limits it would do harm each time.
		{"evicted without limits", serverRetryless, fleet.FateEvicted,
			podSpec(container("train", "", "")), 1},
		{"rejected by kubelet", serverDefault, fleet.FateRejected, deviceSpec, 7},
		{"rejected by kubelet with infrastructure retries", serverRetrying, fleet.FateRejected,
			deviceSpec, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := inServers(t, c.server, "enforce")
			w.createJob(job("train", c.spec, fleet.FateAnnotation, c.fate))
			if pods := w.failed("train"); pods != c.pods {
				t.Errorf("the Job had %d pods, want %d", pods, c.pods)
			}
		})
	}
}

// Without Berth the same Job kills its neighbours on one node after the other.
func TestJobOutOfMemoryIsRetriedWithoutBerth(t *testing.T) {
	t.Parallel()
	w := in(t, "off")
	w.createJob(job("train", deviceSpec, fleet.FateAnnotation, fleet.FateOOMKilled))
	if pods := w.failed("train"); pods != 7 {
		t.Errorf("the Job had %d pods, want 7", pods)
	}
}

// A disruption is nobody's fault: the Job goes on, and finds its checkpoints.
func TestDisruptedJobGoesOnFromItsCheckpoints(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		job            *batchv1.Job
		claim, subPath string
	}{
		{"plain", job("train", deviceSpec, checkpoint, "true"), "checkpoints", "train"},
		{"indexed", indexed(job("train", deviceSpec, checkpoint, "true"), 1), "checkpoints", "train/0"},
		{"its own claim and key", job("train", deviceSpec, checkpoint, "results",
			checkpoint+"-key", "resnet"), "results", "resnet"},
	} {
		for fate, disrupt := range map[string]func(*world, corev1.Pod){
			"evicted by kubelet": func(w *world, p corev1.Pod) { w.doom(p.Name, fleet.FateEvicted) },
			"drained":            evict,
		} {
			t.Run(c.name+" "+fate, func(t *testing.T) {
				t.Parallel()
				w := in(t, "enforce")
				w.createClaim(c.claim)
				w.createJob(c.job.DeepCopy())
				lost := w.running(1)[0]
				w.expectCheckpoints(lost, c.claim, c.subPath)
				disrupt(w, lost)
				w.expectCheckpoints(w.retried(lost), c.claim, c.subPath)
			})
		}
	}
}

// evict deletes a pod as kubectl drain does.
func evict(w *world, p corev1.Pod) {
	w.Helper()
	w.Check("evict", w.client.CoreV1().Pods(p.Namespace).EvictV1(w.Context(),
		&policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: p.Namespace}}))
}

// createClaim makes a claim with a volume of its own, bound as its controller would bind it.
func (w *world) createClaim(name string) {
	w.Helper()
	capacity, modes := list("storage=1Ti"), []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}
	volume := w.namespace + "-" + name
	_, err := w.client.CoreV1().PersistentVolumes().Create(w.Context(), &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: volume},
		Spec: corev1.PersistentVolumeSpec{Capacity: capacity, AccessModes: modes,
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				NFS: &corev1.NFSVolumeSource{Server: "nfs.example", Path: "/" + volume}}},
	}, metav1.CreateOptions{})
	w.Check("create a volume", err)
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{VolumeName: volume, AccessModes: modes,
			Resources: corev1.VolumeResourceRequirements{Requests: capacity}},
	}
	annotated(&claim.ObjectMeta, "pv.kubernetes.io/bind-completed", "yes")
	_, err = w.client.CoreV1().PersistentVolumeClaims(w.namespace).Create(w.Context(), claim,
		metav1.CreateOptions{})
	w.Check("create a claim", err)
}

// expectCheckpoints fails the test unless the pod's container finds its checkpoints in this part of
// the claim.
func (w *world) expectCheckpoints(p corev1.Pod, claim, subPath string) {
	w.Helper()
	train := p.Spec.Containers[0]
	dir := ""
	for _, env := range train.Env {
		if env.Name == "CHECKPOINT_DIR" {
			dir = env.Value
		}
	}
	at := slices.IndexFunc(train.VolumeMounts, func(m corev1.VolumeMount) bool {
		return dir != "" && m.MountPath == dir
	})
	if at < 0 {
		w.Fatalf("%s has nothing mounted at CHECKPOINT_DIR %q", p.Name, dir)
	}
	mount := train.VolumeMounts[at]
	isMounted := slices.ContainsFunc(p.Spec.Volumes, func(v corev1.Volume) bool {
		return v.Name == mount.Name && v.PersistentVolumeClaim != nil &&
			v.PersistentVolumeClaim.ClaimName == claim
	})
	if !isMounted || mount.SubPath != subPath {
		w.Errorf("%s has %s of %s at CHECKPOINT_DIR, want %s of %s", p.Name, mount.SubPath,
			jsonOf(w.T, p.Spec.Volumes), subPath, claim)
	}
}
