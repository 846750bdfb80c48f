//go:build !windows

package keeper

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// pager is a web hook that can be silent.
type pager struct {
	*httptest.Server
	mu    sync.Mutex
	began int
	got   []string // codes of accepted alerts
	dead  bool
}

func newPager(t *testing.T) *pager {
	p := &pager{}
	gone := make(chan struct{})
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var n struct{ Code string }
		_ = json.Unmarshal(body, &n)
		p.mu.Lock()
		p.began++
		dead := p.dead
		if !dead {
			p.got = append(p.got, n.Code)
		}
		p.mu.Unlock()
		if dead { // accept the call and never answer
			select {
			case <-r.Context().Done():
			case <-gone:
			}
		}
	}))
	t.Cleanup(func() { close(gone); p.Close() })
	return p
}

func (p *pager) set(dead bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = dead
}

func (p *pager) calls() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.began
}

func (p *pager) heard(code string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.got {
		if c == code {
			n++
		}
	}
	return n
}

// TestAlertOutlivesTheKeeper kills the keeper before its alert is delivered. The next one delivers it at once, and once.
func TestAlertOutlivesTheKeeper(t *testing.T) {
	t.Parallel()
	p := newPager(t)
	p.set(true)
	h := newFixture(t)
	h.add("alerts:\n  webhook: " + p.URL + "\n")
	baseline := h.baseline()
	r := h.up()
	if err := os.WriteFile(baseline, []byte("evil"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.until("the alert was sent", func() bool { return p.calls() > 0 })
	r.signal(syscall.SIGKILL)
	r.ends()
	if p.heard("baseline-restored") != 0 {
		t.Fatal("delivered although the call was interrupted")
	}
	p.set(false)
	began := time.Now()
	r = h.up()
	r.until("delivered by the next keeper", func() bool { return p.heard("baseline-restored") > 0 })
	r.until("it is written down", func() bool { return !strings.Contains(h.read("state/agents/scout/findings.json"), "undelivered") })
	t.Logf("delivered %s after the next start", time.Since(began).Round(time.Millisecond))
	r.signal(syscall.SIGTERM)
	r.ends()
	r = h.up() // nothing is left to deliver
	r.until("it works", func() bool { return strings.Contains(r.log(), "msg=keeping") })
	time.Sleep(500 * time.Millisecond)
	r.signal(syscall.SIGTERM)
	r.ends()
	if n := p.heard("baseline-restored"); n != 1 {
		t.Errorf("delivered %d times, want once", n)
	}
}

// baseline returns scout's baseline.
func (h *fixture) baseline() string {
	h.t.Helper()
	names, err := filepath.Glob(filepath.Join(h.dir, "baselines", "scout*"))
	if err != nil || len(names) == 0 {
		h.t.Fatalf("no baseline of scout: %v", err)
	}
	return names[0]
}
