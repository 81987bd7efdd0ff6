//go:build long

package gangs

import "time"

const (
	seeds   = 100
	timeout = 30 * time.Second
)
