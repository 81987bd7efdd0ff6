package judge

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/types"
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

const (
	watchDecisions = "/berth.v1.Placement/WatchDecisions"
	frameHeader    = 5 // compressed or not, then the length of the message
	maxFrame       = 1 << 20
)

// followDecisions hears what Berth at that address decides, over gRPC, and connects again whenever
// the connection ends.
func followDecisions(ctx context.Context, address string, saw func(decision)) {
	for ctx.Err() == nil {
		// An error is a Berth that is away. What it has decided unheard makes a verdict unclear.
		_ = hearDecisions(ctx, address, saw)
		pause(ctx)
	}
}

// hearDecisions makes one call. gRPC is HTTP/2 with frames of messages in the body.
func hearDecisions(ctx context.Context, address string, saw func(decision)) error {
	client := http.Client{Transport: plainHTTP2()}
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost,
		"http://"+address+watchDecisions, bytes.NewReader(make([]byte, frameHeader)))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/grpc")
	request.Header.Set("TE", "trailers")
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	for {
		message, err := readFrame(response.Body)
		if err != nil {
			return err
		}
		if err := take(message, saw); err != nil {
			return err
		}
	}
}

func plainHTTP2() *http.Transport {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	return transport
}

func readFrame(from io.Reader) ([]byte, error) {
	var header [frameHeader]byte
	if _, err := io.ReadFull(from, header[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(header[1:])
	if header[0] != 0 || size > maxFrame {
		return nil, fmt.Errorf("a frame of %d bytes, compressed: %d", size, header[0])
	}
	message := make([]byte, size)
	_, err := io.ReadFull(from, message)
	return message, err
}

// take reads one berth.v1.WatchDecisionsResponse.
func take(message []byte, saw func(decision)) error {
	return eachField(message, func(field protowire.Number, _ uint64, content []byte) error {
		if field != fieldDecision {
			return nil
		}
		var d decision
		err := eachField(content, d.set)
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

// eachField calls visit with every field: its number where it is a varint, its content where it is
// of a length.
func eachField(message []byte, visit func(protowire.Number, uint64, []byte) error) error {
	for len(message) > 0 {
		field, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return protowire.ParseError(size)
		}
		message = message[size:]
		var number uint64
		var content []byte
		switch kind {
		case protowire.VarintType:
			number, size = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			content, size = protowire.ConsumeBytes(message)
		default:
			size = protowire.ConsumeFieldValue(field, kind, message)
		}
		if size < 0 {
			return protowire.ParseError(size)
		}
		message = message[size:]
		if err := visit(field, number, content); err != nil {
			return err
		}
	}
	return nil
}
