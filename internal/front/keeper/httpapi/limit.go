package httpapi

import (
	"container/list"
	"context"
	"crypto/tls"
	"net"
	"sync"
)

// A connection costs a descriptor before anybody has said who they are. So strangers share a fixed number of them, and
// one peer only a part of that; when there are more, the oldest stranger goes. A client becomes known with its first
// request that has a valid token.

// Limits bounds the connections of a server.
type Limits struct {
	All      int // connections at once
	Stranger int // of those, of clients that have not shown a token
	Peer     int // of those, from one address other than this machine
}

// LimitsFor returns limits that leave most of a process's descriptors to the files it guards.
func LimitsFor(descriptors int) Limits {
	all := min(max(descriptors/4, 64), 4096)
	return Limits{All: all, Stranger: min(all/2, 256), Peer: 32}
}

// Limited returns a listener that keeps to the limits.
func Limited(l net.Listener, by Limits) net.Listener {
	return &limited{Listener: l, by: by, strangers: list.New(), peers: map[string]int{}}
}

type limited struct {
	net.Listener
	by Limits

	mu        sync.Mutex
	open      int
	strangers *list.List // of *conn, the oldest first
	peers     map[string]int
}

type conn struct {
	net.Conn
	l    *limited
	peer string
	at   *list.Element // nil once it is known or closed
	once sync.Once
}

// Accept waits for the next connection. If there are too many, older ones of strangers are closed for it.
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if x := l.admit(c); x != nil {
			return x, nil
		}
		_ = c.Close() // all connections are of known clients
	}
}

func (l *limited) admit(c net.Conn) *conn {
	peer := ""
	if host, _, err := net.SplitHostPort(c.RemoteAddr().String()); err == nil && !net.ParseIP(host).IsLoopback() {
		peer = host
	}
	l.mu.Lock()
	var out *conn
	switch {
	case peer != "" && l.peers[peer] >= l.by.Peer:
		out = l.oldest(peer)
	case l.strangers.Len() >= l.by.Stranger, l.open >= l.by.All && l.strangers.Len() > 0:
		out = l.oldest("")
	case l.open >= l.by.All:
		l.mu.Unlock()
		return nil
	}
	x := &conn{Conn: c, l: l, peer: peer}
	x.at = l.strangers.PushBack(x)
	l.peers[peer]++
	l.open++
	l.mu.Unlock()
	if out != nil {
		_ = out.Close()
	}
	return x
}

// oldest returns the oldest connection of a stranger, from one peer if that is named.
func (l *limited) oldest(peer string) *conn {
	for e := l.strangers.Front(); e != nil; e = e.Next() {
		if x := e.Value.(*conn); peer == "" || x.peer == peer {
			return x
		}
	}
	return nil
}

// known takes a connection from among the strangers'. The caller holds mu.
func (c *conn) known() {
	if c.at == nil {
		return
	}
	c.l.strangers.Remove(c.at)
	c.at = nil
	if c.l.peers[c.peer]--; c.l.peers[c.peer] == 0 {
		delete(c.l.peers, c.peer)
	}
}

// Close closes the connection and frees its place.
func (c *conn) Close() error {
	c.once.Do(func() {
		c.l.mu.Lock()
		defer c.l.mu.Unlock()
		c.known()
		c.l.open--
	})
	return c.Conn.Close()
}

type connKey struct{}

// withConn is a server's ConnContext: requests know their connection.
func withConn(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if x, ok := c.(*conn); ok {
		return context.WithValue(ctx, connKey{}, x)
	}
	return ctx
}

// recognise records that the client of a request has a valid token.
func recognise(ctx context.Context) {
	if x, ok := ctx.Value(connKey{}).(*conn); ok {
		x.l.mu.Lock()
		defer x.l.mu.Unlock()
		x.known()
	}
}
