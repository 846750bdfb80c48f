//go:build linux

package blklog

import (
	"encoding/gob"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

type op uint8

const (
	// opRecord puts an event into the log, after all writes already there.
	opRecord op = iota + 1
	// opFinish takes the disk away and returns the log.
	opFinish
)

type request struct {
	Op    op
	Event event
}

type reply struct {
	Err    string
	Events []event
}

const (
	fuseName      = "fuse"
	helperLogName = "helper.log"
)

// client is the test's end of its helper.
type client struct {
	cmd  *exec.Cmd
	log  string
	conn net.Conn

	mu  sync.Mutex
	enc *gob.Encoder
	dec *gob.Decoder
}

// startHelper runs this test binary once more, as the helper that serves image.
func startHelper(dir *runDir, image *os.File) (*client, error) {
	if _, err := dir.mkdir(fuseName); err != nil {
		return nil, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make socket: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
	defer ours.Close()
	defer theirs.Close()
	// Never the test's own output: a reader that waits for its end would wait for the helper.
	log, err := os.Create(dir.join(helperLogName))
	if err != nil {
		return nil, fmt.Errorf("make helper log: %w", err)
	}
	defer log.Close()

	// Without the hook in TestMain the binary would run its tests: ask it for none.
	cmd := exec.Command("/proc/self/exe", "-test.run=^$")
	// The race detector would keep the helper for another second at its end.
	cmd.Env = append(os.Environ(), helperEnv+"="+dir.path, "GORACE=atexit_sleep_ms=0")
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{theirs, image}
	// Out of reach of the terminal's signals.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	conn, err := net.FileConn(ours)
	if err != nil {
		return nil, fmt.Errorf("open socket: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start helper: %w", err), conn.Close())
	}
	theirs.Close()
	c := &client{cmd: cmd, log: log.Name(), conn: conn, enc: gob.NewEncoder(conn), dec: gob.NewDecoder(conn)}
	if _, err := c.receive(); err != nil {
		err = fmt.Errorf("start helper: does TestMain call blklog.ServeIfChild first? %w", err)
		return nil, errors.Join(err, c.stop())
	}
	return c, nil
}

func (c *client) call(req request) (reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.enc.Encode(req); err != nil {
		return reply{}, fmt.Errorf("ask helper: %w%s", err, c.said())
	}
	return c.receive()
}

func (c *client) receive() (reply, error) {
	var r reply
	if err := c.dec.Decode(&r); err != nil {
		return r, fmt.Errorf("hear from helper: %w%s", err, c.said())
	}
	if r.Err != "" {
		return r, errors.New(r.Err)
	}
	return r, nil
}

func (c *client) said() string {
	text, err := os.ReadFile(c.log)
	if err != nil || len(text) == 0 {
		return ""
	}
	return ": " + strings.TrimSpace(string(text))
}

func (c *client) record(e event) error {
	_, err := c.call(request{Op: opRecord, Event: e})
	return err
}

func (c *client) finish() ([]event, error) {
	r, err := c.call(request{Op: opFinish})
	return r.Events, err
}

// stop lets the helper clean up and waits for its end.
func (c *client) stop() error {
	c.conn.Close()
	if err := c.cmd.Wait(); err != nil {
		return fmt.Errorf("end helper: %w", err)
	}
	return nil
}
