// Package doctor holds `berth doctor` to its promises: the chart is installed by the real helm on a
// real control plane, its pods run their real programs, and then one thing after the other is broken.
// What is broken is found, by the check that is for it and by no other. One box serves all tests.
package doctor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"berth.dev/berth/tests/e2e/box"
	"berth.dev/berth/tests/e2e/fleet"
)

const (
	nodesPerPool = 2
	release      = "berth"
	namespace    = box.KubeletNamespace
)

// shared is the box that all tests use.
var shared *box.Box

func TestMain(m *testing.M) { os.Exit(runSuite(m)) }

func runSuite(m *testing.M) int {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	var err error
	shared, err = box.Start(ctx, box.Options{Kubelet: true, Stages: fleet.Stages})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer shared.Stop()
	interrupted := context.AfterFunc(ctx, func() {
		shared.Stop()
		os.Exit(130) // what shells report of a program that Ctrl-C ended
	})
	defer interrupted()
	code := 1
	if err := install(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	if code != 0 {
		shared.KeepLogs(os.Stderr)
	}
	return code
}

// install fills the box with nodes and Berth.
func install(ctx context.Context) error {
	if err := fleet.CreateNodes(ctx, shared.Client, fleet.Small(nodesPerPool)); err != nil {
		return err
	}
	helm, err := box.Program("helm")
	if err != nil {
		return err
	}
	root, err := box.RepoRoot()
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, helm, "install", release,
		filepath.Join(root, "charts", "berth"), "--create-namespace", "--wait", "--timeout", "4m")
	command.Env = append(os.Environ(), "KUBECONFIG="+shared.Kubeconfig, "HELM_NAMESPACE="+namespace)
	for _, folder := range []string{"CACHE", "CONFIG", "DATA"} {
		command.Env = append(command.Env,
			"HELM_"+folder+"_HOME="+filepath.Join(shared.Dir, "helm", strings.ToLower(folder)))
	}
	if said, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("helm install: %w\n%s", err, said)
	}
	return nil
}
