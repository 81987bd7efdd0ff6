package box

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// KubeletNamespace is the namespace whose pods a Kubelet runs; KWOK leaves them alone
// (pods.stages.yaml).
const KubeletNamespace = "berth-system"

const (
	kubeletInterval = 200 * time.Millisecond
	// endpointLag is how long connections still come to a pod that has begun to end, or is not ready
	// any more: until every kube-proxy has heard of it.
	endpointLag = time.Second
)

// Kubelet plays kubelet, without images and isolation, for the pods of KubeletNamespace that are
// bound to a node: the programs of their containers are children of the caller. It
//   - takes the program by the last part of command or image, from where Program and BerthBinary
//     find it, with the container's arguments and environment;
//   - keeps volumes of ConfigMaps, Secrets and projections as files that are replaced at once, within
//     a second of a change, and starts nothing before all of them are there;
//   - gives every pod free ports in place of those that it names, and folders in place of its mount
//     paths, in arguments and in files of ConfigMaps;
//   - hands out a kubeconfig with a token of the pod's service account where the pod has one mounted;
//   - tells their logs to kube-apiserver, without following them;
//   - asks readiness probes, restarts what ends, and ends what is deleted with the pod's preStop,
//     SIGTERM and grace period.
//
// What it does not do, liveness probes apart, fails a pod with a message. Thread-safe.
type Kubelet struct {
	box    *Box
	cancel context.CancelFunc
	rounds sync.WaitGroup
	logs   *logServer

	mu       sync.Mutex
	pods     map[types.UID]*pod
	dirs     map[string]string // by the name of the pod, the latest of that name
	services []corev1.Service
	begun    int // pods so far
}

// observed is what the API server has of the namespace.
type observed struct {
	pods       []corev1.Pod
	services   []corev1.Service
	configMaps map[string]*corev1.ConfigMap
	secrets    map[string]*corev1.Secret
}

// newKubelet makes a Kubelet that does nothing yet.
func newKubelet(b *Box) *Kubelet {
	return &Kubelet{box: b, cancel: func() {}, pods: map[types.UID]*pod{},
		dirs: map[string]string{}}
}

// start begins to run pods. KubeletNamespace need not exist yet.
func (k *Kubelet) start() error {
	var err error
	if k.logs, err = startLogServer(k.box); err != nil {
		return err
	}
	var ctx context.Context
	ctx, k.cancel = context.WithCancel(context.Background())
	k.rounds.Go(func() {
		ticker := time.NewTicker(kubeletInterval)
		defer ticker.Stop()
		for {
			k.round(ctx)
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	})
	return nil
}

// stop ends every program and returns when none runs any more. Pods stay as they are.
func (k *Kubelet) stop() {
	k.cancel()
	k.rounds.Wait()
	if k.logs != nil {
		k.logs.stop()
	}
	for _, p := range k.all() {
		p.end(stopGrace, false)
	}
	for _, p := range k.all() {
		<-p.ended
	}
}

// Kill ends the program of a container of a running pod as kill -9 does. It is restarted, as its
// pod says.
func (k *Kubelet) Kill(pod, container string) error {
	for _, p := range k.all() {
		for _, c := range p.containers {
			if p.name == pod && c.spec.Name == container {
				return c.kill()
			}
		}
	}
	return fmt.Errorf("no container %s of a pod %s runs", container, pod)
}

// Log is what the container of a pod has written so far, the output of every start appended. The
// pod may be gone; of several of one name it is the latest.
func (k *Kubelet) Log(pod, container string) (string, error) {
	content, err := os.ReadFile(k.logFile(pod, container))
	return string(content), err
}

// Addresses are host:port of what stands for the port of this name, by the name of the pod.
func (k *Kubelet) Addresses(port string) map[string]string {
	found := map[string]string{}
	for _, p := range k.all() {
		if number := p.port(port); number != 0 {
			found[p.name] = address(number)
		}
	}
	return found
}

// Metrics scrapes a pod at its port of this name.
func (k *Kubelet) Metrics(ctx context.Context, pod, port string) (Samples, error) {
	at := k.Addresses(port)[pod]
	if at == "" {
		return nil, fmt.Errorf("no pod %s with a port %s runs", pod, port)
	}
	return readMetrics(ctx, "http://"+at)
}

// round brings every pod one step further. When kube-apiserver is away what runs goes on.
func (k *Kubelet) round(ctx context.Context) {
	seen, err := k.observe(ctx)
	if err != nil {
		return
	}
	k.take(seen)
	for i := range seen.pods {
		if p := k.pod(&seen.pods[i]); p != nil {
			p.sync(ctx, &seen.pods[i], seen)
		}
	}
}

func (k *Kubelet) observe(ctx context.Context) (*observed, error) {
	core := k.box.Client.CoreV1()
	// From kube-apiserver's cache: this is asked several times a second.
	options := metav1.ListOptions{ResourceVersion: "0"}
	pods, err := core.Pods(KubeletNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	services, err := core.Services(KubeletNamespace).List(ctx, options)
	if err != nil {
		return nil, err
	}
	configMaps, err := core.ConfigMaps(KubeletNamespace).List(ctx, options)
	if err != nil {
		return nil, err
	}
	secrets, err := core.Secrets(KubeletNamespace).List(ctx, options)
	if err != nil {
		return nil, err
	}
	seen := &observed{pods: pods.Items, services: services.Items,
		configMaps: map[string]*corev1.ConfigMap{}, secrets: map[string]*corev1.Secret{}}
	for i := range configMaps.Items {
		seen.configMaps[configMaps.Items[i].Name] = &configMaps.Items[i]
	}
	for i := range secrets.Items {
		seen.secrets[secrets.Items[i].Name] = &secrets.Items[i]
	}
	return seen, nil
}

// take remembers the Services and ends the programs of pods that are gone, as a forced deletion
// leaves them.
func (k *Kubelet) take(seen *observed) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.services = seen.services
	for uid, p := range k.pods {
		isThis := func(pod corev1.Pod) bool { return pod.UID == uid }
		if !slices.ContainsFunc(seen.pods, isThis) {
			p.end(0, false)
			delete(k.pods, uid)
		}
	}
}

// pod is what runs of a pod of the API server; nil where that is none of ours.
func (k *Kubelet) pod(object *corev1.Pod) *pod {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.pods[object.UID]; p != nil {
		return p
	}
	if object.Spec.NodeName == "" || isOver(object) {
		return nil
	}
	k.begun++
	p := newPod(k, object, fmt.Sprintf("10.244.%d.%d", k.begun/250, 1+k.begun%250))
	k.pods[object.UID], k.dirs[object.Name] = p, p.dir
	return p
}

func (k *Kubelet) all() []*pod {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all []*pod
	for _, p := range k.pods {
		all = append(all, p)
	}
	return all
}

// logFile is where the container of the latest pod of this name writes; none where there was none.
func (k *Kubelet) logFile(pod, container string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return filepath.Join(k.dirs[pod], container+".log")
}

// writeLogs writes the end of every container's log.
func (k *Kubelet) writeLogs(w io.Writer) {
	files, _ := filepath.Glob(filepath.Join(k.box.Dir, "pods", "*", "*.log")) // a good pattern
	for _, file := range files {
		fmt.Fprintf(w, "--- %s ends with:\n%s\n", file, tail(file, logTailLines))
	}
}
