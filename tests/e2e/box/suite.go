package box

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Suite is what the tests of one package share: a box, and what is in it.
type Suite struct {
	Options Options
	// Fill is called when the box runs. Nothing is tested after its error.
	Fill func(context.Context, *Box) error
	// Stop unless nil: called before the box stops, also where that did not start.
	Stop func()
}

// RunSuite is the whole of TestMain: it runs the tests in a box of the suite's, and stops all of it
// when they are over, and after Ctrl-C. Where one failed, the programs' logs are shown and kept. It
// returns the exit code.
func RunSuite(m interface{ Run() int }, suite Suite) int {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	b, err := Start(ctx, suite.Options)
	stop := func() {
		if suite.Stop != nil {
			suite.Stop()
		}
		if b != nil {
			b.Stop()
		}
	}
	defer stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	interrupted := context.AfterFunc(ctx, func() {
		stop()
		os.Exit(130) // what shells report of a program that Ctrl-C ended
	})
	defer interrupted()
	code := 1
	if err := suite.Fill(ctx, b); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	if code != 0 {
		b.KeepLogs(os.Stderr)
	}
	return code
}
