package box

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestRetryTellsWhatFailedLast(t *testing.T) {
	tries := 0
	err := Retry(t.Context(), time.Minute, "the third", func(context.Context) error {
		if tries++; tries < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	if err != nil || tries != 3 {
		t.Errorf("%d tries: %v", tries, err)
	}

	failure := errors.New("the disk is full")
	err = Retry(t.Context(), time.Millisecond, "a file", func(context.Context) error { return failure })
	if !errors.Is(err, failure) || !errors.Is(err, context.DeadlineExceeded) ||
		!strings.Contains(err.Error(), "a file") {
		t.Errorf("error %v", err)
	}
}
