package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"berth.dev/berth/tests/e2e/box"
)

// printVersions names the programs that run, and what is not real.
func printVersions(ctx context.Context, out io.Writer, berth bool) error {
	var lines []string
	names := []string{"kube-apiserver", "kube-scheduler", "etcd", "kwok"}
	if berth {
		names = append(names, "berth")
	}
	for _, name := range names {
		version, err := box.Version(ctx, name)
		if err != nil {
			return err
		}
		lines = append(lines, name+": "+version)
	}
	fmt.Fprintln(out, strings.Join(lines, "\n"))
	fmt.Fprintln(out, "real: the control plane, its scheduling and its TLS; "+
		"simulated by KWOK: the nodes, whose containers do not run")
	return nil
}
