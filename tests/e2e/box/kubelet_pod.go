package box

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// pod is one that a Kubelet runs.
type pod struct {
	kubelet    *Kubelet
	name       string
	dir        string
	ip         string      // that only the ServiceProxy knows the way to
	object     *corev1.Pod // as it was bound
	containers []*container
	volumes    *volumes

	numbers     map[int32]int    // ports of the host, by those of the pod
	names       map[string]int32 // ports of the pod, by their names
	translation translation

	// What the Kubelet's rounds alone touch.
	started bool
	waiting error // what is missing to start it
	broken  error // why it will never start

	ending sync.Once
	ended  chan struct{} // closed when it was told to end and nothing of it runs any more

	mu      sync.Mutex
	leaving bool      // it is to end
	ready   time.Time // when it was last seen to be ready and not leaving
}

// newPod makes a pod of which nothing runs yet.
func newPod(k *Kubelet, object *corev1.Pod, ip string) *pod {
	dir := filepath.Join(k.box.Dir, "pods", object.Name+"-"+string(object.UID)[:8])
	p := &pod{kubelet: k, name: object.Name, dir: dir, ip: ip, object: object.DeepCopy(),
		ended: make(chan struct{})}
	p.broken = errors.Join(os.MkdirAll(dir, 0o700), unsupported(object), p.choosePorts(object))
	p.volumes = newVolumes(p, object)
	for i := range object.Spec.Containers {
		c, err := newContainer(p, object, &object.Spec.Containers[i])
		p.broken = errors.Join(p.broken, err)
		p.containers = append(p.containers, c)
	}
	return p
}

// choosePorts finds a free port for each one that containers and their probes name.
func (p *pod) choosePorts(object *corev1.Pod) error {
	p.numbers, p.names = map[int32]int{}, map[string]int32{}
	for _, c := range object.Spec.Containers {
		for _, port := range c.Ports {
			p.names[port.Name] = port.ContainerPort
			p.numbers[port.ContainerPort] = 0
		}
		if probe := c.ReadinessProbe; probe != nil && probe.HTTPGet != nil &&
			probe.HTTPGet.Port.Type == intstr.Int {
			p.numbers[probe.HTTPGet.Port.IntVal] = 0
		}
	}
	for port := range p.numbers {
		var err error
		if p.numbers[port], err = freePort(); err != nil {
			return err
		}
	}
	return nil
}

// port is the one of the host that stands for a port of the pod, 0 where it has none of this name or
// number.
func (p *pod) port(port string) int { return p.hostPort(intstr.Parse(port)) }

func (p *pod) hostPort(port intstr.IntOrString) int {
	if port.Type == intstr.Int {
		return p.numbers[port.IntVal]
	}
	return p.numbers[p.names[port.StrVal]]
}

// sync brings the pod one step further to what the API server has of it, and reports.
func (p *pod) sync(ctx context.Context, object *corev1.Pod, seen *observed) {
	switch {
	case object.DeletionTimestamp != nil:
		p.leave(ctx, object)
		return
	case isOver(object):
		return
	case p.broken != nil:
	case !p.started:
		p.start(ctx, object, seen)
	default:
		// An object that was deleted leaves its files as they are.
		_ = p.volumes.update(ctx, object, seen)
	}
	p.serves(time.Now()) // keeps the time
	p.report(ctx, object)
}

// start starts the containers when all that they mount is there.
func (p *pod) start(ctx context.Context, object *corev1.Pod, seen *observed) {
	if p.waiting = p.volumes.update(ctx, object, seen); p.waiting != nil {
		return
	}
	p.started = true
	for _, c := range p.containers {
		go c.run()
	}
}

// leave ends the pod, and takes it from the API server when nothing of it runs any more.
func (p *pod) leave(ctx context.Context, object *corev1.Pod) {
	p.mu.Lock()
	p.leaving = true
	p.mu.Unlock()
	var grace time.Duration
	if seconds := object.DeletionGracePeriodSeconds; seconds != nil {
		grace = time.Duration(*seconds) * time.Second
	}
	p.end(grace, true)
	select {
	case <-p.ended:
	default:
		return
	}
	p.report(ctx, object) // a Job counts how its pods have ended, and keeps them until it has
	// Fails where somebody else was faster.
	_ = p.kubelet.box.Client.CoreV1().Pods(object.Namespace).Delete(ctx, object.Name,
		metav1.DeleteOptions{GracePeriodSeconds: new(int64),
			Preconditions: &metav1.Preconditions{UID: &object.UID}})
}

// end has the containers end within the grace period, preStop included where it is asked for. It
// returns at once, and may be called again.
func (p *pod) end(grace time.Duration, preStop bool) {
	p.ending.Do(func() {
		deadline := time.Now().Add(grace)
		begun := p.containers
		if !p.started {
			begun = nil
		}
		go func() {
			var running sync.WaitGroup
			for _, c := range begun {
				running.Go(func() { c.end(deadline, preStop) })
			}
			running.Wait()
			// Its keys and tokens are of no use any more; its logs are.
			_ = os.RemoveAll(filepath.Join(p.dir, volumesFolder))
			close(p.ended)
		}()
	})
}

// isReady tells whether all containers are.
func (p *pod) isReady() bool {
	for _, c := range p.containers {
		if !c.state().ready {
			return false
		}
	}
	return true
}

// serves tells whether connections to its Services come to the pod at a time.
func (p *pod) serves(now time.Time) bool {
	ready := p.isReady()
	p.mu.Lock()
	defer p.mu.Unlock()
	if ready && !p.leaving {
		p.ready = now
	}
	return now.Sub(p.ready) < endpointLag
}

// isOver tells whether nothing of the pod will ever run again.
func isOver(object *corev1.Pod) bool {
	return object.Status.Phase == corev1.PodSucceeded || object.Status.Phase == corev1.PodFailed
}
