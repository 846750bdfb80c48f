package runner

import (
	"context"
	"path"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/fleet/storedtest"
	"tend/internal/model/policy"
	"tend/internal/state/ledger"
	"tend/internal/text/layout"
	"tend/test/require"
)

// home is one agent on a disk in memory: its workspace, and Tend's state beside it.
type home struct {
	t    testing.TB
	disk *memfs.Disk
	now  time.Time
	cfg  config.Agent
	conf config.Config
	// store is the agent's store, nil for one that is only on disk.
	store *storedtest.Stored
}

func newHome(t testing.TB, ref, zone string, values map[string]any) *home {
	t.Helper()
	l, err := layout.Preset(ref)
	must(t, err)
	p, err := policy.Policy{}.With("layout", l.Policy())
	must(t, err)
	p, err = p.With("test", values)
	must(t, err)
	loc, err := time.LoadLocation(zone)
	must(t, err)
	h := &home{t: t, disk: memfs.New(), store: storedtest.New(t)}
	h.cfg = config.Agent{Name: "ada", Enabled: true, Layout: l, Policy: p, Location: loc}
	must(t, h.disk.MkdirAll("ws"))
	must(t, h.disk.MkdirAll("state")) // durable, as the fleet creates it
	if h.store != nil {
		t.Cleanup(h.inStore)
	}
	return h
}

// inStore compares the store's files with those that the test left.
func (h *home) inStore() {
	if h.t.Failed() {
		return
	}
	h.disk.OnOp(nil)
	if _, err := h.open(); err != nil {
		h.t.Error(err)
		return
	}
	all := map[string]string{}
	for name, text := range h.files() {
		all["workspace/"+name] = text
	}
	for name, file := range h.disk.Files("state/agents/ada/ledger") {
		records, err := ledger.Unzipped([]byte(file)) // only the state keeps months gzipped
		must(h.t, err)
		all["ledger/"+path.Base(name)] = string(records)
	}
	h.store.Same(h.t, "ada", all)
}

var must = require.NoError

// at sets the time, in the agent's zone.
func (h *home) at(clock string) {
	h.t.Helper()
	now, err := time.ParseInLocation("2006-01-02 15:04", clock, h.cfg.Location)
	must(h.t, err)
	h.set(now)
}

func (h *home) set(now time.Time) {
	h.now = now
	h.disk.SetTime(now)
}

// agent opens the agent as a new process does.
func (h *home) agent() *fleet.Agent {
	h.t.Helper()
	a, err := h.open()
	must(h.t, err)
	return a
}

func (h *home) open() (*fleet.Agent, error) {
	ws, err := h.disk.Tree("ws")
	if err != nil {
		return nil, err
	}
	state, err := h.disk.Tree("state")
	if err != nil {
		return nil, err
	}
	clock := func() time.Time { return h.now }
	f := fleet.OnTree(&h.conf, state, clock)
	if h.store == nil {
		return f.AgentIn(h.cfg, ws), nil
	}
	a := f.UseStore(h.store).AgentIn(h.cfg, ws)
	return a, h.store.Adopt(context.Background(), f, a)
}

// run runs a job as a new process does.
func (h *home) run(name string) Result {
	h.t.Helper()
	r, err := Job(context.Background(), h.agent(), name, Options{Who: "test"})
	if err != nil {
		h.t.Fatalf("%s at %s: %v", name, h.now.Format("2006-01-02 15:04"), err)
	}
	return r
}

func (h *home) write(name, text string) {
	h.t.Helper()
	must(h.t, h.disk.MkdirAll("ws/"+path.Dir(name)))
	must(h.t, h.disk.WriteFile("ws/"+name, text))
}

func (h *home) add(name, text string) {
	h.t.Helper()
	must(h.t, h.disk.MkdirAll("ws/"+path.Dir(name)))
	must(h.t, h.disk.AppendFile("ws/"+name, text))
}

func (h *home) read(name string) string {
	text, err := h.disk.ReadFile("ws/" + name)
	if err != nil {
		return ""
	}
	return text
}

// files returns the workspace's files by name, without temporary files that a crash left
// and the ledger's sweep removes.
func (h *home) files() map[string]string {
	out := map[string]string{}
	for name, text := range h.disk.Files("ws") {
		if !strings.Contains(name, vault.TempPrefix) {
			out[strings.TrimPrefix(name, "ws/")] = text
		}
	}
	return out
}
