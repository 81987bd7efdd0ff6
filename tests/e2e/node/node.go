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

	"berth.dev/berth/tests/e2e/box"
)

// Node is a node that really runs what is placed on it. Thread-safe once Start has returned.
type Node struct {
	box        *box.Box
	folder     string
	containerd *box.Process
	kubelet    *box.Process
	proxy      *box.Process
}

// Start returns when the node is ready and the cluster's DNS answers. The box has to be started
// with Address as its Options.NodeAddress, after SetUp. The node knows the images of the chart's
// kube-scheduler and of Berth, which `make image` makes.
func Start(ctx context.Context, b *box.Box) (*Node, error) {
	n := &Node{box: b, folder: filepath.Join(b.Dir, "node")}
	if err := os.MkdirAll(n.folder, 0o700); err != nil {
		return nil, err
	}
	b.AtEnd(n.tidy)
	for _, step := range []func(context.Context) error{
		n.startContainerd, n.importImages, n.startKubelet, n.startProxy, n.startDNS,
	} {
		if err := step(ctx); err != nil {
			return n, err
		}
	}
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
	image, err := berthImage()
	if err != nil {
		return err
	}
	return errors.Join(n.Import(ctx, image),
		n.importProgram(ctx, "registry.k8s.io/kube-scheduler:v1.36.3", "kube-scheduler"),
		n.importProgram(ctx, dnsImage, "coredns"),
		n.importOwn(ctx, pauseImage, "pause"), n.importOwn(ctx, trainerImage, "trainer"))
}

// berthImage is the archive that `make image` has written last.
func berthImage() (string, error) {
	root, err := box.RepoRoot()
	if err != nil {
		return "", err
	}
	found, err := filepath.Glob(filepath.Join(root, "build", "image", "berth-*.tar"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("want one build/image/berth-*.tar, found %d: run make image", len(found))
	}
	return found[0], nil
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
