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
	"strconv"
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
	if o.rounds == 0 {
		return writeDumpFile(o, out)
	}
	if o.dump == "" {
		folder, err := os.MkdirTemp("", "berth-report-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		o.dump = filepath.Join(folder, "dump.json")
	}
	if err := provideDump(ctx, o, out); err != nil {
		return err
	}
	berth, err := box.BerthBinary()
	if err != nil {
		return err
	}
	var rounds []round
	for range o.rounds {
		r, err := report(ctx, berth, o.dump, o.output)
		if err != nil {
			return err
		}
		rounds = append(rounds, r)
		fmt.Fprintf(out, "%.2f s, %.2f s of processors, %.0f MiB\n", r.wall.Seconds(),
			r.cpu.Seconds(), r.memory)
	}
	return judge(rounds, o, out)
}

// judge prints the median and the ends, and returns an error where a report took too much memory, or
// the median of them too long: other work on the machine may slow down single ones.
func judge(rounds []round, o options, out io.Writer) error {
	slices.SortFunc(rounds, func(a, b round) int { return int(a.wall - b.wall) })
	median := rounds[len(rounds)/2].wall
	most := slices.MaxFunc(rounds, func(a, b round) int { return int(a.memory - b.memory) }).memory
	fmt.Fprintf(out, "%d nodes, %d pods, %d rounds: median %.2f s, %.2f to %.2f s; at most %.0f MiB\n",
		o.nodes, o.pods, len(rounds), median.Seconds(),
		rounds[0].wall.Seconds(), rounds[len(rounds)-1].wall.Seconds(), most)
	var exceeded []error
	if median > o.within {
		exceeded = append(exceeded, fmt.Errorf("the median is %.2f s, more than the limit of %s",
			median.Seconds(), o.within))
	}
	if most > float64(o.most) {
		exceeded = append(exceeded, fmt.Errorf("a report took %.0f MiB, more than the limit of %d MiB",
			most, o.most))
	}
	if len(exceeded) == 0 {
		fmt.Fprintf(out, "within the limits: a median of %s, and %d MiB\n", o.within, o.most)
	}
	return errors.Join(exceeded...)
}

// provideDump has the dump written unless its file is there. Another process does it: Linux counts
// what a process had before it became another program, and a child shares its parent's memory until
// then, so a report would seem to take at least what this process once took.
func provideDump(ctx context.Context, o options, out io.Writer) error {
	if _, err := os.Stat(o.dump); err == nil {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, self, "-rounds", "0", "-dump", o.dump,
		"-nodes", strconv.Itoa(o.nodes), "-pods", strconv.Itoa(o.pods))
	command.Stdout, command.Stderr = out, os.Stderr
	return command.Run()
}

// writeDumpFile writes the dump and says how large it is.
func writeDumpFile(o options, out io.Writer) error {
	file, err := os.Create(o.dump)
	if err != nil {
		return err
	}
	objects, err := writeDump(file, o.nodes, o.pods)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	info, err := os.Stat(o.dump)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "a dump of %d objects, %.2f GiB\n", objects, float64(info.Size())/(1<<30))
	return nil
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
