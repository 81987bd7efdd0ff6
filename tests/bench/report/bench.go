package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"berth.dev/berth/tests/e2e/box"
)

// round is what one report took.
type round struct {
	wall   time.Duration
	cpu    time.Duration
	memory float64 // MiB, the most that was resident
}

func run(ctx context.Context, o options, out io.Writer) error {
	dump, err := dumpFile(o, out)
	if err != nil {
		return err
	}
	if o.dump == "" {
		defer os.RemoveAll(filepath.Dir(dump))
	}
	berth, err := box.BerthBinary()
	if err != nil {
		return err
	}
	var rounds []round
	for range o.rounds {
		r, err := report(ctx, berth, dump, o.output)
		if err != nil {
			return err
		}
		rounds = append(rounds, r)
		fmt.Fprintf(out, "%.2f s, %.2f s of processors, %.0f MiB\n", r.wall.Seconds(),
			r.cpu.Seconds(), r.memory)
	}
	return judge(rounds, o, out)
}

// judge prints the medians and the ends, and returns an error where a report took too much memory.
func judge(rounds []round, o options, out io.Writer) error {
	slices.SortFunc(rounds, func(a, b round) int { return int(a.wall - b.wall) })
	most := slices.MaxFunc(rounds, func(a, b round) int { return int(a.memory - b.memory) }).memory
	fmt.Fprintf(out, "%d nodes, %d pods, %d rounds: median %.2f s, %.2f to %.2f s; at most %.0f MiB\n",
		o.nodes, o.pods, len(rounds), rounds[len(rounds)/2].wall.Seconds(),
		rounds[0].wall.Seconds(), rounds[len(rounds)-1].wall.Seconds(), most)
	if most > float64(o.most) {
		return fmt.Errorf("a report took %.0f MiB, more than %d", most, o.most)
	}
	return nil
}

// dumpFile is the file of the dump, which it writes unless it is there.
func dumpFile(o options, out io.Writer) (string, error) {
	path := o.dump
	if path == "" {
		folder, err := os.MkdirTemp("", "berth-report-")
		if err != nil {
			return "", err
		}
		path = filepath.Join(folder, "dump.json")
	} else if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return "", err
	}
	objects, err := writeDump(file, o.nodes, o.pods)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(out, "a dump of %d objects, %.2f GiB\n", objects, float64(info.Size())/(1<<30))
	return path, nil
}

// report has berth make one, and returns what that took.
func report(ctx context.Context, berth, dump, output string) (round, error) {
	command := exec.CommandContext(ctx, berth, "report", "--objects", dump, "-o", output)
	command.Stdout, command.Stderr = io.Discard, os.Stderr
	begun := time.Now()
	if err := command.Run(); err != nil {
		return round{}, fmt.Errorf("berth report: %w", err)
	}
	state := command.ProcessState
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return round{}, errors.New("the system does not tell what a process took")
	}
	return round{wall: time.Since(begun), cpu: state.UserTime() + state.SystemTime(),
		memory: float64(usage.Maxrss) / 1024}, nil
}
