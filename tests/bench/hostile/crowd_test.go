package main

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"berth.dev/berth/tests/e2e/box"
)

// The attackers are this very program, started again.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == attackersCommand {
		main()
		return
	}
	os.Exit(m.Run())
}

// victim counts who is there.
type victim struct {
	*httptest.Server
	client     box.ClientFiles
	open, came atomic.Int64
}

func startVictim(t *testing.T) *victim {
	t.Helper()
	v := &victim{Server: httptest.NewUnstartedServer(http.NotFoundHandler())}
	v.Config.ErrorLog = log.New(io.Discard, "", 0)
	v.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			v.open.Add(1)
			v.came.Add(1)
		case http.StateClosed, http.StateHijacked:
			v.open.Add(-1)
		}
	}
	v.StartTLS()
	t.Cleanup(v.Close)
	v.client = filesOf(t, v.Server)
	return v
}

// filesOf makes the server's certificate that of clients, too.
func filesOf(t *testing.T, server *httptest.Server) box.ClientFiles {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, content []byte) string {
		path := filepath.Join(t.TempDir(), name)
		text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content})
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	certificate := write("tls.crt", "CERTIFICATE", server.Certificate().Raw)
	return box.ClientFiles{Authority: certificate, Certificate: certificate,
		Key: write("tls.key", "PRIVATE KEY", key)}
}

func (v *victim) orders(assault string) orders {
	return orders{Address: v.Listener.Addr().String(), Client: v.client, Assault: assault}
}

func TestCrowdIsThereUntilItIsStopped(t *testing.T) {
	v := startVictim(t)
	c, err := startCrowd(t.Context(), v.orders("250 requests at a byte a second"))
	if err != nil {
		t.Fatal(err)
	}
	if came := v.came.Load(); came < 250 {
		t.Errorf("%d attackers have come, want 250", came)
	}
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(30 * time.Second); v.open.Load() > 0; {
		if time.Now().After(deadline) {
			t.Fatalf("%d attackers are still there", v.open.Load())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestOrdersThatCannotBeObeyed(t *testing.T) {
	v := startVictim(t)
	noFiles := v.orders("250")
	noFiles.Client.Key = filepath.Join(t.TempDir(), "none")
	for name, o := range map[string]orders{"no such attack": v.orders("kindness"),
		"no such file": noFiles} {
		_, err := startCrowd(t.Context(), o)
		if err == nil || !strings.Contains(err.Error(), "attackers did not come") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	err := obey(t.Context(), strings.NewReader("charge!"), io.Discard)
	if err == nil || !strings.Contains(err.Error(), "orders: ") {
		t.Errorf("error %v of orders that cannot be read", err)
	}
	if came := v.came.Load(); came > 0 {
		t.Errorf("%d attackers have come", came)
	}
}

// Else they would stay for ever where whoever started them was killed.
func TestCrowdGoesHomeWhenNobodyGivesOrders(t *testing.T) {
	v := startVictim(t)
	address := v.Listener.Addr().String()
	v.Close() // nobody arrives
	o := orders{Address: address, Client: v.client, Assault: "250"}
	in, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- obey(t.Context(), in, io.Discard) }()
	if err := json.NewEncoder(out).Encode(o); err != nil {
		t.Fatal(err)
	}
	out.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
