package box

import (
	"bufio"
	"errors"
	"net"
	"os"
	"testing"
	"time"
)

const held = 50 * time.Millisecond // enough for what is not held to arrive on loopback

// echo answers every line with the same line until the test ends.
func echo(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				lines := bufio.NewScanner(connection)
				for lines.Scan() {
					_, _ = connection.Write(append(lines.Bytes(), '\n'))
				}
			}()
		}
	}()
	return listener.Addr().String()
}

// caller talks through the proxy on a connection of its own.
type caller struct {
	*testing.T
	connection net.Conn
	lines      *bufio.Reader
}

func call(t *testing.T, p *Proxy) *caller {
	t.Helper()
	connection, err := net.Dial("tcp", p.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return &caller{t, connection, bufio.NewReader(connection)}
}

func (c *caller) say(line string) {
	c.Helper()
	if _, err := c.connection.Write([]byte(line + "\n")); err != nil {
		c.Fatal(err)
	}
}

func (c *caller) expect(line string) {
	c.Helper()
	_ = c.connection.SetReadDeadline(time.Now().Add(10 * time.Second))
	if got, err := c.lines.ReadString('\n'); err != nil || got != line+"\n" {
		c.Fatalf("heard %q (%v), want %q", got, err, line)
	}
}

func (c *caller) expectSilence() {
	c.Helper()
	_ = c.connection.SetReadDeadline(time.Now().Add(held))
	if got, err := c.lines.ReadByte(); !errors.Is(err, os.ErrDeadlineExceeded) {
		c.Fatalf("heard %q (%v), want silence", got, err)
	}
}

func startProxy(t *testing.T, target string) *Proxy {
	t.Helper()
	p, err := StartProxy(target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

func TestProxyHoldsBackOneConnectionAndLosesNothing(t *testing.T) {
	p := startProxy(t, echo(t))
	first, second := call(t, p), call(t, p)
	for _, c := range []*caller{first, second} { // links are in the order of their first words
		c.say("hello")
		c.expect("hello")
	}
	links := p.Links()
	if len(links) != 2 {
		t.Fatalf("%d links, want 2", len(links))
	}
	links[0].Hold()
	first.say("one")
	first.say("two")
	second.say("three")
	second.expect("three")
	first.expectSilence()
	links[0].Release()
	first.expect("one")
	first.expect("two")
}

func TestProxyEndsHeldConnections(t *testing.T) {
	p := startProxy(t, echo(t))
	c := call(t, p)
	c.say("hello")
	c.expect("hello")
	p.Links()[0].Hold()
	c.say("lost")
	p.Stop()
	if _, err := c.lines.ReadByte(); err == nil {
		t.Error("the connection outlives the proxy")
	}
	if len(p.Links()) != 0 {
		t.Errorf("%d links are left", len(p.Links()))
	}
}

func TestProxyTellsClientsThatTheServerIsAway(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	away := listener.Addr().String()
	_ = listener.Close()
	c := call(t, startProxy(t, away))
	_ = c.connection.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := c.lines.ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection stays open: %v", err)
	}
}
