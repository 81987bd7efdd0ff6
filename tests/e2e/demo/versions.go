package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"berth.dev/berth/tests/e2e/box"
)

// printVersions names the programs that run, and what is not real.
func printVersions(ctx context.Context, out io.Writer, berth bool) error {
	var lines []string
	for _, name := range []string{"kube-apiserver", "kube-scheduler", "etcd", "kwok"} {
		path, err := box.Program(name)
		if err != nil {
			return err
		}
		version, err := firstLine(ctx, path, "--version")
		if err != nil {
			return err
		}
		lines = append(lines, name+": "+version)
	}
	if berth {
		path, err := box.BerthBinary()
		if err != nil {
			return err
		}
		version, err := firstLine(ctx, path, "version")
		if err != nil {
			return err
		}
		lines = append(lines, "berth: "+version)
	}
	fmt.Fprintln(out, strings.Join(lines, "\n"))
	fmt.Fprintln(out, "real: the control plane, its scheduling and its TLS; "+
		"simulated by KWOK: the nodes, whose containers do not run")
	return nil
}

func firstLine(ctx context.Context, path string, argument string) (string, error) {
	output, err := exec.CommandContext(ctx, path, argument).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", path, argument, err)
	}
	line, _, _ := strings.Cut(string(output), "\n")
	return line, nil
}
