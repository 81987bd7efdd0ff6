package attack

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"berth.dev/berth/tests/e2e/box"
)

const awaitTimeout = 30 * time.Second

func serve(t *testing.T) Target {
	readAll := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
	})
	server := httptest.NewUnstartedServer(http.MaxBytesHandler(readAll, 1<<18))
	server.Config.MaxHeaderBytes = 1 << 10
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return Target{Address: server.Listener.Addr().String(),
		TLS: server.Client().Transport.(*http.Transport).TLSClientConfig}
}

func TestAttackersComeBackWhenTheyAreCutOff(t *testing.T) {
	for _, kind := range []Kind{Holder, LongHeader, NotTLS, Oversized} {
		t.Run(kind.Name, func(t *testing.T) {
			crowd := Start(t.Context(), serve(t), Group{Kind: kind, Count: 2, Pause: time.Millisecond})
			defer crowd.Stop()
			box.Test{T: t, Timeout: awaitTimeout}.Await("many ends", func() bool { return crowd.Ended() >= 10 })
		})
	}
}

// The server would wait for ever.
func TestAttackersHangUpByThemselves(t *testing.T) {
	crowd := Start(t.Context(), serve(t), Group{Kind: HangsUp, Count: 2, Pause: time.Millisecond})
	defer crowd.Stop()
	box.Test{T: t, Timeout: awaitTimeout}.Await("each to come back", func() bool { return crowd.Ended() >= 4 })
}

func TestAttackersStayAsLongAsTheyMay(t *testing.T) {
	for _, kind := range []Kind{Mute, Silent, SlowHeader, SlowBody, HalfHello} {
		t.Run(kind.Name, func(t *testing.T) {
			crowd := Start(t.Context(), serve(t), Group{Kind: kind, Count: 3, Pause: time.Millisecond})
			box.Test{T: t, Timeout: awaitTimeout}.Await("three attackers", func() bool { return crowd.Arrived() == 3 })
			crowd.Stop()
			if crowd.Ended() != 0 {
				t.Errorf("the server ended %d connections, want none", crowd.Ended())
			}
		})
	}
}
