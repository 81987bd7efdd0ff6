//go:build !long

package gangs

import "time"

const (
	// seeds is the number of pairs of gangs that compete.
	seeds = 3
	// timeout is planner.gangs.timeout, unless a test needs another. It is longer than programs take to
	// start again on a busy machine.
	timeout = 5 * time.Minute
)
