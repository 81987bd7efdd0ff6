package box

import (
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
)

// Proxy relays TCP connections to a server and can hold back what the server says on one of them:
// neither side notices more than silence. Thread-safe.
type Proxy struct {
	relays
	target    string
	listener  net.Listener
	accepting sync.WaitGroup
	isCut     atomic.Bool
}

// relays are connections that are relayed now. Thread-safe.
type relays struct {
	relaying sync.WaitGroup

	mu    sync.Mutex
	links []*Link
}

// Link is one connection through a proxy. Thread-safe.
type Link struct {
	client, server net.Conn

	mu      sync.Mutex
	resumed *sync.Cond
	held    bool
}

// StartProxy listens on a free loopback port and relays to the target (host:port).
func StartProxy(target string) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return Relay(listener, target), nil
}

// Relay is StartProxy with a listener that is there already, also one of another network than the
// target's. The proxy closes it.
func Relay(listener net.Listener, target string) *Proxy {
	p := &Proxy{target: target, listener: listener}
	p.accepting.Go(p.accept)
	return p
}

// Address is host:port for clients.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Stop closes every connection and returns when nothing of the proxy runs any more.
func (p *Proxy) Stop() {
	_ = p.listener.Close()
	p.accepting.Wait()
	p.closeAll()
}

// Cut closes every connection, and each that comes until Mend is called.
func (p *Proxy) Cut() {
	p.isCut.Store(true)
	p.closeLinks()
}

// Mend lets connections come about again.
func (p *Proxy) Mend() { p.isCut.Store(false) }

// Links are the connections that are open now, the oldest first.
func (r *relays) Links() []*Link {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.links)
}

// Hold keeps back what the server says from now on; it is not lost.
func (l *Link) Hold() { l.set(true) }

// Release lets the client have what was kept back.
func (l *Link) Release() { l.set(false) }

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close() // the server is away, and so the client sees it
			continue
		}
		p.relay(client, server)
		if p.isCut.Load() {
			p.closeLinks()
		}
	}
}

// relay begins to relay between two connections, and returns.
func (r *relays) relay(client, server net.Conn) {
	link := &Link{client: client, server: server}
	link.resumed = sync.NewCond(&link.mu)
	r.mu.Lock()
	r.links = append(r.links, link)
	r.mu.Unlock()
	r.relaying.Go(func() {
		_, _ = io.Copy(server, client) // an error is the end of the connection, like EOF
		link.close()
	})
	r.relaying.Go(func() {
		_, _ = io.Copy(gate{link}, server)
		link.close()
		r.forget(link)
	})
}

func (r *relays) forget(link *Link) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.links = slices.DeleteFunc(r.links, func(other *Link) bool { return other == link })
}

// closeAll closes every connection and returns when nothing is relayed any more.
func (r *relays) closeAll() {
	r.closeLinks()
	r.relaying.Wait()
}

func (r *relays) closeLinks() {
	for _, link := range r.Links() {
		link.close()
	}
}

// gate is the way from the server to the client.
type gate struct{ link *Link }

func (g gate) Write(bytes []byte) (int, error) {
	g.link.mu.Lock()
	for g.link.held {
		g.link.resumed.Wait()
	}
	g.link.mu.Unlock()
	return g.link.client.Write(bytes)
}

func (l *Link) set(held bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = held
	l.resumed.Broadcast()
}

func (l *Link) close() {
	_, _ = l.client.Close(), l.server.Close() // the other direction may have closed them already
	l.Release()
}
