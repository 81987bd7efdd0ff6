package figures

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"berth.dev/berth/tests/e2e/box"
)

// Main runs a benchmark until it ends, or until the user ends it. Exits with 1 where it fails.
func Main(name string, run func(context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM,
		syscall.SIGHUP)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Failed keeps the logs of the box, unless it was the user who ended the benchmark.
func Failed(ctx context.Context, b *box.Box, err error) error {
	if ctx.Err() == nil {
		b.KeepLogs(os.Stderr)
	}
	return err
}
