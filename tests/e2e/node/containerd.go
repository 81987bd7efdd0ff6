package node

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"berth.dev/berth/tests/e2e/box"
)

const (
	pauseImage = "e2e.berth.dev/pause:1"
	// trainerImage holds the program in trainer/.
	trainerImage = "e2e.berth.dev/trainer:1"
)

// containerdConfig is of version 3 (github.com/containerd/containerd, docs/cri/config.md): folder,
// pause image, plugins of the network and its configuration.
const containerdConfig = `
version = 3
root = "%[1]s/containerd"
state = "%[1]s/containerd-state"
disabled_plugins = ["io.containerd.nri.v1.nri"]
[grpc]
  address = "%[1]s/containerd.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "%[1]s/opt"
[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "%[2]s"
[plugins."io.containerd.cri.v1.runtime"]
  # Without CAP_SYS_RESOURCE runc cannot lower the score, and says so by dying.
  restrict_oom_score_adj = true
  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
      SystemdCgroup = false
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["%[3]s"]
    conf_dir = "%[1]s/cni"
`

// networkConfig is CNI's: a bridge, on which pods have addresses of the range; folder.
const networkConfig = `{
  "cniVersion": "1.0.0",
  "name": "pods",
  "plugins": [{
    "type": "bridge", "bridge": "%[1]s", "isGateway": true, "hairpinMode": true,
    "ipam": {
      "type": "host-local", "dataDir": "%[3]s/addresses",
      "ranges": [[{"subnet": "%[2]s"}]], "routes": [{"dst": "0.0.0.0/0"}]
    }
  }]
}
`

func (n *Node) startContainerd(ctx context.Context) error {
	config := filepath.Join(n.folder, "containerd.toml")
	network := filepath.Join(n.folder, "cni", "pods.conflist")
	if err := os.MkdirAll(filepath.Dir(network), 0o700); err != nil {
		return err
	}
	if err := writeAll(map[string]string{
		config:  fmt.Sprintf(containerdConfig, n.folder, pauseImage, pluginFolder),
		network: fmt.Sprintf(networkConfig, n.bridge, n.pods, n.folder),
	}); err != nil {
		return err
	}
	shim, err := box.Program("containerd-shim-runc-v2")
	if err != nil {
		return err
	}
	n.containerd, err = n.box.Run(ctx, box.Daemon{
		Program: "containerd", Name: "containerd" + n.logs, Arguments: []string{"--config", config},
		Environment: []string{"PATH=" + filepath.Dir(shim) + ":" + os.Getenv("PATH")},
		Ready:       func(ctx context.Context) error { return n.ctr(ctx, "version") },
	})
	return err
}

// Import has the node know the image in an archive, as if it had been pulled.
func (n *Node) Import(ctx context.Context, archive string) error {
	return n.ctr(ctx, "images", "import", "--label", "io.cri-containerd.image=managed", archive)
}

// importProgram makes an image of a program that build.sh builds.
func (n *Node) importProgram(ctx context.Context, reference, name string) error {
	program, err := box.Program(name)
	if err != nil {
		return err
	}
	return n.importFile(ctx, reference, program)
}

func (n *Node) importFile(ctx context.Context, reference, program string) error {
	file := filepath.Join(n.folder, filepath.Base(program)+".tar")
	defer os.Remove(file)
	if err := writeImage(file, reference, program); err != nil {
		return err
	}
	return n.Import(ctx, file)
}

// importOwn compiles a program of a folder beside this file into an image: it is in no registry
// that is reached from here.
func (n *Node) importOwn(ctx context.Context, reference, name string) error {
	root, err := box.RepoRoot()
	if err != nil {
		return err
	}
	program := filepath.Join(n.folder, name)
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./node/"+name)
	build.Dir = filepath.Join(root, "tests", "e2e")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", build, err, said)
	}
	return n.importFile(ctx, reference, program)
}

func (n *Node) ctr(ctx context.Context, arguments ...string) error {
	program, err := box.Program("ctr")
	if err != nil {
		return err
	}
	socket := filepath.Join(n.folder, "containerd.sock")
	command := exec.CommandContext(ctx, program,
		append([]string{"--address", socket, "--namespace", "k8s.io"}, arguments...)...)
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("ctr %s: %w\n%s", arguments[0], err, said)
	}
	return nil
}

func writeAll(contents map[string]string) error {
	for path, content := range contents {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}
