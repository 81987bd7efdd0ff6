package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
	"berth.dev/berth/tests/e2e/node"
)

const (
	simulatedNodes = 70 // a quarter of the reference cluster
	fault          = "GPUIsLost"
	helmTimeout    = "3m"

	valuesFile = "tests/e2e/cluster/values.yaml"
	jobsFile   = "tests/e2e/cluster/jobs.yaml"
	namespace  = "research" // of the Jobs
)

// show is what the command does, and tells of to out.
type show struct {
	out     io.Writer
	outside net.Listener // of the network outside, for browsers

	begin      time.Time
	box        *box.Box
	entrance   string // script
	broken     map[string]bool
	waiting    string // pod that fits nowhere
	exporter   *exporter
	prometheus *box.Prometheus
	idleFrom   time.Time  // when `berth idle` knows of the first device that it is idle
	board      *box.Board // nil without Berth's program; then relay is nil, and boardURL empty
	relay      *box.Proxy // from outside to the board
	boardURL   string
}

// run brings up a cluster, installs Berth, has two Jobs placed and another one wait, and starts what
// shows that to people. It stops nothing.
func (s *show) run(ctx context.Context) error {
	s.begin = time.Now()
	if err := node.SetUp(); err != nil {
		return err
	}
	b, err := box.Start(ctx, box.Options{
		NodeAddress: node.Address, Stages: fleet.Stages, Progress: s.out,
	})
	if err != nil {
		return err
	}
	s.box = b
	for _, step := range []func(context.Context) error{
		s.startNode, s.createNodes, s.install, s.test, s.startPrometheus, s.createJobs,
		s.awaitMeasurement, s.startBoard,
	} {
		if err := step(ctx); err != nil {
			return s.keepLogs(ctx, err)
		}
	}
	return nil
}

// keepLogs keeps those of a failure that nobody can explain without them.
func (s *show) keepLogs(ctx context.Context, failure error) error {
	if ctx.Err() != nil || node.Advice(failure) != "" {
		return failure
	}
	s.box.KeepLogs(io.Discard)
	return fmt.Errorf("%w\n(logs are kept in %s; remove it when you have read them)", failure,
		filepath.Dir(s.box.Dir))
}

func (s *show) startNode(ctx context.Context) error {
	begin := time.Now()
	n, err := node.Start(ctx, s.box)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "a real node up in %.1f s: containerd, kubelet, kube-proxy, CoreDNS\n",
		time.Since(begin).Seconds())
	s.entrance, err = n.WriteEntrance()
	return err
}

// createNodes adds the simulated nodes. All that have an A100 but one are broken, so that everybody
// sees who has placed a pod on that.
func (s *show) createNodes(ctx context.Context) error {
	pools := fleet.Scaled(simulatedNodes)
	if err := fleet.CreateNodes(ctx, s.box.Client, pools); err != nil {
		return err
	}
	s.broken = map[string]bool{}
	var counts []string
	for _, pool := range pools {
		counts = append(counts, fmt.Sprintf("%d %s", pool.Nodes, kindOf(pool)))
		if pool.Accelerator != "A100" {
			continue
		}
		for index := range pool.Nodes - 1 {
			name := pool.NodeName(index)
			s.broken[name] = true
			if err := fleet.SetCondition(ctx, s.box.Client, name, fault, true); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(s.out, "%d nodes of KWOK beside it: %s\n%s holds on all but one of the nodes with "+
		"A100\n", simulatedNodes, strings.Join(counts, ", "), fault)
	return nil
}

func kindOf(pool fleet.Pool) string {
	if pool.Accelerator == "" {
		return "without accelerators"
	}
	return pool.Accelerator
}

func (s *show) install(ctx context.Context) error {
	root, err := box.RepoRoot()
	if err != nil {
		return err
	}
	begin := time.Now()
	s.say("helm install berth charts/berth --values " + valuesFile)
	_, err = s.box.Helm(ctx, "install", "berth", filepath.Join(root, "charts/berth"),
		"--values", filepath.Join(root, valuesFile), "--create-namespace", "--wait",
		"--timeout", helmTimeout)
	if err != nil {
		return err
	}
	pods, err := s.pods(ctx, box.KubeletNamespace)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%d of %d pods are ready after %.1f s\n", count(pods, isReady), len(pods),
		time.Since(begin).Seconds())
	writePods(s.out, pods)
	return nil
}

func (s *show) test(ctx context.Context) error {
	begin := time.Now()
	s.say("helm test berth")
	if _, err := s.box.Helm(ctx, "test", "berth", "--timeout", helmTimeout); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "passed in %.1f s\n", time.Since(begin).Seconds())
	return nil
}

// createJobs shows what their author reads, and where their pods are: one on either kind of node, and
// one on none.
func (s *show) createJobs(ctx context.Context) error {
	root, err := box.RepoRoot()
	if err != nil {
		return err
	}
	s.say("kubectl create -f " + jobsFile)
	if err := s.kubectl(ctx, "create", "-f", filepath.Join(root, jobsFile)); err != nil {
		return err
	}
	pods, err := s.awaitJobs(ctx, 2, 1)
	if err != nil {
		return err
	}
	for i := range pods {
		if isRefused(&pods[i]) {
			s.waiting = pods[i].Name
		}
	}
	fmt.Fprintln(s.out)
	writePods(s.out, pods)
	return s.judge(pods)
}

// judge returns an error unless the pods are where Berth should have had them placed.
func (s *show) judge(pods []corev1.Pod) error {
	for i := range pods {
		pod := &pods[i]
		if s.broken[pod.Spec.NodeName] {
			return fmt.Errorf("%s is on %s, where %s holds", pod.Name, pod.Spec.NodeName, fault)
		}
		if asksForGPU(pod) && pod.Spec.SchedulerName != "berth" {
			return fmt.Errorf("%s was placed by %s, want berth", pod.Name, pod.Spec.SchedulerName)
		}
		if pod.Status.QOSClass != corev1.PodQOSGuaranteed {
			return fmt.Errorf("%s is %s, want Guaranteed", pod.Name, pod.Status.QOSClass)
		}
	}
	return nil
}

// kubectl has its user see what it says.
func (s *show) kubectl(ctx context.Context, arguments ...string) error {
	program, err := box.Program("kubectl")
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, program, arguments...)
	command.Env = append(os.Environ(), "KUBECONFIG="+s.box.Kubeconfig)
	command.Stdout, command.Stderr = s.out, s.out
	if err := command.Run(); err != nil {
		return fmt.Errorf("kubectl %s: %w", strings.Join(arguments, " "), err)
	}
	return nil
}

func (s *show) say(command string) { fmt.Fprintf(s.out, "\n$ %s\n", command) }

// keep leaves the cluster as it is until its user has enough of it.
func (s *show) keep(ctx context.Context) {
	fmt.Fprintf(s.out, "\nAll of it was up after %.0f s and runs on until Ctrl-C.\n",
		time.Since(s.begin).Seconds())
	writeHints(s.out, sights{entrance: s.entrance, waiting: s.waiting, boardURL: s.boardURL,
		prometheus: s.prometheus.URL, idleFrom: s.idleFrom})
	s.watchBoard(ctx)
	fmt.Fprintln(s.out, "\nending all of it")
}

// stop ends all that run has started, also where that failed.
func (s *show) stop() {
	if s.box != nil {
		s.box.Stop()
	}
	if s.relay != nil {
		s.relay.Stop()
	}
	if s.exporter != nil {
		s.exporter.stop()
	}
}
