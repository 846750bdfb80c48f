package remote_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh/knownhosts"

	"tend/internal/remote/sshdtest"
)

// proxy is a way to a server that is cut off after a number of bytes.
type proxy struct {
	net.Listener
	to    string
	limit atomic.Int64 // of bytes, both ways together; 0 for none
	again atomic.Bool  // who comes again after a cut is let through

	sent atomic.Int64
	cut  atomic.Bool
	mu   sync.Mutex
	all  []net.Conn
}

// through gives the server's users a proxy, and makes it a known host to them.
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
		go p.carry(near, far)
		go p.carry(far, near)
	}
}

func (p *proxy) carry(from, to net.Conn) {
	defer to.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if limit := p.limit.Load(); limit > 0 && !p.cut.Load() && p.sent.Add(int64(n)) > limit {
			p.cut.Store(true)
			p.sever()
			return
		} else if limit == 0 {
			p.sent.Add(int64(n))
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

// heal lets everything through again, up to a number of bytes.
func (p *proxy) heal(limit int64, again bool) {
	p.limit.Store(limit)
	p.again.Store(again)
	p.sent.Store(0)
	p.cut.Store(false)
}

// A connection that is cut in the middle of a command, after any number of
// bytes, loses nothing and leaves no half-written file; the command given again
// comes to what it would have come to at once.
func TestCut(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	t.Setenv("HOME", s.Home)
	p := through(t, s)
	url := func(dir string) string { return "ssh://" + s.User + "@" + p.Addr().String() + dir }
	points := int64(10)
	if os.Getenv("TEND_SLOW") != "" {
		points = 200
	}
	for _, tt := range []struct {
		layout, before, step string
		again                bool // who comes again at once, in the same command, is let through every other time
		files                map[string]string
		lines                []string
	}{
		{"shepherd", "baseline approve ada", "reset ada", true, nil, []string{"- a note of ada"}},
		{"openclaw@2026.8", "", "nightly ada", false, night(), []string{"[lesson] the mirror lags", "option 7 stays", "half a thought", "- seen 2"}},
		{"openclaw-v4@1.3", "", "rotate ada", false, week(), []string{"half a thought", "keep two backups", "the mirror lags"}},
		{"openclaw@2026.8", "", "note one_more_thing", false, night(), []string{"[lesson] the mirror lags", "half a thought"}},
	} {
		t.Run(strings.Fields(tt.step)[0], func(t *testing.T) {
			set := func() *world {
				p.heal(0, true)
				w := newWorld(t, tt.layout, map[string]place{"ada": url}, "hot.max_lines: 20")
				w.append("ada", "- a note of ada\n")
				for name, text := range tt.files {
					w.put("ws/ada/"+name, text)
				}
				if tt.before != "" {
					w.ok(strings.Fields(tt.before)...)
				}
				return w
			}
			whole := set()
			p.heal(0, true)
			wantCode, _ := whole.tend(strings.Fields(tt.step)...)
			want, bytes := memory(t, whole), p.sent.Load()
			cuts := 0
			for i := range points {
				w := set()
				old := memory(t, w)
				at := bytes * (i + 2) / (points + 2)
				p.heal(at, tt.again && i%2 == 1)
				code, out := w.tend(strings.Fields(tt.step)...)
				if p.cut.Load() {
					cuts++
				}
				if code != wantCode && (code != 5 || !strings.Contains(out, "unreachable")) {
					t.Errorf("cut after %d of %d bytes: exit code %d: %s", at, bytes, code, out)
				}
				for name, text := range memory(t, w) {
					if text != old[name] && text != want[name] && !(tt.step != "reset ada" && strings.Contains(w.everything(), text)) {
						t.Errorf("cut after %d of %d bytes: %s holds neither the old nor the new text: %q", at, bytes, name, text)
					}
				}
				for _, line := range tt.lines {
					w.kept(line)
				}
				p.heal(0, true)
				if code, out := w.tend(strings.Fields(tt.step)...); code != wantCode && !(code == 1 && strings.Contains(out, "[recovered]")) {
					t.Errorf("cut after %d of %d bytes, given again: exit code %d, want %d: %s", at, bytes, code, wantCode, out)
				}
				for name, text := range want {
					if got := memory(t, w)[name]; got != text {
						t.Errorf("cut after %d of %d bytes, given again: %s holds\n%s\nwant\n%s", at, bytes, name, got, text)
					}
				}
				for _, line := range tt.lines {
					w.kept(line)
				}
			}
			if cuts < int(points)-2 {
				t.Errorf("only %d of %d were cut off", cuts, points)
			}
		})
	}
}

// A server that is killed in the middle of a long command fails the agents on it
// and no others; once it is back, they are looked after.
func TestKilled(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	t.Setenv("HOME", s.Home)
	agents := map[string]place{"near": direct}
	for i := range 20 {
		agents[fmt.Sprintf("far%02d", i)] = s.URL
	}
	w := newWorld(t, "shepherd", agents)
	w.ok("baseline", "approve", "--all")
	for name := range agents {
		w.append(name, "- a note of "+name+"\n")
	}
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		for {
			if _, err := os.Stat(filepath.Join(w.dir, "state/archive/far03")); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		s.Stop()
	}()
	code, said := w.tend("reset", "--all")
	<-killed
	if code != 5 || !strings.Contains(said, "unreachable") {
		t.Errorf("exit code %d: %s", code, said)
	}
	w.wasReset("near")
	for name := range agents {
		w.kept("a note of " + name)
	}
	must(t, s.Run())
	if code, said := w.tend("reset", "--all"); code > 1 {
		t.Errorf("once it is back: exit code %d: %s", code, said)
	}
	for name := range agents {
		w.wasReset(name)
	}
}
