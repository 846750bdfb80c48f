package remote

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/pkg/sftp"

	"tend/internal/disk/fsys"
)

// endless is an SFTP server whose listings never end.
func endless(c net.Conn) {
	packet := func(kind byte, body ...[]byte) {
		all := []byte{kind}
		for _, b := range body {
			all = append(all, b...)
		}
		_, _ = c.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(all))), all...))
	}
	text := func(s string) []byte { return append(binary.BigEndian.AppendUint32(nil, uint32(len(s))), s...) }
	for {
		var head [5]byte
		if _, err := io.ReadFull(c, head[:]); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[:4])-1)
		if _, err := io.ReadFull(c, body); err != nil {
			return
		}
		switch head[4] {
		case 1: // INIT
			packet(2, []byte{0, 0, 0, 3})
		case 11: // OPENDIR
			packet(102, body[:4], text("h"))
		case 12: // READDIR
			names := binary.BigEndian.AppendUint32(nil, 100)
			for range 100 {
				names = append(append(append(names, text("name.md")...), text(strings.Repeat("x", 100))...), 0, 0, 0, 0)
			}
			packet(104, body[:4], names)
		default:
			packet(101, body[:4], []byte{0, 0, 0, 0}, text(""), text(""))
		}
	}
}

// TestEndlessListing: a host that never ends a listing is cut off, and other requests of the connection go on.
func TestEndlessListing(t *testing.T) {
	near, far := net.Pipe()
	go endless(far)
	defer far.Close()
	m := &meter{Reader: near}
	s, err := sftp.NewClientPipe(m, near)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if infos, err := list(s, m, "/", 1<<20); !errors.Is(err, fsys.ErrUnreachable) || infos != nil {
			t.Fatalf("an endless listing: %d entries, %v", len(infos), err)
		}
	}
	if m.n > 4<<20 || len(m.until) != 0 {
		t.Errorf("%d bytes were read, %d listings are not over", m.n, len(m.until))
	}
}
