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
	All      int // all connections at once
	Stranger int // connections whose clients have not shown a token
	Peer     int // strangers' connections from one address other than this machine
	Client   int // connections with one token, or of one person's browsers
}

// LimitsFor returns limits that leave most of a process's descriptors to the files it guards.
func LimitsFor(descriptors int) Limits {
	all := min(max(descriptors/4, 64), 4096)
	return Limits{All: all, Stranger: min(all/2, 256), Peer: 32, Client: all / 8}
}

// Limited returns a listener that keeps to the limits.
func Limited(l net.Listener, limits Limits) net.Listener {
	return &limited{Listener: l, limits: limits, strangers: list.New(), peers: map[string]int{}, clients: map[string]*list.List{}}
}

type limited struct {
	net.Listener
	limits Limits

	mu        sync.Mutex
	open      int
	strangers *list.List // their connections (*conn), the oldest first
	peers     map[string]int
	clients   map[string]*list.List // the connections (*conn) of each, the oldest first
}

type conn struct {
	net.Conn
	l    *limited
	peer string
	who  string        // the client, "" for a stranger
	at   *list.Element // in the list of the client or of the strangers, nil once it is closed
	once sync.Once
}

// Accept waits for the next connection. If there are too many, older ones of strangers are closed for it.
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if x := l.admitStranger(c); x != nil {
			return x, nil
		}
		_ = c.Close() // all connections are of known clients
	}
}

// admitStranger takes a connection of a stranger, nil if there is no room for one. It closes an older one to make room.
func (l *limited) admitStranger(c net.Conn) *conn {
	peer := ""
	if host, _, err := net.SplitHostPort(c.RemoteAddr().String()); err == nil && !net.ParseIP(host).IsLoopback() {
		peer = host
	}
	l.mu.Lock()
	var evicted *conn
	switch {
	case peer != "" && l.peers[peer] >= l.limits.Peer:
		evicted = l.oldestStranger(peer)
	case l.strangers.Len() >= l.limits.Stranger, l.strangers.Len() > 0 && l.open >= l.limits.All:
		evicted = l.oldestStranger("")
	case l.open >= l.limits.All:
		l.mu.Unlock()
		return nil
	}
	x := &conn{Conn: c, l: l, peer: peer}
	x.at = l.strangers.PushBack(x)
	l.peers[peer]++
	l.open++
	l.mu.Unlock()
	if evicted != nil {
		_ = evicted.Close()
	}
	return x
}

// oldestStranger returns the oldest connection of a stranger, from one peer if that is named.
func (l *limited) oldestStranger(peer string) *conn {
	for e := l.strangers.Front(); e != nil; e = e.Next() {
		if x := e.Value.(*conn); peer == "" || x.peer == peer {
			return x
		}
	}
	return nil
}

// leaveList takes a connection from the list it is in. The caller holds mu.
func (c *conn) leaveList() {
	switch {
	case c.at == nil:
		return
	case c.who != "":
		own := c.l.clients[c.who]
		own.Remove(c.at)
		if own.Len() == 0 {
			delete(c.l.clients, c.who)
		}
	default:
		c.l.strangers.Remove(c.at)
		c.l.peers[c.peer]--
		if c.l.peers[c.peer] == 0 {
			delete(c.l.peers, c.peer)
		}
	}
	c.at = nil
}

// assignClient puts a stranger's connection among those of a client, and returns the client's oldest if it has too many.
func (c *conn) assignClient(who string) (evicted *conn) {
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	if c.at == nil || c.who == who {
		return nil
	}
	c.leaveList()
	own := c.l.clients[who]
	if own == nil {
		own = list.New()
		c.l.clients[who] = own
	}
	c.who, c.at = who, own.PushBack(c)
	if own.Len() > c.l.limits.Client {
		return own.Front().Value.(*conn)
	}
	return nil
}

// Close closes the connection and frees its place.
func (c *conn) Close() error {
	c.once.Do(func() {
		c.l.mu.Lock()
		defer c.l.mu.Unlock()
		c.leaveList()
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

// recogniseClient records that the client of a request has a valid token or has logged in.
func recogniseClient(ctx context.Context, who string) {
	if x, ok := ctx.Value(connKey{}).(*conn); ok {
		if evicted := x.assignClient(who); evicted != nil {
			_ = evicted.Close()
		}
	}
}
