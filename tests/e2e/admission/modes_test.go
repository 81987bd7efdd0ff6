package admission

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/box"
)

// What is written is stored unless the namespace says enforce; who writes it hears of it unless it
// says off.
func TestModeOfTheNamespace(t *testing.T) {
	const silent, warned, changed = "silent", "warned", "changed"
	for mode, want := range map[string]string{
		"off": silent, "warn": warned, "": warned, "enforce": changed,
	} {
		t.Run("mode "+mode, func(t *testing.T) {
			w := in(t, mode)
			got := w.createPod(gpuPod())
			stored := got.Status.QOSClass == corev1.PodQOSGuaranteed
			if stored != (want == changed) {
				t.Errorf("is %s with the annotations %v", got.Status.QOSClass, got.Annotations)
			}
			switch want {
			case silent:
				w.expectSilence()
			case warned:
				w.expectWarned("berth (warn only): ", "'train'")
			case changed:
				w.expectWarned("berth: ", "'train'")
			}
			if want != changed && len(got.Annotations) != 0 {
				t.Errorf("has the annotations %v", got.Annotations)
			}
		})
	}
}

func TestPodWithoutAcceleratorsStaysOffTheirNodes(t *testing.T) {
	w := in(t, "enforce")
	for range 8 { // each would find an accelerator node emptier than the others
		w.createPod(pod(container("preprocess", "cpu=8 memory=16Gi", "")))
	}
	for _, p := range w.running(8) {
		if model := w.acceleratorOf(p.Spec.NodeName); model != "" {
			t.Errorf("%s is on %s with %s", p.Name, p.Spec.NodeName, model)
		}
	}
}

// The namespace allows it, the pod asks for it: one of the two is not enough.
func TestPodIsLetOntoAcceleratorNodesWhereTheNamespaceAllowsIt(t *testing.T) {
	allowing := in(t, "enforce", box.LabelAllowAcceleratorNodes, "true")
	for _, c := range []struct {
		name     string
		world    *world
		asks     bool
		isolated bool
	}{
		{"asks, allowed", allowing, true, false},
		{"does not ask, allowed", allowing, false, true},
		{"asks, not allowed", in(t, "enforce"), true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := pod(container("preprocess", "", ""))
			if c.asks {
				annotated(&p.ObjectMeta, box.LabelAllowAcceleratorNodes, "true")
			}
			got := c.world.within(t).createPod(p)
			if isolated(got.Spec) != c.isolated {
				t.Errorf("affinity %v, want isolated %v", got.Spec.Affinity, c.isolated)
			}
		})
	}
}

// isolated tells whether every term of the node affinity keeps accelerators away.
func isolated(spec corev1.PodSpec) bool {
	if spec.Affinity == nil || spec.Affinity.NodeAffinity == nil {
		return false
	}
	required := spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	for _, term := range required.NodeSelectorTerms {
		found := false
		for _, e := range term.MatchExpressions {
			found = found || (e.Key == acceleratorLabel && e.Operator == corev1.NodeSelectorOpDoesNotExist)
		}
		if !found {
			return false
		}
	}
	return true
}

func TestModelsByAnnotationHoldWithoutTheExtender(t *testing.T) {
	w := in(t, "enforce")
	for range 6 {
		p := pod(container("train", "", "nvidia.com/gpu=1"))
		annotated(&p.ObjectMeta, "berth.dev/accelerators", "A30")
		w.createPod(p)
	}
	for _, p := range w.running(6) {
		if model := w.acceleratorOf(p.Spec.NodeName); model != "A30" {
			t.Errorf("%s is on %s with %s", p.Name, p.Spec.NodeName, model)
		}
	}
}
