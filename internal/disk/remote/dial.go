package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"

	"tend/internal/disk/fsys"
)

// dial connects, through jump hosts if there are any, before the context ends, and calls alive whenever something
// arrives. under are the clients to close, nearest host first.
func dial(ctx context.Context, h host, alive func()) (client *ssh.Client, under []io.Closer, err error) {
	defer func() {
		if err != nil {
			closeAll(under)
		}
	}()
	for _, hop := range append(slices.Clone(h.jumps), h) {
		var nc net.Conn
		if client == nil {
			nc, err = (&net.Dialer{}).DialContext(ctx, "tcp", hop.addr())
		} else {
			nc, err = client.DialContext(ctx, "tcp", hop.addr())
		}
		if err != nil {
			return nil, under, fmt.Errorf("connect to %s: %w: %w", hop.addr(), fsys.ErrUnreachable, err)
		}
		// A connection through a jump host has no deadlines: it is closed instead.
		stop := context.AfterFunc(ctx, func() { nc.Close() })
		client, err = handshake(signs{nc, alive}, hop)
		stop()
		if err != nil {
			nc.Close()
			return nil, under, err
		}
		under = append(under, client)
	}
	return client, under, nil
}

// signs is a connection that reports incoming data.
type signs struct {
	net.Conn
	alive func()
}

func (s signs) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	if n > 0 {
		s.alive()
	}
	return n, err
}

func handshake(nc net.Conn, h host) (*ssh.Client, error) {
	db, err := knownHosts(h.known)
	if err != nil {
		return nil, err
	}
	keys, err := keysFor(h)
	if err != nil {
		return nil, err
	}
	defer keys.Close()
	var hostKey error
	conf := &ssh.ClientConfig{
		User: h.user, Auth: []ssh.AuthMethod{ssh.PublicKeys(keys.signers...)},
		HostKeyAlgorithms: db.HostKeyAlgorithms(h.knownAs),
		HostKeyCallback: func(name string, addr net.Addr, key ssh.PublicKey) error {
			hostKey = explainHostKey(db.HostKeyCallback()(name, addr, key), h, key)
			return hostKey
		},
	}
	c, chans, reqs, err := ssh.NewClientConn(nc, h.knownAs, conf)
	switch {
	case hostKey != nil:
		return nil, hostKey
	case err != nil && (strings.Contains(err.Error(), "unable to authenticate") || strings.Contains(err.Error(), "authentication failures")):
		return nil, keys.deniedError(h)
	case err != nil:
		return nil, fmt.Errorf("talk to %s: %w: %w", h.addr(), fsys.ErrUnreachable, err)
	}
	return ssh.NewClient(c, chans, reqs), nil
}

func knownHosts(files []string) (*knownhosts.HostKeyDB, error) {
	var there []string
	for _, f := range files {
		if _, err := os.Stat(f); err == nil {
			there = append(there, f)
		}
	}
	db, err := knownhosts.NewDB(there...)
	if err != nil {
		return nil, fmt.Errorf("read known hosts: %w", err)
	}
	return db, nil
}

// explainHostKey explains what is wrong with a host key, and what to do about it.
func explainHostKey(err error, h host, key ssh.PublicKey) error {
	print := key.Type() + " " + ssh.FingerprintSHA256(key)
	switch {
	case err == nil:
		return nil
	case knownhosts.IsHostKeyChanged(err):
		return fmt.Errorf("%s has a different key than the known one: %s: %w (this may be an attack; if the host was "+
			"reinstalled, remove its line from %s)",
			h.addr(), print, ErrHostKey, strings.Join(h.known, ", "))
	case knownhosts.IsHostUnknown(err):
		return fmt.Errorf("%s is not a known host: %s: %w (compare the fingerprint on the host, then run `ssh -p %d %s` once)",
			h.addr(), print, ErrHostKey, h.port, h.alias)
	}
	return errors.Join(fmt.Errorf("%s: %s: %w", h.addr(), print, ErrHostKey), err)
}
