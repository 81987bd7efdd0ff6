package e2e

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"berth.dev/berth/tests/e2e/box"
)

const (
	nudgedAnnotation = "berth.dev/nudged-at"
	// How long Berth's watches are silent after a repair: kube-scheduler retries meanwhile, in vain.
	watchDelay = 8 * time.Second
	// Without a nudge the pod waits for 5 minutes; this is long enough to tell.
	patience = 20 * time.Second
)

// kube-scheduler retries a refused pod when its node recovers. Where Berth hears of the recovery
// later than kube-scheduler, that retry is lost, and only a nudge brings another one.
func TestNudgeAfterALostRetry(t *testing.T) {
	w := delayable(t)
	if took := w.recoverUnseen(); took < patience {
		t.Errorf("without a controller the pod got a node after %s; the test proves nothing", took)
	}
	w.controllers(1, nil)
	if took := w.recoverUnseen(); took >= patience {
		t.Error("the pod got no node, although a controller is there")
	}
	w.allSound()
}

// delayed is a world whose Berth reaches kube-apiserver through a proxy.
type delayed struct {
	*world
	proxy *box.Proxy
}

func delayable(t *testing.T) delayed {
	t.Helper()
	d := delayed{world: newWorld(t, nil)}
	b, err := startBox(t.Context(), &box.BerthOptions{Kubeconfig: func(b *box.Box) (string, error) {
		var err error
		if d.proxy, err = box.StartProxy(b.APIAddress()); err != nil {
			return "", err
		}
		return b.BerthKubeconfigAt(d.proxy.Address())
	}})
	if d.proxy != nil {
		t.Cleanup(d.proxy.Stop)
	}
	d.Check("start a box", err)
	t.Cleanup(b.Stop)
	d.box = b
	d.judged()
	return d
}

// recoverUnseen has two pods wait for a broken pool, repairs one node of it, which has room for one of
// them, while Berth sees nothing, and tells how long after Berth sees again the more urgent pod has a
// node; patience where it has none by then. The other one must not be nudged.
func (d delayed) recoverUnseen() time.Duration {
	d.Helper()
	pool := nodesOf("mn2b-a30")
	d.heal()
	d.breaks("GPUIsLost", "Exclude", pool...)
	other, pod := gpus(6, "A30"), d.ranked(1000, gpus(6, "A30"))
	d.refused(other)
	d.refused(pod)
	for _, link := range d.proxy.Links() {
		link.Hold()
	}
	d.repairs("GPUIsLost", pool[0])
	time.Sleep(watchDelay)
	for _, link := range d.proxy.Links() {
		link.Release()
	}
	d.awaitEffect("GPUIsLost", "Exclude", len(pool)-1)
	seen := time.Now()
	for d.nodeOf(pod) == "" && time.Since(seen) < patience {
		time.Sleep(pollInterval)
	}
	took := time.Since(seen)
	for _, waiting := range d.pods() {
		if waiting.Name == other.Name && waiting.Annotations[nudgedAnnotation] != "" {
			d.Errorf("%s was nudged, for which there is no room", other.Name)
		}
		d.Check("delete "+waiting.Name, d.box.Client.CoreV1().Pods(waiting.Namespace).Delete(d.Context(),
			waiting.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)}))
	}
	return took
}
