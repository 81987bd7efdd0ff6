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

// Retry calls try until it has no error. The error is the last one of try and names what was awaited.
func Retry(
	ctx context.Context, timeout time.Duration, what string, try func(context.Context) error,
) error {
	var last error
	err := Poll(ctx, timeout, what, func(ctx context.Context) (bool, error) {
		err := try(ctx)
		if err != nil && (last == nil || ctx.Err() == nil) {
			last = err // one that only says that time is up tells less than the one before
		}
		return err == nil, nil
	})
	if err == nil || last == nil {
		return err
	}
	return fmt.Errorf("%w: %w", err, last)
}
