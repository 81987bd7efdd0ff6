package node

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"berth.dev/berth/tests/e2e/box"
)

// Node is a node that really runs what is placed on it. Thread-safe once Start has returned.
type Node struct {
	place
	box        *box.Box
	folder     string
	containerd *box.Process
	kubelet    *box.Process
	proxy      *box.Process
}

// place is what tells a node from others on the same machine.
type place struct {
	name    string
	address string
	pods    string // range of their addresses
	bridge  string // to which they are connected
	cgroups string // below which theirs are
	labels  string
	logs    string // what follows the name of a program in that of its log
}

// firstPlace is that of the node that Start starts.
var firstPlace = place{name: Name, address: Address, pods: podRange, bridge: "pods0", cgroups: "/",
	labels: box.LabelRealNode + "=true"}

// Start returns when the node is ready and the cluster's DNS answers. The box has to be started
// with Address as its Options.NodeAddress, after SetUp. The node knows the images of the chart's
// kube-scheduler and of Berth, which `make image` makes.
func Start(ctx context.Context, b *box.Box) (*Node, error) {
	n, err := newNode(b, "node", firstPlace)
	if err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{
		n.startContainerd, n.importImages, n.startKubelet, n.startProxy, n.startDNS,
	} {
		if err := step(ctx); err != nil {
			return n, err
		}
	}
	return n, nil
}

// newNode makes a node of which nothing runs yet. Sockets are below its folder, so the name of that
// has four letters at most: see longestFolder.
func newNode(b *box.Box, folder string, at place) (*Node, error) {
	n := &Node{place: at, box: b, folder: filepath.Join(b.Dir, folder)}
	if err := os.MkdirAll(n.folder, 0o700); err != nil {
		return nil, err
	}
	b.AtEnd(n.tidy)
	return n, nil
}

// SetUp is to be called inside, before the box starts.
func SetUp() error {
	for _, step := range []func() error{hideMachine, fixTunables, setUpNetwork} {
		if err := step(); err != nil {
			return fmt.Errorf("set up the namespaces: %w", err)
		}
	}
	return nil
}

// Stop ends what runs on the node, and takes away what is mounted below the box's folder. It may be
// called after a Start that failed; a box that stops needs no Stop before it.
func (n *Node) Stop() {
	for _, process := range []*box.Process{n.kubelet, n.proxy} {
		if process != nil {
			process.Stop()
		}
	}
	killPods()
	if n.containerd != nil {
		n.containerd.Stop()
	}
	n.tidy()
}

// tidy is for when no program runs that could start or mount something anew. What may be kept are
// logs, and not what is hundreds of times as large.
func (n *Node) tidy() {
	killPods()
	unmountBelow(n.folder)
	for _, name := range []string{"containerd", "containerd-state", "kubelet"} {
		_ = os.RemoveAll(filepath.Join(n.folder, name)) // the folder that these are in is temporary
	}
}

func (n *Node) importImages(ctx context.Context) error {
	image, err := builtImage("berth", "make image")
	if err != nil {
		return err
	}
	return errors.Join(n.Import(ctx, image),
		n.importProgram(ctx, "registry.k8s.io/kube-scheduler:v1.36.3", "kube-scheduler"),
		n.importProgram(ctx, dnsImage, "coredns"),
		n.importOwn(ctx, pauseImage, "pause"), n.importOwn(ctx, trainerImage, "trainer"))
}

// builtImage is the archive of an image that this command has written last. The version in its name
// begins with a digit, by which berth is none of berth-probe's.
func builtImage(name, command string) (string, error) {
	root, err := box.RepoRoot()
	if err != nil {
		return "", err
	}
	pattern := filepath.Join(root, "build", "image", name+"-[0-9]*.tar")
	found, err := filepath.Glob(pattern)
	if err != nil {
		return "", err
	}
	var newest string
	var written time.Time
	for _, path := range found {
		if info, err := os.Stat(path); err == nil && info.ModTime().After(written) {
			newest, written = path, info.ModTime()
		}
	}
	if newest == "" {
		return "", fmt.Errorf("there is no %s: run %s", pattern, command)
	}
	return newest, nil
}

// killPods ends all that runs in a pod. Kubelet would end them one by one, and is gone.
func killPods() {
	for _, root := range podCgroups() {
		_ = filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.Name() != "cgroup.procs" {
				return nil
			}
			content, _ := os.ReadFile(path) // gone: so are its processes
			for _, line := range strings.Fields(string(content)) {
				if pid, err := strconv.Atoi(line); err == nil && pid > 1 {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			}
			return nil
		})
	}
}

// unmountBelow takes the mounts of pods and containers away, the latest first.
func unmountBelow(folder string) {
	content, _ := os.ReadFile("/proc/self/mountinfo")
	for _, line := range slices.Backward(strings.Split(string(content), "\n")) {
		fields := strings.Fields(line)
		if len(fields) > 4 && strings.HasPrefix(fields[4], folder+"/") {
			_ = syscall.Unmount(fields[4], syscall.MNT_DETACH)
		}
	}
}

func answers(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, response.Status)
	}
	return nil
}
