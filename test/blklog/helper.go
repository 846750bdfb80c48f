//go:build linux

package blklog

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fuse"
)

// helperEnv names the run folder to the helper process.
const helperEnv = "BLKLOG_HELPER"

// The files a helper inherits, by number.
const (
	socketFD = 3 + iota
	imageFD
)

// ServeIfChild turns the process into the helper that serves the disk, and then
// does not return, if it was started as such; otherwise it does nothing. Call it
// first in TestMain of every package that uses this one:
//
//	func TestMain(m *testing.M) {
//		blklog.ServeIfChild()
//		os.Exit(m.Run())
//	}
func ServeIfChild() {
	dir := os.Getenv(helperEnv)
	if dir == "" {
		return
	}
	// Only the end of the test ends the helper: it cleans up.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	err := serveTest(dir)
	if err = errors.Join(err, release(dir)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serveTest serves a disk until the test at the other end of the socket is gone.
func serveTest(dir string) error {
	socket := os.NewFile(socketFD, "socket")
	conn, err := net.FileConn(socket)
	if err != nil {
		return fmt.Errorf("open socket: %w", err)
	}
	socket.Close()
	defer conn.Close()
	h := &helper{}
	enc, dec := gob.NewEncoder(conn), gob.NewDecoder(conn)
	ready := reply{}
	if err := h.mount(filepath.Join(dir, fuseName)); err != nil {
		ready.Err = err.Error()
	}
	if err := enc.Encode(ready); err != nil {
		return fmt.Errorf("report ready: %w", err)
	}
	for {
		var req request
		if err := dec.Decode(&req); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read request: %w", err)
		}
		if err := enc.Encode(h.do(req)); err != nil {
			return fmt.Errorf("send reply: %w", err)
		}
	}
}

type helper struct {
	disk   disk
	server *fuse.Server
}

func (h *helper) mount(dir string) error {
	image := os.NewFile(imageFD, "image")
	defer image.Close()
	info, err := image.Stat()
	if err != nil {
		return fmt.Errorf("stat image: %w", err)
	}
	h.disk.data = make([]byte, info.Size())
	if _, err := image.ReadAt(h.disk.data, 0); err != nil {
		return fmt.Errorf("read image: %w", err)
	}
	if h.server, err = serveDisk(dir, &h.disk); err != nil {
		return fmt.Errorf("mount disk: %w", err)
	}
	return nil
}

func (h *helper) do(req request) reply {
	switch req.Op {
	case opRecord:
		h.disk.record(req.Event)
		return reply{}
	case opFinish:
		if err := h.server.Unmount(); err != nil {
			return reply{Err: fmt.Sprintf("unmount disk: %v", err)}
		}
		events, err := h.disk.log()
		if err != nil {
			return reply{Err: err.Error()}
		}
		return reply{Events: events}
	}
	return reply{Err: fmt.Sprintf("unknown request %d", req.Op)}
}
