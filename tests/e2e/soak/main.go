// Command soak has pods and faults come and go on the reference cluster and watches Berth's memory,
// threads, files and answer times. It writes the samples as JSON and draws them, and exits with 1
// if memory is not flat.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"berth.dev/berth/tests/e2e/box"
)

type options struct {
	length time.Duration
	every  time.Duration
	plot   string // file
	json   string // file
}

func main() {
	var o options
	flag.DurationVar(&o.length, "for", 30*time.Minute, "how long pods and faults come and go")
	flag.DurationVar(&o.every, "every", 10*time.Second, "time between two samples")
	flag.StringVar(&o.plot, "plot", "docs/soak.svg", "SVG file, from the repository's root")
	flag.StringVar(&o.json, "json", "build/soak.json", "JSON file, from the repository's root")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM,
		syscall.SIGHUP)
	err := run(ctx, o, os.Stdout)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, out io.Writer) error {
	samples, err := soak(ctx, o, out)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errors.New("ended before its time")
	}
	t, err := trendOf(samples)
	if err != nil {
		return err
	}
	if err := box.WriteFile(o.json, func(file io.Writer) error {
		encoder := json.NewEncoder(file)
		encoder.SetIndent("", "  ")
		return encoder.Encode(samples)
	}); err != nil {
		return err
	}
	caption := fmt.Sprintf("280 nodes, 10 pods/s, one fault a second; %s/%s, %d CPUs",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if err := box.WriteFile(o.plot, func(file io.Writer) error {
		return draw(file, samples, caption)
	}); err != nil {
		return err
	}
	fmt.Fprintln(out, t)
	return errors.Join(busy(samples, o.length), t.verdict())
}
