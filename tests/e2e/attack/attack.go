// Package attack is clients that mean no good: connections that ask for nothing, bodies that never
// end, bodies that are too large, bytes that are no TLS. They hold the extender to its limits.
package attack

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	dialTimeout = 10 * time.Second // for connections that nobody accepts
	arrival     = time.Second
	hangUp      = time.Second

	largestBody = 8 << 20 // of a request that names nodes

	halfHello = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
)

// filling is what bodies are made of.
var filling = strings.Repeat("x", 64<<10)

// Target is a server over TLS.
type Target struct {
	Address string      // host:port
	TLS     *tls.Config // with a client certificate that the server takes
}

func (t Target) host() string {
	host, _, err := net.SplitHostPort(t.Address)
	if err != nil {
		return t.Address
	}
	return host
}

// Kind is what a connection of an attacker does.
type Kind struct {
	Name string
	// greet is the handshake, if any. What it gives goes to act, which returns when the server or
	// the attacker has had enough.
	greet func(net.Conn, *tls.Config) (net.Conn, error)
	act   func(net.Conn) error
}

// Kinds of attackers.
var (
	// Mute connects and never says a word, not even of TLS.
	Mute = Kind{"mute", plain, drain}
	// Silent ends the TLS handshake, and then never asks for anything.
	Silent = Kind{"silent", secure, drain}
	// SlowHeader sends a request's header at a byte a second.
	SlowHeader = Kind{"slow header", secure, func(conn net.Conn) error {
		return drip(conn, "POST /filter HTTP/1.1\r\nX-Slow: ")
	}}
	// SlowBody sends a request's body at a byte a second.
	SlowBody = Kind{"slow body", secure, func(conn net.Conn) error {
		return drip(conn, head(1<<20))
	}}
	// Holder sends all of a body of the largest size, but its last byte.
	Holder = Kind{"held body", secure, func(conn net.Conn) error {
		return send(conn, head(largestBody), largestBody-1)
	}}
	// Oversized sends a body that is too large by its own word, and half a MiB of it.
	Oversized = Kind{"oversized body", secure, func(conn net.Conn) error {
		return send(conn, head(1<<30), 1<<19)
	}}
	// LongHeader sends a header that is too large.
	LongHeader = Kind{"long header", secure, func(conn net.Conn) error {
		return send(conn, "POST /filter HTTP/1.1\r\nX-Long: ", 1<<15)
	}}
	// NotTLS sends what begins no TLS handshake.
	NotTLS = Kind{"not TLS", plain, func(conn net.Conn) error {
		return send(conn, "GET / HTTP/1.1\r\nHost: berth\r\n\r\n", 0)
	}}
	// HalfHello sends the beginning of a handshake that has no end.
	HalfHello = Kind{"half a hello", plain, func(conn net.Conn) error {
		return send(conn, halfHello, 0)
	}}
	// HangsUp sends the same, and is gone after a second.
	HangsUp = Kind{"half a hello, then gone", plain, func(conn net.Conn) error {
		if err := conn.SetDeadline(time.Now().Add(hangUp)); err != nil {
			return err
		}
		return send(conn, halfHello, 0)
	}}
	// Stranger shows no client certificate.
	Stranger = Kind{"stranger", func(conn net.Conn, config *tls.Config) (net.Conn, error) {
		config = config.Clone()
		config.Certificates = nil
		return secure(conn, config)
	}, drain}
)

// Group is attackers of one kind. Each comes back after about a pause whenever its connection has
// ended.
type Group struct {
	Kind  Kind
	Count int
	Pause time.Duration
}

// Crowd is groups of attackers at work. Thread-safe.
type Crowd struct {
	target  Target
	ctx     context.Context
	cancel  context.CancelFunc
	wg      sync.WaitGroup
	arrived atomic.Int64
	ended   atomic.Int64
}

// Start lets the groups loose, spread over a second. They go home when ctx ends, or by Stop.
func Start(ctx context.Context, target Target, groups ...Group) *Crowd {
	c := &Crowd{target: target}
	c.target.TLS = target.TLS.Clone()
	c.target.TLS.ServerName = target.host()
	c.ctx, c.cancel = context.WithCancel(ctx)
	for _, group := range groups {
		for i := range group.Count {
			c.wg.Go(func() { c.run(group, arrival*time.Duration(i)/time.Duration(group.Count)) })
		}
	}
	return c
}

// Arrived is how often somebody has connected, and ended its handshake, so far.
func (c *Crowd) Arrived() int { return int(c.arrived.Load()) }

// Ended is how many connections have ended so far, but for those that Stop closed.
func (c *Crowd) Ended() int { return int(c.ended.Load()) }

// Stop closes all connections and returns when nobody is left.
func (c *Crowd) Stop() {
	c.cancel()
	c.wg.Wait()
}

func (c *Crowd) run(group Group, first time.Duration) {
	for c.wait(first); c.ctx.Err() == nil; {
		c.attack(group.Kind)
		c.wait(group.Pause/2 + rand.N(group.Pause)) // or those who were cut together return together
	}
}

func (c *Crowd) attack(kind Kind) {
	dialer := net.Dialer{Timeout: dialTimeout}
	conn, err := dialer.DialContext(c.ctx, "tcp", c.target.Address)
	if err != nil {
		return
	}
	defer conn.Close()
	defer context.AfterFunc(c.ctx, func() { conn.Close() })()
	greeted, err := kind.greet(conn, c.target.TLS)
	c.arrived.Add(1)
	if err == nil {
		_ = kind.act(greeted) // an error is how the server may end it
	}
	if c.ctx.Err() == nil {
		c.ended.Add(1)
	}
}

func (c *Crowd) wait(length time.Duration) {
	select {
	case <-c.ctx.Done():
	case <-time.After(length):
	}
}

func plain(conn net.Conn, _ *tls.Config) (net.Conn, error) { return conn, nil }

func secure(conn net.Conn, config *tls.Config) (net.Conn, error) {
	client := tls.Client(conn, config)
	return client, client.Handshake()
}

func head(length int) string {
	return fmt.Sprintf("POST /filter HTTP/1.1\r\nHost: berth\r\nContent-Length: %d\r\n\r\n", length)
}

// send writes a head and so many bytes more, and then reads to the end.
func send(conn net.Conn, head string, more int) error {
	if _, err := io.WriteString(conn, head); err != nil {
		return err
	}
	for ; more > 0; more -= len(filling) {
		if _, err := io.WriteString(conn, filling[:min(more, len(filling))]); err != nil {
			return err
		}
	}
	return drain(conn)
}

// drip writes a byte a second until the server has had enough.
func drip(conn net.Conn, head string) error {
	if _, err := io.WriteString(conn, head); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- drain(conn) }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-tick.C:
			if _, err := conn.Write([]byte("x")); err != nil {
				return err
			}
		}
	}
}

func drain(conn net.Conn) error {
	_, err := io.Copy(io.Discard, conn)
	return err
}
