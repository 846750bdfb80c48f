// Package remote accesses workspaces on other hosts: shared SSH connections that are strict about host keys, and a
// folder over SFTP as a tree of fsys.
//
// What SFTP cannot do is reported, not hidden. It cannot exchange two names atomically, so a file is kept by a hard
// link and replaced by a rename. It has no inodes and no folder descriptors, so a file is identified only by its
// name, and others who may write to the folder could swap a folder for a link between our check and our call: log in
// as the user the agent runs as, who gains nothing that way. On a server without hard links, replacing renames or
// syncs nothing is written, only read.
package remote

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"tend/internal/disk/fsys"
)

var (
	// ErrDenied: the host answered and refused us.
	ErrDenied = errors.New("the host refused us")
	// ErrHostKey: the host is unknown, or has a different key than the known one.
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

// Options configure how hosts are reached.
type Options struct {
	Home       string        // the user's folder, for ~/.ssh
	AgentSock  string        // of an SSH agent, "" for none
	Timeout    time.Duration // for connecting, and for keepalives
	ConfigFile string        // instead of ~/.ssh/config
	KnownHosts []string      // instead of those of ssh_config
}

// Pool keeps one connection per host and user, however many agents live there.
type Pool struct {
	opt Options

	mu    sync.Mutex
	conns map[string]*conn
}

// NewPool returns a pool; it dials on first use.
func NewPool(o Options) *Pool {
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	return &Pool{opt: o, conns: map[string]*conn{}}
}

// Open returns the folder at a target as a tree.
func (p *Pool) Open(ctx context.Context, t Target) (fsys.FS, error) {
	h, err := p.readSettings(t)
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
	for _, c := range p.conns {
		c.close()
	}
	return nil
}
