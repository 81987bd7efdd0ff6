//go:build !long

package gangs

import "time"

const (
	// seeds is the number of pairs of gangs that compete.
	seeds = 3
	// timeout is planner.gangs.timeout, unless a test needs another. It is longer than programs take to
	// start again on a busy machine.
	timeout = 5 * time.Minute
	// handover is how soon after the end of a gang another one that waits for its nodes has all of them.
	// It is longer than what is promised, because other tests may run beside this one.
	handover = 5 * time.Second
)
