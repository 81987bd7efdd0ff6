package node

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"berth.dev/berth/tests/e2e/box"
)

// outside is this program's pid where Enter was called. Before SetUp /proc is still of there.
var outside = func() string {
	pid, _ := os.Readlink("/proc/self") // every Linux has one
	return pid
}()

// entrance: pid, kubeconfig, cache of kubectl, folder of the node, folders of programs.
const entrance = `#!/bin/sh
# Runs a command in the network, mounts and processes of the cluster; without one, a shell.
[ $# -gt 0 ] || set -- "${SHELL:-/bin/sh}"
exec nsenter --target %[1]s --net --mount --pid env \
  KUBECONFIG='%[2]s' KUBECACHEDIR='%[3]s' \
  CONTAINERD_ADDRESS='%[4]s/containerd.sock' CONTAINERD_NAMESPACE=k8s.io \
  PATH='%[5]s':"$PATH" \
  sh -c 'cd "$0" && exec "$@"' "$PWD" "$@"
`

// WriteEntrance makes a script by which other terminals reach the cluster, and returns its path.
func (n *Node) WriteEntrance() (string, error) {
	kubectl, err := box.Program("kubectl")
	if err != nil {
		return "", err
	}
	plugins, err := n.linkPlugin()
	if err != nil {
		return "", err
	}
	path := filepath.Join(os.TempDir(), entranceName)
	programs := []string{filepath.Dir(kubectl), filepath.Dir(BuiltBerth()), plugins}
	script := fmt.Sprintf(entrance, outside, n.box.Kubeconfig, filepath.Join(n.folder, kubectlCache),
		n.folder, strings.Join(programs, ":"))
	return path, os.WriteFile(path, []byte(script), 0o700)
}

// linkPlugin makes a folder in which kubectl finds Berth as its plugin. The link leads nowhere where
// Berth is not there; then kubectl knows no such command.
func (n *Node) linkPlugin() (string, error) {
	folder := filepath.Join(n.folder, "plugins")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	return folder, os.Symlink(BuiltBerth(), filepath.Join(folder, "kubectl-berth"))
}

// BuiltBerth is where `make image` leaves the program that it puts into the image. An image that was
// brought here comes without.
func BuiltBerth() string {
	root, _ := box.RepoRoot() // else nothing here would run
	return filepath.Join(root, "build", "image", "cli", "berth")
}
