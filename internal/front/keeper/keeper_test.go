package keeper

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/state/token"
	"tend/test/require"
)

var must = require.NoError

// home is a fleet in a temporary folder with a keeper.
type home struct {
	t       *testing.T
	dir     string
	log     *safeBuffer
	addr    string
	hup     chan os.Signal
	stop    func() error
	mu      sync.Mutex
	alerted []string
	k       *Keeper
	fast    bool // alerts are retried at once
	made    func(*Keeper)
}

// safeBuffer is a log that is read while it is written.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func baseline(name string) string {
	return "# " + name + "\n\nThe operator's text.\n" + strings.Repeat("A rule that holds.\n", 80) + "\n---\n## Notes\n"
}

// newHome creates agents with approved baselines. extra is appended to tend.yaml.
func newHome(t *testing.T, policy, extra string, names ...string) *home {
	t.Helper()
	h := &home{t: t, dir: t.TempDir(), log: &safeBuffer{}, hup: make(chan os.Signal, 1)}
	h.configure(policy, extra, names...)
	for _, n := range names {
		h.write("baselines/"+n+".md", baseline(n))
		h.write("ws/"+n+"/MEMORY.md", baseline(n))
	}
	cfg, err := h.load()
	must(t, err)
	f, err := fleet.Open(cfg, fleet.Options{Write: true})
	must(t, err)
	defer f.Close()
	for _, n := range names {
		a, err := f.Records(n)
		must(t, err)
		list, err := a.Baselines.List()
		must(t, err)
		if _, err := a.Guard.Approve(list, "tester", 10, nil); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func (h *home) configure(policy, extra string, names ...string) {
	h.t.Helper()
	var text strings.Builder
	if !strings.Contains(policy, "guard.baseline") { // most tests are about the keeper that restores
		policy = strings.TrimPrefix(policy+", guard.baseline: restore", ", ")
	}
	text.WriteString("version: 1\nstate_dir: ./state\ndefaults:\n  layout: shepherd\n  timezone: UTC\n  policy: {" + policy + "}\n")
	if !strings.Contains(extra, "keeper:") {
		text.WriteString("keeper:\n  listen: 127.0.0.1:0\n")
	}
	text.WriteString(extra + "agents:\n")
	for _, n := range names {
		text.WriteString(fmt.Sprintf("  %s:\n    workspace: ./ws/%s\n    baselines:\n      MEMORY.md: ./baselines/%s.md\n", n, n, n))
	}
	h.write("tend.yaml", text.String())
}

func (h *home) path(name string) string { return filepath.Join(h.dir, filepath.FromSlash(name)) }

// write writes a file atomically, as editors do. If it were truncated first, a fast keeper could see two changes, or restore the file in
// between, and the text would go to the displaced one.
func (h *home) write(name, text string) {
	h.t.Helper()
	must(h.t, os.MkdirAll(filepath.Dir(h.path(name)), 0o755))
	f, err := os.CreateTemp(h.dir, "written")
	must(h.t, err)
	_, err = f.WriteString(text)
	must(h.t, errors.Join(err, f.Chmod(0o644), f.Close(), os.Rename(f.Name(), h.path(name))))
}

func (h *home) read(name string) string {
	h.t.Helper()
	text, err := os.ReadFile(h.path(name))
	if err != nil && !os.IsNotExist(err) {
		h.t.Fatal(err)
	}
	return string(text)
}

func (h *home) load() (*config.Config, error) {
	env, err := config.OSEnv()
	if err != nil {
		return nil, err
	}
	return config.Load(h.path("tend.yaml"), env)
}

// start starts a keeper and stops it at the end of the test.
func (h *home) start() *home {
	h.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	listening, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- Run(ctx, Options{
			Load: h.load, Log: slog.New(slog.NewTextHandler(h.log, nil)), Clock: time.Now, Grace: time.Minute, Hangup: h.hup,
			Notify:    func(s string) { h.mu.Lock(); h.alerted = append(h.alerted, s); h.mu.Unlock() },
			Listening: func(addr string) { listening <- addr },
			made: func(k *Keeper) {
				h.mu.Lock()
				h.k = k
				h.mu.Unlock()
				if h.made != nil {
					h.made(k)
				}
				if h.fast {
					k.alerts.pause = time.Millisecond
				}
			},
		})
	}()
	h.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	h.t.Cleanup(func() {
		if err := h.stop(); err != nil {
			h.t.Errorf("the keeper ended with %v", err)
		}
	})
	select {
	case h.addr = <-listening:
	case err := <-ended:
		h.stop = func() error { return nil }
		h.t.Fatalf("the keeper did not start: %v", err)
	}
	return h
}

// keeper returns the running keeper.
func (h *home) keeper() *Keeper {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.k
}

// until waits for a condition.
func (h *home) until(what string, holds func() bool) {
	h.t.Helper()
	for deadline := time.Now().Add(10 * time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			h.t.Fatalf("timed out waiting: %s\n%s", what, h.log)
		}
	}
}

// token creates a token; without an agent it is the operator's.
func (h *home) token(t token.Token) string {
	h.t.Helper()
	must(h.t, os.MkdirAll(h.path("state"), 0o700))
	state, err := fsys.Dir(h.path("state"))
	must(h.t, err)
	defer state.Close()
	_, secret, err := token.Create(state, t)
	must(h.t, err)
	return secret
}

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }
