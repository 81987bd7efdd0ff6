package admission

import (
	"context"
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/box"
)

func gpuPod() *corev1.Pod { return pod(container("train", "", "nvidia.com/gpu=2")) }

// The class is the one that kube-apiserver computes when it stores a pod.
func TestPodsBecomeGuaranteed(t *testing.T) {
	withInit := pod(container("train", "cpu=2 memory=4Gi", "cpu=2 memory=4Gi"))
	withInit.Spec.InitContainers = []corev1.Container{
		container("download", "", ""), sidecar("logs", "memory=64Mi", ""),
	}
	podLevel := pod(container("train", "", ""))
	podLevel.Spec.Resources = &corev1.ResourceRequirements{Limits: list("cpu=4 memory=8Gi")}
	podLevelRequests := pod(container("train", "", ""))
	podLevelRequests.Spec.Resources = &corev1.ResourceRequirements{
		Requests: list("cpu=1 memory=2Gi"), Limits: list("memory=4Gi")}
	w := in(t, "enforce")
	for _, c := range []struct {
		name string
		pod  *corev1.Pod
	}{
		{"nothing", pod(container("train", "", ""))},
		{"requests alone", pod(container("train", "cpu=2 memory=4Gi", ""))},
		{"limits alone", pod(container("train", "", "cpu=2 memory=4Gi"))},
		{"a limit of memory alone", pod(container("train", "", "memory=4Gi"))},
		{"requests below limits", pod(container("train", "cpu=1 memory=2Gi", "cpu=2 memory=4Gi"))},
		{"requests of zero", pod(container("train", "cpu=0 memory=0", "cpu=2 memory=4Gi"))},
		{"limits of zero", pod(container("train", "", "cpu=0 memory=0"))},
		{"devices alone", gpuPod()},
		{"devices and a sidecar", pod(container("train", "", "nvidia.com/gpu=1"),
			container("metrics", "", ""))},
		{"init container and sidecar", withInit},
		{"pod-level limits", podLevel},
		{"pod-level requests below limits", podLevelRequests},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := w.tryPod(c.pod)
			if err != nil {
				t.Fatal(err)
			}
			if got.Status.QOSClass != corev1.PodQOSGuaranteed {
				t.Errorf("is %s: %s", got.Status.QOSClass, resourcesOf(t, got))
			}
		})
	}
}

func resourcesOf(t *testing.T, p *corev1.Pod) string {
	t.Helper()
	all := map[string]any{"pod": p.Spec.Resources}
	for _, containers := range [][]corev1.Container{p.Spec.InitContainers, p.Spec.Containers} {
		for _, c := range containers {
			all[c.Name] = c.Resources
		}
	}
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// kubectl shows it to whoever created the pod.
func TestAuthorIsToldWhatWasSetAndWhy(t *testing.T) {
	w := in(t, "enforce")
	got := w.createPod(gpuPod())
	w.expectWarned("berth: ", "'train'", "2 x", "set your own limits")
	limits := got.Spec.Containers[0].Resources.Limits
	if limits.Cpu().IsZero() || limits.Memory().IsZero() {
		t.Errorf("limits %v", limits)
	}
	for _, text := range w.heard.all() {
		if len(text) > 120 {
			t.Errorf("a warning has %d bytes, kubectl's users see 120: %s", len(text), text)
		}
	}
}

func TestPodWithLimitsOfItsOwnKeepsThem(t *testing.T) {
	w := in(t, "enforce")
	own := "cpu=3 memory=7Gi nvidia.com/gpu=1"
	got := w.createPod(pod(container("train", own, own)))
	if jsonOf(t, got.Spec.Containers[0].Resources) != jsonOf(t, requirements(own, own)) {
		t.Errorf("resources are %s", resourcesOf(t, got))
	}
	w.expectSilence()
}

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// beside registers a webhook that kube-apiserver asks after Berth, about namespaces with the label.
func beside(
	t *testing.T, name, label, probe string, patch func(*corev1.Pod) []box.PatchOperation,
) {
	t.Helper()
	mutator, err := shared.StartMutator(name, patch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(mutator.Stop)
	registration := box.Registration{Name: "zz-" + name, Probe: probe, // in the order of names
		Namespaces: []metav1.LabelSelectorRequirement{
			{Key: label, Operator: metav1.LabelSelectorOpExists}}}
	if err := shared.RegisterMutator(t.Context(), registration, mutator); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // t's own context has ended by then
		if err := shared.Deregister(context.Background(), registration); err != nil {
			t.Error(err)
		}
	})
}

// A webhook that runs later is not the end of it: kube-apiserver asks Berth again.
func TestSidecarThatAnotherWebhookAddsAfterwards(t *testing.T) {
	const injected = "e2e.berth.dev/injected"
	enforced, off := in(t, "enforce", injected, "true"), in(t, "off", injected, "true")
	beside(t, "injector", injected, enforced.namespace, func(p *corev1.Pod) []box.PatchOperation {
		if len(p.Spec.Containers) > 1 {
			return nil
		}
		return []box.PatchOperation{
			{Op: "add", Path: "/spec/containers/-", Value: container("proxy", "cpu=10m", "")}}
	})
	for _, c := range []struct {
		world *world
		want  corev1.PodQOSClass
	}{{off, corev1.PodQOSBurstable}, {enforced, corev1.PodQOSGuaranteed}} {
		got := c.world.createPod(pod(container("train", "cpu=1 memory=1Gi", "cpu=1 memory=1Gi")))
		if len(got.Spec.Containers) != 2 || got.Status.QOSClass != c.want {
			t.Errorf("%d containers, %s, want 2 and %s: %s", len(got.Spec.Containers),
				got.Status.QOSClass, c.want, resourcesOf(t, got))
		}
	}
}

// A webhook that always has the last word and takes limits off: the final state is what is judged.
func TestLimitsThatAnotherWebhookTakesOff(t *testing.T) {
	const stripped = "e2e.berth.dev/stripped"
	enforced, warned := in(t, "enforce", stripped, "true"), in(t, "warn", stripped, "true")
	off := in(t, "off", stripped, "true")
	beside(t, "stripper", stripped, off.namespace, func(*corev1.Pod) []box.PatchOperation {
		return []box.PatchOperation{{Op: "add", Path: "/spec/containers/0/resources",
			Value: requirements("cpu=1", "")}}
	})
	asks := pod(container("train", "", "cpu=1 memory=1Gi"))
	_, err := enforced.tryPod(asks)
	if !apierrors.IsInvalid(err) {
		t.Fatalf("got %v, want a denial", err)
	}
	for _, part := range []string{"berth guaranteed-qos: ", "spec.containers[0].resources", "write "} {
		if !contains(err.Error(), part) {
			t.Errorf("the denial does not say %q: %v", part, err)
		}
	}
	if got := warned.createPod(asks); got.Status.QOSClass != corev1.PodQOSBurstable {
		t.Errorf("in warn the pod is %s", got.Status.QOSClass)
	}
	warned.expectWarned("berth (warn only): ", "memory of 'train'")
}

// LimitRanger runs before webhooks: its default limit may be below what the pod asks for, which
// kube-apiserver would refuse.
func TestLimitRangeDefaultsBelowTheRequest(t *testing.T) {
	limits := &corev1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Name: "defaults"},
		Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
			Type: corev1.LimitTypeContainer, Default: list("cpu=500m memory=512Mi"),
		}}},
	}
	asks := pod(container("train", "cpu=1 memory=1Gi", ""))
	off, enforced := in(t, "off"), in(t, "enforce")
	for _, w := range []*world{off, enforced} {
		w.createLimitRange(limits)
	}
	_, err := off.tryPod(asks)
	if !apierrors.IsInvalid(err) {
		t.Errorf("without Berth: %v, want it to be invalid", err)
	}
	got := enforced.createPod(asks)
	if got.Status.QOSClass != corev1.PodQOSGuaranteed ||
		got.Spec.Containers[0].Resources.Limits.Memory().String() != "1Gi" {
		t.Errorf("%s: %s", got.Status.QOSClass, resourcesOf(t, got))
	}
	// What LimitRanger says of a pod without anything is Guaranteed already.
	if got := enforced.createPod(pod(container("train", "", ""))); got.Status.QOSClass !=
		corev1.PodQOSGuaranteed || got.Spec.Containers[0].Resources.Limits.Memory().String() != "512Mi" {
		t.Errorf("%s: %s", got.Status.QOSClass, resourcesOf(t, got))
	}
}

// LimitRanger writes requests, too, where nobody asked for any. They are no wish of the author, who
// is not told that they are.
func TestLimitRangeRequestsAreNobodysWish(t *testing.T) {
	little := list("cpu=10m memory=16Mi")
	for name, item := range map[string]corev1.LimitRangeItem{
		"min":            {Type: corev1.LimitTypeContainer, Min: little},
		"defaultRequest": {Type: corev1.LimitTypeContainer, DefaultRequest: little},
	} {
		t.Run(name, func(t *testing.T) {
			limits := &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "requests"},
				Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{item}}}
			asks := pod(container("train", "", "nvidia.com/gpu=8"))
			off, enforced := in(t, "off"), in(t, "enforce")
			for _, w := range []*world{off, enforced} {
				w.createLimitRange(limits)
			}
			without := off.createPod(asks).Spec.Containers[0].Resources
			if !without.Requests.Memory().Equal(*little.Memory()) || !without.Limits.Memory().IsZero() {
				t.Fatalf("without Berth: %s, want the LimitRange's requests alone", jsonOf(t, without))
			}
			enforced.heard.forget()
			got := enforced.createPod(asks)
			const share = "cpu=32 memory=320Gi nvidia.com/gpu=8"
			if jsonOf(t, got.Spec.Containers[0].Resources) != jsonOf(t, requirements(share, share)) {
				t.Errorf("resources are %s, want %s", resourcesOf(t, got), share)
			}
			enforced.expectWarned("'train' set to 32 cores, 320Gi", "8 x nvidia.com/gpu")
			for _, text := range enforced.heard.all() {
				for _, blame := range []string{"10m", "16Mi", "its request"} {
					if contains(text, blame) {
						t.Errorf("the author is blamed for what LimitRanger wrote: %s", text)
					}
				}
			}
		})
	}
}

// createLimitRange makes one that is in force.
func (w *world) createLimitRange(limits *corev1.LimitRange) {
	w.Helper()
	_, err := w.client.CoreV1().LimitRanges(w.namespace).Create(w.Context(), limits,
		metav1.CreateOptions{})
	w.Check("create a LimitRange", err)
	w.Await("LimitRanger to know it", func() bool {
		got, err := w.dryRun(pod(container("probe", "", "")))
		w.Check("try a pod", err)
		return got.Annotations["kubernetes.io/limit-ranger"] != ""
	})
}

// A LimitRange's maxima are checked after webhooks, against what Berth has set. A pod without a limit
// is beyond them, so without Berth both pods are refused.
func TestLimitRangeMaximaHoldForWhatWasSet(t *testing.T) {
	maxima := &corev1.LimitRange{
		ObjectMeta: metav1.ObjectMeta{Name: "maxima"},
		Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{
			Type: corev1.LimitTypePod, Max: list("memory=2Gi"), // a container's would be its default, too
		}}},
	}
	asks, nothing := pod(container("train", "cpu=1 memory=1Gi", "")), pod(container("train", "", ""))
	for mode, want := range map[string][2]string{
		"off":     {"No limit is specified", "No limit is specified"},
		"enforce": {"", "but limit is 4Gi"}, // Berth's default
	} {
		t.Run(mode, func(t *testing.T) {
			w := in(t, mode)
			_, err := w.client.CoreV1().LimitRanges(w.namespace).Create(t.Context(), maxima,
				metav1.CreateOptions{})
			w.Check("create a LimitRange", err)
			w.Await("LimitRanger to know it", func() bool {
				_, err := w.dryRun(pod(container("probe", "", "cpu=1 memory=3Gi")))
				return apierrors.IsForbidden(err)
			})
			for i, p := range []*corev1.Pod{asks, nothing} {
				_, err := w.tryPod(p)
				if want[i] == "" && err != nil {
					t.Errorf("pod %d: %v", i, err)
				}
				if want[i] != "" && (!apierrors.IsForbidden(err) || !contains(err.Error(), want[i])) {
					t.Errorf("pod %d: %v, want LimitRanger's %q", i, err, want[i])
				}
			}
		})
	}
}

// Quotas are checked after webhooks, too. A quota refuses pods that do not say what they take, so
// without Berth this one refuses all three.
func TestResourceQuotaCountsWhatWasSet(t *testing.T) {
	asks := pod(container("train", "cpu=1 memory=1Gi", ""))
	for mode, fit := range map[string]int{"off": 0, "enforce": 2} {
		t.Run(mode, func(t *testing.T) {
			w := in(t, mode)
			w.createQuota("limits.cpu=2 limits.memory=100Gi")
			for i := range 3 {
				_, err := w.tryPod(asks)
				if i < fit && err != nil {
					t.Errorf("pod %d: %v", i, err)
				}
				if i >= fit && !apierrors.IsForbidden(err) {
					t.Errorf("pod %d: %v, want the quota's Forbidden", i, err)
				}
			}
		})
	}
}

// createQuota makes a quota that is in force; its controller would write the status.
func (w *world) createQuota(hard string) {
	w.Helper()
	quotas := w.client.CoreV1().ResourceQuotas(w.namespace)
	made, err := quotas.Create(w.Context(), &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "team"}, Spec: corev1.ResourceQuotaSpec{Hard: list(hard)},
	}, metav1.CreateOptions{})
	w.Check("create a quota", err)
	made.Status.Hard, made.Status.Used = made.Spec.Hard, corev1.ResourceList{}
	for name := range made.Spec.Hard {
		made.Status.Used[name] = resource.MustParse("0")
	}
	_, err = quotas.UpdateStatus(w.Context(), made, metav1.UpdateOptions{})
	w.Check("put the quota in force", err)
	w.Await("kube-apiserver to enforce the quota", func() bool {
		_, err := w.dryRun(pod(container("probe", "cpu=1k", "cpu=1k memory=1Gi")))
		return apierrors.IsForbidden(err)
	})
}

func TestEphemeralContainerOfAGuaranteedPod(t *testing.T) {
	w := in(t, "enforce")
	w.createPod(pod(container("train", "", "")))
	running := w.running(1)[0]
	w.heard.forget()
	running.Spec.EphemeralContainers = []corev1.EphemeralContainer{{
		EphemeralContainerCommon: corev1.EphemeralContainerCommon{
			Name: "debug", Image: "registry.example/debug:1",
			TerminationMessagePolicy: corev1.TerminationMessageReadFile,
			ImagePullPolicy:          corev1.PullIfNotPresent,
		},
	}}
	got, err := w.client.CoreV1().Pods(w.namespace).UpdateEphemeralContainers(t.Context(), running.Name,
		&running, metav1.UpdateOptions{})
	w.Check("add an ephemeral container", err)
	if got.Status.QOSClass != corev1.PodQOSGuaranteed || len(got.Spec.EphemeralContainers) != 1 {
		t.Errorf("%s with %d ephemeral containers", got.Status.QOSClass, len(got.Spec.EphemeralContainers))
	}
	w.expectSilence()
}

// One that was created before Berth is as unsafe as it was: nobody is locked out of it.
func TestImageOfARunningPodCanBeChanged(t *testing.T) {
	w := in(t, "off")
	before := w.createPod(pod(container("train", "", "")))
	w.setMode("enforce")
	after := w.createPod(pod(container("train", "", "")))
	w.running(2)
	w.heard.forget()
	for _, p := range []*corev1.Pod{before, after} {
		got, err := w.client.CoreV1().Pods(w.namespace).Patch(t.Context(), p.Name,
			types.StrategicMergePatchType,
			[]byte(`{"spec":{"containers":[{"name":"train","image":"registry.example/train:2"}]}}`),
			metav1.PatchOptions{})
		w.Check("change the image", err)
		if got.Status.QOSClass != p.Status.QOSClass ||
			got.Spec.Containers[0].Image != "registry.example/train:2" {
			t.Errorf("%s with %s", got.Status.QOSClass, got.Spec.Containers[0].Image)
		}
	}
	if before.Status.QOSClass == after.Status.QOSClass {
		t.Errorf("both are %s: the one from before Berth was to be different", after.Status.QOSClass)
	}
	w.expectSilence()
}

func TestDryRunShowsWhatWouldBeStored(t *testing.T) {
	w := in(t, "enforce")
	got, err := w.dryRun(gpuPod())
	w.Check("dry-run", err)
	if got.Status.QOSClass != corev1.PodQOSGuaranteed {
		t.Errorf("is %s", got.Status.QOSClass)
	}
	w.expectWarned("berth: ")
	if len(w.pods()) != 0 {
		t.Error("the pod was created")
	}
}

// kube-apiserver keeps the class with which a pod is created, and kubelet would believe it.
func TestClassIsNotForTheAsking(t *testing.T) {
	w := in(t, "enforce")
	p := pod(container("train", "", ""))
	p.Status.QOSClass = corev1.PodQOSBestEffort
	if got := w.createPod(p); got.Status.QOSClass != corev1.PodQOSGuaranteed {
		t.Errorf("is %s: %s", got.Status.QOSClass, resourcesOf(t, got))
	}
	w.expectWarned("status.qosClass BestEffort removed")
}
