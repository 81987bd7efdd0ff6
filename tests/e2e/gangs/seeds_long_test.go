//go:build long

package gangs

import "time"

const (
	seeds   = 100
	timeout = 30 * time.Second
	// handover is what is promised: a gang that waits has all of its nodes so soon after the end of the
	// gang that had them.
	handover = 2 * time.Second
)
