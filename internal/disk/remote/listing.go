package remote

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/pkg/sftp"

	"tend/internal/disk/fsys"
)

// mostListing is how many bytes a host may send while a folder is listed: a folder with half a million files sends less,
// and a host that never ends its listing must not fill our memory.
const mostListing = 64 << 20

// meter counts what a host sends, and ends the listings during which it sends too much.
type meter struct {
	io.Reader

	mu    sync.Mutex
	n     int64
	until map[int]limit
	next  int
}

type limit struct {
	at   int64
	over func()
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n += int64(n)
	for _, l := range m.until {
		if m.n > l.at {
			l.over()
		}
	}
	return n, err
}

// limitNext calls over if more than so many bytes come before stop is called.
func (m *meter) limitNext(most int64, over func()) (stop func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.until == nil {
		m.until = map[int]limit{}
	}
	id := m.next
	m.next++
	m.until[id] = limit{m.n + most, over}
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.until, id)
	}
}

// list lists a folder, or fails if the host sends too much.
func list(s *sftp.Client, m *meter, folder string, most int64) ([]os.FileInfo, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if m != nil {
		defer m.limitNext(most, cancel)()
	}
	infos, err := s.ReadDirContext(ctx, folder)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%w: its listing has more than %d MB and was ended", fsys.ErrUnreachable, most>>20)
	}
	return infos, err
}
