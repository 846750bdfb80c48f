package remote_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh/knownhosts"

	"tend/internal/disk/remote/sshdtest"
)

// cutting is how a proxy cuts a connection off.
type cutting int

const (
	lostRequest cutting = iota // the packet never arrives
	halfRequest                // half of it does
	lostReply                  // it is acted upon, but the reply is lost
	cuttings
)

// proxy delays the replies of a server, and cuts the connection at a chosen packet of the client.
type proxy struct {
	net.Listener
	to    string
	at    atomic.Int64 // the packet to cut at; 0 for none
	how   atomic.Int64 // cutting
	again atomic.Bool  // reconnecting after a cut works
	delay atomic.Int64 // of each reply, in nanoseconds

	sent atomic.Int64 // packets of clients
	cut  atomic.Bool
	mu   sync.Mutex
	all  []net.Conn
}

// through starts a proxy for a server and adds it to the known hosts.
func through(t *testing.T, s *sshdtest.Server) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p := &proxy{Listener: l, to: s.Addr()}
	known, err := os.OpenFile(filepath.Join(s.Home, ".ssh/known_hosts"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = fmt.Fprintln(known, knownhosts.Line([]string{knownhosts.Normalize(l.Addr().String())}, s.HostKey()))
	must(t, err)
	must(t, known.Close())
	go p.serve()
	t.Cleanup(func() {
		l.Close()
		p.sever()
	})
	return p
}

// url returns a folder's address on the server through the proxy.
func (p *proxy) url(s *sshdtest.Server) place {
	return func(dir string) string { return "ssh://" + s.User + "@" + p.Addr().String() + dir }
}

func (p *proxy) serve() {
	for {
		near, err := p.Accept()
		if err != nil {
			return
		}
		if p.cut.Load() && !p.again.Load() {
			near.Close()
			continue
		}
		far, err := net.Dial("tcp", p.to)
		if err != nil {
			near.Close()
			continue
		}
		p.mu.Lock()
		p.all = append(p.all, near, far)
		p.mu.Unlock()
		deaf := new(atomic.Bool)
		go p.carry(near, far, deaf, true)
		go p.carry(far, near, deaf, false)
	}
}

// carry copies packets in one direction; deaf is set when the next reply is to be lost.
func (p *proxy) carry(from, to net.Conn, deaf *atomic.Bool, requests bool) {
	defer to.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 && requests && p.sent.Add(1) == p.at.Load() && !p.cut.Load() {
			switch cutting(p.how.Load()) {
			case halfRequest:
				_, _ = to.Write(buf[:n/2])
				fallthrough
			case lostRequest:
				p.sever()
				return
			case lostReply:
				deaf.Store(true)
			}
		}
		if !requests {
			if deaf.Load() {
				p.sever()
				return
			}
			time.Sleep(time.Duration(p.delay.Load()))
		}
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// sever cuts all connections as a failing network does.
func (p *proxy) sever() {
	p.cut.Store(true)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.all {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		c.Close()
	}
	p.all = nil
}

// heal lets everything through again, up to a packet.
func (p *proxy) heal(at int64, how cutting, again bool) {
	p.at.Store(at)
	p.how.Store(int64(how))
	p.again.Store(again)
	p.sent.Store(0)
	p.cut.Store(false)
}
