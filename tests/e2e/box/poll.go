package box

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// Poll calls holds until it says so, or has an error. The error names what was awaited.
func Poll(
	ctx context.Context, timeout time.Duration, what string,
	holds func(context.Context) (bool, error),
) error {
	err := wait.PollUntilContextTimeout(ctx, readyInterval, timeout, true, holds)
	if err != nil {
		return fmt.Errorf("waited %s in vain for %s: %w", timeout, what, err)
	}
	return nil
}
