// Package box runs a real Kubernetes control plane in a temporary folder: etcd, kube-apiserver,
// kube-controller-manager, kube-scheduler, KWOK for the nodes, and Berth beside them. Every program
// is a child of the caller on free loopback ports, and none outlives it.
package box

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	schedulerconfig "k8s.io/kube-scheduler/config/v1"
)

// Options say what a box holds. The zero value is a control plane with kube-scheduler alone.
type Options struct {
	// Berth starts the extender and registers it with kube-scheduler. Default: no Berth.
	Berth *BerthOptions
	// Scheduler changes kube-scheduler's configuration after the box has filled in its own part,
	// Berth's extender entry included. Default: nothing is changed.
	Scheduler func(*schedulerconfig.KubeSchedulerConfiguration)
	// Stages are the KWOK Stage objects (YAML documents). Default: pods run and end, nodes are left
	// as they are.
	Stages string
	// Kubelet runs the programs of the pods in KubeletNamespace, and has kube-apiserver reach their
	// Services. Default: KWOK's pods alone, whose programs are not run.
	Kubelet bool
	// Images are programs for containers of these images (the last part of their name, without a
	// tag), beside berth and what build.sh builds. Default: none.
	Images map[string]string
	// Programs replace programs that build.sh builds by others of them: kube-apiserver by one of
	// another version. Default: none.
	Programs map[string]string
	// PodGroups has kube-apiserver and kube-scheduler know PodGroups, which Kubernetes 1.37 does by
	// its feature GenericWorkload: replace both Programs. Default: they do not.
	PodGroups bool
	// NodeAddress is an address of this machine at which a real node and its pods reach
	// kube-apiserver (package node brings one). Default: none is here, and kube-apiserver is on
	// loopback alone.
	NodeAddress string
	// Progress receives a line when all of it serves. Default: nobody.
	Progress io.Writer
}

// Box is a running control plane. Thread-safe.
type Box struct {
	Dir        string // certificates, kubeconfigs, logs and etcd's data
	Kubeconfig string // of an administrator
	Config     *rest.Config
	Client     *kubernetes.Clientset

	Etcd              *Process
	APIServer         *Process
	ControllerManager *Process
	Kwok              *Process
	Scheduler         *Process
	Berth             *Berth        // nil without Options.Berth
	Kubelet           *Kubelet      // nil without Options.Kubelet
	Services          *ServiceProxy // nil without Options.Kubelet

	options      Options
	added        []*Process // those that callers added
	ca           *authority
	berthToken   string
	etcdPort     int
	apiPort      int
	schedulerURL string

	stopping sync.Mutex
	stopped  bool
	keep     bool
	atEnd    []func()
	release  func() bool // ends the watch on Start's context
}

// Start brings the control plane up and returns when all of it serves and pods can be created in
// the namespace default. When a part fails nothing is left running, and the error carries the end
// of its log. The box stops when ctx ends, or by Stop.
func Start(ctx context.Context, options Options) (*Box, error) {
	if options.Progress == nil {
		options.Progress = io.Discard
	}
	dir, err := os.MkdirTemp("", "berth-box-")
	if err != nil {
		return nil, err
	}
	b := &Box{Dir: dir, options: options}
	if err := b.start(ctx); err != nil {
		b.keep = ctx.Err() == nil // else it was the caller who wanted no more of it
		b.Stop()
		if b.keep {
			err = fmt.Errorf("%w\n(logs are kept in %s)", err, b.Dir)
		}
		return nil, err
	}
	b.release = context.AfterFunc(ctx, b.Stop)
	return b, nil
}

// Stop ends every program, those that others depend on last, and removes the folder unless
// KeepLogs was called. It may be called more than once.
func (b *Box) Stop() {
	b.stopping.Lock()
	defer b.stopping.Unlock()
	if b.stopped {
		return
	}
	b.stopped = true
	if b.release != nil {
		b.release()
	}
	if b.Kubelet != nil {
		b.Kubelet.stop()
	}
	processes := b.Processes()
	for i := len(processes) - 1; i >= 0; i-- {
		processes[i].Stop()
	}
	if b.Services != nil {
		b.Services.stop()
	}
	for _, tidy := range b.atEnd {
		tidy()
	}
	if !b.keep {
		_ = os.RemoveAll(b.Dir) // a leftover in the temporary folder is not worth an error
	}
}

// AtEnd has tidy called when all programs have ended, before the folder is removed.
func (b *Box) AtEnd(tidy func()) {
	b.stopping.Lock()
	defer b.stopping.Unlock()
	b.atEnd = append(b.atEnd, tidy)
}

// KeepLogs writes the end of every log to w and makes Stop keep the folder. For failed tests.
func (b *Box) KeepLogs(w io.Writer) {
	b.stopping.Lock()
	defer b.stopping.Unlock()
	b.keep = true
	for _, process := range b.Processes() {
		state := "runs"
		if !process.Running() {
			state = "has ended"
		}
		fmt.Fprintf(w, "--- %s %s; %s ends with:\n%s\n", process.Name, state, process.LogFile,
			tail(process.LogFile, logTailLines))
	}
	if b.Kubelet != nil {
		b.Kubelet.writeLogs(w)
	}
	fmt.Fprintf(w, "logs are kept in %s\n", b.Dir)
}

// Processes lists the programs in the order in which they were started.
func (b *Box) Processes() []*Process {
	all := []*Process{b.Etcd, b.APIServer, b.ControllerManager, b.Kwok}
	if b.Berth != nil {
		all = append(all, b.Berth.Process)
	}
	all = append(all, b.Scheduler)
	all = append(all, b.added...)
	var made []*Process
	for _, process := range all {
		if process != nil {
			made = append(made, process)
		}
	}
	return made
}

func (b *Box) start(ctx context.Context) error {
	if err := b.prepare(); err != nil {
		return err
	}
	begin := time.Now()
	steps := []func(context.Context) error{
		b.startEtcd, b.startAPIServer, b.startControllerManager, b.startKwok, b.awaitUsable,
		b.startKubelet, b.startBerth, b.startScheduler,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	var names []string
	for _, process := range b.Processes() {
		names = append(names, process.Name)
	}
	fmt.Fprintf(b.options.Progress, "control plane up in %.1f s: %s\n", time.Since(begin).Seconds(),
		strings.Join(names, ", "))
	return nil
}

// prepare makes all that programs need before the first one starts: keys, ports, clients.
func (b *Box) prepare() error {
	if b.options.Berth != nil {
		if _, err := BerthBinary(); err != nil {
			return err // before anything has to be stopped again
		}
	}
	var err error
	if b.ca, err = newAuthority(b.Dir); err != nil {
		return fmt.Errorf("certificate authority: %w", err)
	}
	var etcdErr, apiErr error
	b.etcdPort, etcdErr = freePort()
	b.apiPort, apiErr = freePort()
	if err := errors.Join(etcdErr, apiErr, b.writeUsers()); err != nil {
		return err
	}
	b.Kubeconfig = b.kubeconfigOf(userAdmin)
	if b.Config, err = clientcmd.BuildConfigFromFlags("", b.Kubeconfig); err != nil {
		return err
	}
	b.Config.QPS = -1 // no client-side limit: tests create hundreds of objects at once
	// As Kubernetes' own programs do; JSON would cost kube-apiserver and tests more than the rest.
	b.Config.ContentType = runtime.ContentTypeProtobuf
	b.Config.WarningHandler = rest.NoWarnings{} // who wants to hear them brings a handler
	if b.Client, err = kubernetes.NewForConfig(b.Config); err != nil || !b.options.Kubelet {
		return err
	}
	b.Kubelet = newKubelet(b)
	b.Services, err = startServiceProxy(b.Dir, b.Kubelet)
	return err
}

func (b *Box) startKubelet(context.Context) error {
	if b.Kubelet == nil {
		return nil
	}
	return b.Kubelet.start()
}

// newProcess describes one of the programs that build.sh builds; it is not started yet.
func (b *Box) newProcess(
	name string, ready func(context.Context) error, args ...string,
) (*Process, error) {
	path, err := b.pathOf(name)
	if err != nil {
		return nil, err
	}
	return &Process{Name: name, LogFile: b.logFile(name), path: path, args: args, ready: ready}, nil
}

// pathOf is the path of a program, or of the one that replaces it.
func (b *Box) pathOf(program string) (string, error) {
	return Program(cmp.Or(b.options.Programs[program], program))
}

// add has the box stop a process at the latest when it stops itself.
func (b *Box) add(process *Process) {
	b.stopping.Lock()
	defer b.stopping.Unlock()
	b.added = append(b.added, process)
}

// newServer finds a port for a program and issues its certificate.
func (b *Box) newServer(name string) (int, keyPair, error) {
	port, err := freePort()
	if err != nil {
		return 0, keyPair{}, err
	}
	serving, err := b.ca.Server(name)
	return port, serving, err
}
