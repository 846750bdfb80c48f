package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"tend/internal/disk/fsys"
)

// conn is a connection that is opened when needed and reopened when it broke.
type conn struct {
	host host
	opt  Options

	mu     sync.Mutex
	client *sftp.Client
	meter  *meter
	under  []io.Closer // the SSH clients below it, nearest host first
	failed error       // why there is none, for callers before retry
	retry  time.Time
}

// get returns the live client and dials if there is none. Soon after a failure callers get the same error: a thousand
// agents on a host that is down must not wait for it a thousand times.
func (c *conn) get(ctx context.Context) (*sftp.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != nil {
		return c.client, nil
	}
	if c.failed != nil && time.Now().Before(c.retry) {
		return nil, c.failed
	}
	s, client, err := c.dial(ctx)
	if ctx.Err() == nil {
		c.failed, c.retry = err, time.Now().Add(c.opt.Timeout)
	}
	if err != nil {
		return nil, err
	}
	gone := make(chan struct{})
	go func() {
		_ = s.Wait()
		close(gone)
		c.dropClient(s)
	}()
	go c.keepAlive(s, gone, c.opt.Timeout, func() error {
		_, _, err := client.SendRequest("keepalive@openssh.com", true, nil)
		return err
	})
	// The host may answer while its SFTP server hangs in a FIFO that has just replaced a file.
	go c.keepAlive(s, gone, 3*c.opt.Timeout, func() error {
		_, err := s.RealPath(".")
		return err
	})
	return s, nil
}

// patience is how many timeouts a slow host may take to be ready: a login takes a dozen round trips.
const patience = 6

var errSilent = errors.New("no answer")

func (c *conn) dial(parent context.Context) (*sftp.Client, *ssh.Client, error) {
	ctx, end := context.WithTimeout(parent, patience*c.opt.Timeout)
	defer end()
	ctx, cut := context.WithCancelCause(ctx)
	silence := time.AfterFunc(c.opt.Timeout, func() { cut(errSilent) })
	var ready atomic.Bool
	defer func() {
		ready.Store(true)
		silence.Stop()
	}()
	client, under, err := dial(ctx, c.host, func() {
		if !ready.Load() {
			silence.Reset(c.opt.Timeout)
		}
	})
	if err != nil {
		return nil, nil, c.explainTimeout(ctx, err)
	}
	stop := context.AfterFunc(ctx, func() { closeAll(under) })
	defer stop()
	s, m, err := startSFTP(client)
	if err != nil {
		closeAll(under)
		return nil, nil, c.explainTimeout(ctx,
			fmt.Errorf("start sftp on %s: %w: %w (does the host offer sftp, and does the user's shell print nothing when it "+
				"starts? try `sftp -P %d %s@%s`)",
				c.host.addr(), fsys.ErrUnreachable, err, c.host.port, c.host.user, c.host.name))
	}
	c.client, c.under, c.meter = s, under, m
	return s, client, nil
}

// explainTimeout names the cause of an error after our own timeout.
func (c *conn) explainTimeout(ctx context.Context, err error) error {
	if !errors.Is(err, fsys.ErrUnreachable) {
		return err
	}
	limit := c.opt.Timeout
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errSilent):
	case errors.Is(cause, context.DeadlineExceeded):
		limit *= patience
	default:
		return err
	}
	return fmt.Errorf("connect to %s: %w: no answer within %v", c.host.addr(), fsys.ErrUnreachable, limit)
}

func startSFTP(client *ssh.Client) (*sftp.Client, *meter, error) {
	session, err := client.NewSession()
	if err != nil {
		return nil, nil, err
	}
	in, err := session.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := session.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := session.RequestSubsystem("sftp"); err != nil {
		return nil, nil, err
	}
	m := &meter{Reader: out}
	s, err := sftp.NewClientPipe(m, lossy{in}, sftp.UseConcurrentWrites(true))
	return s, m, err
}

// meterOf counts what comes over a client's connection; nil if it was replaced meanwhile.
func (c *conn) meterOf(s *sftp.Client) *meter {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client != s {
		return nil
	}
	return c.meter
}

// lossy is the connection to the server. A broken channel answers a write with io.EOF, which would be taken for the
// end of a file or listing.
type lossy struct{ io.WriteCloser }

func (l lossy) Write(p []byte) (int, error) {
	n, err := l.WriteCloser.Write(p)
	if err != nil {
		err = errors.Join(sftp.ErrSSHFxConnectionLost, fmt.Errorf("send: %v", err))
	}
	return n, err
}

// keepAlive sends keepalives; without them a cut link would leave calls waiting forever.
func (c *conn) keepAlive(s *sftp.Client, gone <-chan struct{}, limit time.Duration, ask func() error) {
	tick := time.NewTicker(max(limit/3, time.Second))
	defer tick.Stop()
	for {
		select {
		case <-gone:
			return
		case <-tick.C:
		}
		alive := make(chan error, 1)
		go func() { alive <- ask() }()
		select {
		case <-gone:
			return
		case err := <-alive:
			if err == nil {
				continue
			}
		case <-time.After(limit):
		}
		c.dropClient(s)
		return
	}
}

// dropClient closes a broken client; the next call dials again.
func (c *conn) dropClient(s *sftp.Client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.client == s {
		c.closeClient()
	}
}

func (c *conn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closeClient()
}

func (c *conn) closeClient() {
	closeAll(c.under)
	c.client, c.under = nil, nil
}

// closeAll closes the nearest connection first: what runs through it ends with it, while closing a host behind a dead
// link would hang.
func closeAll(under []io.Closer) {
	for _, u := range under {
		_ = u.Close()
	}
}
