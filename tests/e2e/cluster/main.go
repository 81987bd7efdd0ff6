// Command cluster installs Berth's chart on a real node beside the simulated ones of the reference
// cluster, shows a Job on either kind, and leaves all of it running until Ctrl-C, with a board for
// browsers. It runs in namespaces of its own, of which nothing is left. It has to be run in the
// repository, and by root.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"berth.dev/berth/tests/e2e/node"
)

// interrupted is what shells report of a program that Ctrl-C ended.
const interrupted = 130

func main() {
	once := flag.Bool("once", false, "end when all has been shown")
	check := flag.Bool("check", false, "only say whether a real node can run here")
	clean := flag.Bool("clean", false, "only end and remove what a run that was killed has left")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "cluster: unknown argument %q: see --help\n", flag.Arg(0))
		os.Exit(2)
	}
	switch {
	case *clean:
		os.Exit(report(node.Clean(os.Stdout)))
	case node.Inside():
		os.Exit(runInside(*once))
	case node.Missing() != "":
		os.Exit(report(fmt.Errorf("%s", node.Missing())))
	case !*check:
		os.Exit(enter())
	}
}

// enter runs all of it in namespaces, and gives it a listener of the network here.
func enter() int {
	outside, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return report(err)
	}
	code, err := node.Enter(outside)
	report(err)
	return code
}

func runInside(once bool) int {
	outside, err := node.Given(0)
	if err != nil {
		return report(err)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM,
		syscall.SIGHUP)
	defer cancel()
	s := &show{out: os.Stdout, outside: outside}
	err = s.run(ctx)
	if err == nil && !once {
		s.keep(ctx)
	}
	s.stop()
	if err != nil && ctx.Err() != nil {
		return interrupted
	}
	return report(err)
}

func report(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "cluster:", err)
	if advice := node.Advice(err); advice != "" {
		fmt.Fprintln(os.Stderr, advice)
	}
	return 1
}
