package box

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Helm runs the real helm as an administrator of the box would, for KubeletNamespace, and returns
// what it says.
func (b *Box) Helm(ctx context.Context, arguments ...string) (string, error) {
	program, err := Program("helm")
	if err != nil {
		return "", err
	}
	command := exec.CommandContext(ctx, program, arguments...)
	command.Env = append(os.Environ(), "KUBECONFIG="+b.Kubeconfig, "HELM_NAMESPACE="+KubeletNamespace)
	for _, folder := range []string{"CACHE", "CONFIG", "DATA"} {
		command.Env = append(command.Env,
			"HELM_"+folder+"_HOME="+filepath.Join(b.Dir, "helm", strings.ToLower(folder)))
	}
	said, err := command.CombinedOutput()
	if err != nil {
		return string(said), fmt.Errorf("helm %s: %w\n%s", strings.Join(arguments, " "), err, said)
	}
	return string(said), nil
}

// RenderChart is what `helm template` makes of Berth's chart with these arguments: all objects, in
// YAML. It needs no box.
func RenderChart(ctx context.Context, arguments ...string) ([]byte, error) {
	program, err := Program("helm")
	if err != nil {
		return nil, err
	}
	chart, err := Chart()
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, program,
		append([]string{"template", "berth", chart}, arguments...)...)
	var said bytes.Buffer
	command.Stderr = &said
	rendered, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("helm template: %w\n%s", err, said.String())
	}
	return rendered, nil
}

// Chart is the folder of Berth's chart.
func Chart() (string, error) {
	root, err := RepoRoot()
	return filepath.Join(root, "charts", "berth"), err
}
