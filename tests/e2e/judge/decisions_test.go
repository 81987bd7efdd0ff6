package judge

import (
	"encoding/binary"
	"net"
	"net/http"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// frameOf is a berth.v1.WatchDecisionsResponse about one pod as gRPC sends it.
func frameOf(pod string, nodeRevision uint64) []byte {
	var d []byte
	d = protowire.AppendTag(d, 2, protowire.BytesType) // pod_namespace
	d = protowire.AppendString(d, "default")
	d = protowire.AppendTag(d, fieldPodUID, protowire.BytesType)
	d = protowire.AppendString(d, pod)
	d = protowire.AppendTag(d, 6, protowire.VarintType) // fitting
	d = protowire.AppendVarint(d, 3)
	d = protowire.AppendTag(d, fieldNodeRevision, protowire.VarintType)
	d = protowire.AppendVarint(d, nodeRevision)
	var message []byte
	message = protowire.AppendTag(message, fieldDecision, protowire.BytesType)
	message = protowire.AppendBytes(message, d)
	message = protowire.AppendTag(message, 2, protowire.VarintType) // lost
	message = protowire.AppendVarint(message, 7)
	frame := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message)))
	return append(frame, message...)
}

// serve answers each call of WatchDecisions with these frames, then ends it.
func serve(t *testing.T, frames ...[]byte) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Protocols: new(http.Protocols), ReadHeaderTimeout: awaitTimeout}
	server.Protocols.SetUnencryptedHTTP2(true)
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != watchDecisions || r.Header.Get("Content-Type") != "application/grpc" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		for _, frame := range frames {
			_, _ = w.Write(frame)
		}
	})
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close(); <-done })
	return listener.Addr().String()
}

func TestDecisionsAreHeardAgainAndAgain(t *testing.T) {
	address := serve(t, frameOf("a", 41), frameOf("b", 1<<40))
	heard := make(chan decision, 100)
	done := make(chan struct{})
	go func() {
		defer close(done)
		followDecisions(t.Context(), address, func(d decision) { heard <- d })
	}()
	t.Cleanup(func() { <-done })
	for _, want := range []decision{{"a", 41}, {"b", 1 << 40}, {"a", 41}, {"b", 1 << 40}} {
		select {
		case got := <-heard:
			if got != want {
				t.Errorf("heard %+v, want %+v", got, want)
			}
		case <-time.After(awaitTimeout):
			t.Fatalf("heard nothing, want %+v", want)
		}
	}
}

func TestWhatIsNoDecisionIsAnError(t *testing.T) {
	for name, frame := range map[string][]byte{
		"compressed": {1, 0, 0, 0, 0},
		"too large":  {0, 255, 255, 255, 255},
		"cut":        frameOf("a", 41)[:9],
		"garbage":    {0, 0, 0, 0, 2, 255, 255},
	} {
		err := hearDecisions(t.Context(), serve(t, frame), func(d decision) {
			t.Errorf("%s: heard %+v", name, d)
		})
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
