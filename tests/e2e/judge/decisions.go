package judge

import (
	"context"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/types"

	"berth.dev/berth/tests/e2e/wire"
)

// decision is what Berth says of a pod: nodes counted as they were at this revision, or later.
type decision struct {
	pod          types.UID
	nodeRevision int64
}

// Of berth.v1.WatchDecisionsResponse and berth.v1.Decision in proto/berth/v1/placement.proto.
const (
	fieldDecision     = 1
	fieldPodUID       = 4
	fieldNodeRevision = 10
)

const watchDecisions = "/berth.v1.Placement/WatchDecisions"

// followDecisions hears what Berth at that address decides, over gRPC, and connects again whenever
// the connection ends.
func followDecisions(ctx context.Context, address string, saw func(decision)) {
	for ctx.Err() == nil {
		// An error is a Berth that is away. What it has decided unheard makes a verdict unclear.
		_ = hearDecisions(ctx, address, saw)
		pause(ctx)
	}
}

// hearDecisions makes one call.
func hearDecisions(ctx context.Context, address string, saw func(decision)) error {
	call, err := wire.Start(ctx, address, watchDecisions)
	if err != nil {
		return err
	}
	defer call.Close()
	for {
		message, err := call.Next()
		if err != nil {
			return err
		}
		if err := take(message, saw); err != nil {
			return err
		}
	}
}

// take reads one berth.v1.WatchDecisionsResponse.
func take(message []byte, saw func(decision)) error {
	return wire.EachField(message, func(field protowire.Number, _ uint64, content []byte) error {
		if field != fieldDecision {
			return nil
		}
		var d decision
		err := wire.EachField(content, d.set)
		saw(d)
		return err
	})
}

func (d *decision) set(field protowire.Number, number uint64, content []byte) error {
	switch field {
	case fieldPodUID:
		d.pod = types.UID(content)
	case fieldNodeRevision:
		d.nodeRevision = int64(number)
	}
	return nil
}
