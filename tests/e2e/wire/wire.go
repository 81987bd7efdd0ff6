// Package wire speaks gRPC without generated code: calls with an empty request, and the fields of the
// messages that answer them.
package wire

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"

	"google.golang.org/protobuf/encoding/protowire"
)

const (
	frameHeader = 5 // compressed or not, then the length of the message
	maxFrame    = 1 << 20
)

// Call is a call that the server has accepted. gRPC is HTTP/2 with frames of messages in the body.
type Call struct {
	client   *http.Client
	response *http.Response
}

// Start calls "/<service>/<method>" at a plain address. From when it returns a stream has everything.
func Start(ctx context.Context, address, method string) (*Call, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+method,
		bytes.NewReader(make([]byte, frameHeader)))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/grpc")
	request.Header.Set("TE", "trailers")
	client := &http.Client{Transport: plainHTTP2()}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	return &Call{client: client, response: response}, nil
}

// Close ends the call.
func (c *Call) Close() {
	_ = c.response.Body.Close()
	c.client.CloseIdleConnections()
}

// Next waits for the next message. io.EOF: there are no more, and the status is OK.
func (c *Call) Next() ([]byte, error) {
	message, err := readFrame(c.response.Body)
	if !errors.Is(err, io.EOF) {
		return message, err
	}
	// A call that is refused has its status among the headers.
	for _, from := range []http.Header{c.response.Trailer, c.response.Header} {
		switch status := from.Get("Grpc-Status"); status {
		case "":
		case "0":
			return nil, io.EOF
		default:
			return nil, fmt.Errorf("gRPC status %s: %s", status, from.Get("Grpc-Message"))
		}
	}
	return nil, io.ErrUnexpectedEOF
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

// EachField calls visit with every field: its number where it is a varint, its content where it is of
// a length.
func EachField(message []byte, visit func(protowire.Number, uint64, []byte) error) error {
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
