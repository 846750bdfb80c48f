// Package remote reaches workspaces on other hosts: SSH connections that are
// shared and strict about host keys, and a folder over SFTP as a tree of fsys.
//
// What SFTP cannot do is told, not hidden: there is no atomic exchange of two
// names, so a file is kept by a hard link and replaced by a rename, and no sync
// of a folder, so the sync of a small file in it stands for that.
package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"tend/internal/fsys"
)

var (
	// ErrDenied: the host answered and refused us.
	ErrDenied = errors.New("the host refused us")
	// ErrHostKey: the host is not known, or not the one that is known.
	ErrHostKey = errors.New("the host key is not trusted")
	// ErrWeak: the server lacks what a safe replacement needs.
	ErrWeak = errors.New("the server lacks what is needed to replace a file safely")
)

// Target is a folder on a host. Empty parts are left to ssh_config.
type Target struct {
	User string
	Host string
	Port int
	Path string // absolute, or "~/…"
}

// Options say how hosts are reached.
type Options struct {
	Home       string        // the user's folder, for ~/.ssh
	AgentSock  string        // of an SSH agent, "" for none
	Timeout    time.Duration // to connect, and for a sign of life
	ConfigFile string        // instead of ~/.ssh/config
	KnownHosts []string      // instead of those of ssh_config
}

// Pool keeps one connection for each host and user, however many agents live there.
type Pool struct {
	opt Options

	mu    sync.Mutex
	conns map[string]*conn
}

// NewPool makes a pool; nothing is dialled before it is used.
func NewPool(o Options) *Pool {
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	return &Pool{opt: o, conns: map[string]*conn{}}
}

// Open gives the folder at a target as a tree.
func (p *Pool) Open(ctx context.Context, t Target) (fsys.FS, error) {
	h, err := p.resolve(t)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	c, ok := p.conns[h.key()]
	if !ok {
		c = &conn{host: h, opt: p.opt}
		p.conns[h.key()] = c
	}
	p.mu.Unlock()
	return openTree(ctx, c, t.Path)
}

// Close ends all connections.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, c := range p.conns {
		errs = append(errs, c.close())
	}
	return errors.Join(errs...)
}

// conn is a connection that is made when needed and made anew when it broke.
type conn struct {
	host host
	opt  Options

	mu     sync.Mutex
	client *sftp.Client
	under  []io.Closer // the SSH clients below it, nearest first
}

// get gives the live client, dialling if there is none.
func (c *conn) get(ctx context.Context) (*sftp.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != nil {
		return c.client, nil
	}
	client, under, err := dial(ctx, c.host, c.opt)
	if err != nil {
		return nil, err
	}
	s, err := sftp.NewClient(client, sftp.UseConcurrentWrites(true))
	if err != nil {
		for _, u := range under {
			u.Close()
		}
		return nil, fmt.Errorf("start sftp on %s: %w: %w", c.host.addr(), fsys.ErrUnreachable, err)
	}
	for _, ext := range []string{"posix-rename@openssh.com", "hardlink@openssh.com", "fsync@openssh.com"} {
		if _, ok := s.HasExtension(ext); !ok {
			s.Close()
			return nil, fmt.Errorf("%s: %w (%s)", c.host.addr(), ErrWeak, ext)
		}
	}
	c.client, c.under = s, under
	go c.watch(s, client)
	return s, nil
}

// watch asks the host for a sign of life; a link that was cut would otherwise
// leave calls waiting for ever.
func (c *conn) watch(s *sftp.Client, client *ssh.Client) {
	gone := make(chan struct{})
	go func() {
		_ = s.Wait()
		close(gone)
	}()
	tick := time.NewTicker(max(c.opt.Timeout/3, time.Second))
	defer tick.Stop()
	for {
		select {
		case <-gone:
			c.drop(s)
			return
		case <-tick.C:
			alive := make(chan error, 1)
			go func() {
				_, _, err := client.SendRequest("keepalive@openssh.com", true, nil)
				alive <- err
			}()
			select {
			case err := <-alive:
				if err == nil {
					continue
				}
			case <-time.After(c.opt.Timeout):
			case <-gone:
			}
			c.drop(s)
			return
		}
	}
}

// drop closes a client that is of no more use; the next call dials anew.
func (c *conn) drop(s *sftp.Client) {
	c.mu.Lock()
	under := c.under
	if c.client == s {
		c.client, c.under = nil, nil
	} else {
		under = nil
	}
	c.mu.Unlock()
	for _, u := range under {
		u.Close()
	}
}

func (c *conn) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client == nil {
		return nil
	}
	c.client.Close()
	var errs []error
	for _, u := range c.under {
		if err := u.Close(); !errors.Is(err, net.ErrClosed) && !errors.Is(err, io.EOF) {
			errs = append(errs, err)
		}
	}
	c.client, c.under = nil, nil
	return errors.Join(errs...)
}

func (h host) addr() string { return net.JoinHostPort(h.name, strconv.Itoa(h.port)) }

func (h host) key() string { return h.user + "@" + h.alias + ">" + h.addr() }
