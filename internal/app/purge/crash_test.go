package purge

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
	"tend/internal/model/policy"
	"tend/internal/state/ledger"
	"tend/internal/state/pack"
	"tend/internal/text/layout"
	"tend/test/require"
)

const secret = "hunter2-AKxyz-0815"

var must = require.NoError

// room is one agent on a disk in memory.
type room struct {
	t    testing.TB
	disk *memfs.Disk
	cfg  config.Agent
	now  time.Time
}

func (r *room) agent() *fleet.Agent {
	r.t.Helper()
	ws, err := r.disk.Tree("ws")
	must(r.t, err)
	state, err := r.disk.Tree("state")
	must(r.t, err)
	return fleet.OnTree(&config.Config{}, state, func() time.Time { return r.now }).AgentIn(r.cfg, ws)
}

func (r *room) write(at time.Time, name, text string) {
	r.t.Helper()
	r.now = at
	r.disk.SetTime(at)
	_, err := runner.Write(r.t.Context(), r.agent(), vault.Path(name), []byte(text), nil, "write", runner.Options{Who: "test", Reason: "test"})
	must(r.t, err)
}

// leaked returns an agent with a secret in its memory, archives, trash, packs and in the records of three months.
func leaked(t testing.TB) *room {
	l, err := layout.Preset("openclaw@2026.8")
	must(t, err)
	p, err := policy.Policy{}.With("layout", l.Policy())
	must(t, err)
	p, err = p.With("test", map[string]any{"trash.grace": "1h", "trash.retention": "2d"})
	must(t, err)
	r := &room{t: t, disk: memfs.New(), cfg: config.Agent{Name: "ada", Enabled: true, Layout: l, Policy: p, Location: time.UTC}}
	must(t, r.disk.MkdirAll("ws"))
	must(t, r.disk.MkdirAll("state"))
	day := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	r.write(day, "notes.md", "- k0001 first\n- the key is "+secret+" k0002\n")
	r.write(day.AddDate(0, 0, 1), "notes.md", "- k0001 first\n- k0003 second\n")
	r.write(day.AddDate(0, 1, 0), "notes.md", "- k0004 third, again "+secret+"\n- k0005\n")
	r.write(day.AddDate(0, 1, 1), "other.md", "- k0006 harmless\n")
	r.write(day.AddDate(0, 2, 0), "notes.md", "- k0007 fourth\n")
	r.write(day.AddDate(0, 2, 0).Add(time.Minute), "other.md", "- k0008 "+secret+" at last\n")
	r.write(day.AddDate(0, 2, 0).Add(2*time.Minute), "other.md", "- k0009 still "+secret+"\n")
	r.now = r.now.Add(time.Minute)
	r.disk.SetTime(r.now)
	r.disk.Flush()
	return r
}

var marks = regexp.MustCompile(`k00\d\d`)

// known returns the facts that can be read anywhere, including packs and records.
func (r *room) known() map[string]bool {
	r.t.Helper()
	out := map[string]bool{}
	take := func(text string) {
		for _, m := range marks.FindAllString(text, -1) {
			out[m] = true
		}
	}
	for _, text := range r.all() {
		take(text)
	}
	for _, kind := range []string{fleet.TrashPack, fleet.SeenPack} {
		must(r.t, r.agent().History.Pack(kind).Each(func(e pack.Entry, err error) error { take(string(e.Text)); return err }))
	}
	return out
}

// secrets returns the places that still contain the secret.
func (r *room) secrets() (out []string) {
	r.t.Helper()
	for name, text := range r.all() {
		if strings.Contains(text, secret) {
			out = append(out, name)
		}
	}
	for _, kind := range []string{fleet.TrashPack, fleet.SeenPack} {
		must(r.t, r.agent().History.Pack(kind).Each(func(e pack.Entry, err error) error {
			if strings.Contains(string(e.Text), secret) {
				out = append(out, kind+" pack: "+e.Name)
			}
			return err
		}))
	}
	return out
}

// TestCrash cuts the power after every operation of a purge. Running it again finishes it: the secret is gone, the
// ledger's chain is intact, every other fact can still be read, and an action whose text was changed names its receipt.
func TestCrash(t *testing.T) {
	r := leaked(t)
	want := r.known()
	if n := len(r.secrets()); n < 4 || len(want) != 9 {
		t.Fatalf("the secret is in %d places, %d facts are known", n, len(want))
	}
	r.disk.Record()
	if _, err := Run(t.Context(), r.agent(), []byte(secret), Options{Who: "test"}); err != nil {
		t.Fatal(err)
	}
	states := 0
	for n := range r.disk.Len() + 1 {
		for _, choose := range []memfs.Chooser{memfs.Lost, memfs.LoseNothing, memfs.Random(uint64(n)), memfs.Random(uint64(n) + 1000)} {
			states++
			next := &room{t: t, disk: r.disk.CrashAt(n, choose), cfg: r.cfg, now: r.now.Add(time.Hour)}
			next.disk.SetTime(next.now)
			if err := next.finish(want); err != nil {
				t.Fatalf("interrupted after operation %d of %d: %v", n, r.disk.Len(), err)
			}
		}
	}
	t.Logf("%d operations, %d states of the disk, all finished by running it again", r.disk.Len(), states)
}

func (r *room) finish(want map[string]bool) error {
	a := r.agent()
	receipt, err := Run(r.t.Context(), a, []byte(secret), Options{Who: "test"})
	if err != nil {
		return err
	}
	if left := r.secrets(); len(left) > 0 {
		return fmt.Errorf("the secret is left in %v", left)
	}
	if have := r.known(); !maps.Equal(have, want) {
		return fmt.Errorf("known now: %v", have)
	}
	if broken, err := a.Ledger.Verify(); err != nil || len(broken) > 0 {
		return fmt.Errorf("the ledger: %v %w", broken, err)
	}
	list, err := Receipts(a)
	if err != nil || len(list) == 0 || list[len(list)-1].ID != receipt.ID {
		return fmt.Errorf("%d receipts, %w", len(list), err)
	}
	ids := map[string]bool{}
	for _, x := range list {
		ids[x.ID] = true
	}
	for done, err := range a.Ledger.Actions() {
		if err != nil {
			return err
		}
		if done.Purged != "" && !ids[done.Purged] {
			return fmt.Errorf("%s names the receipt %s, which is missing", done.ID, done.Purged)
		}
		if done.Outcome == ledger.RolledBack {
			continue
		}
		for i, f := range done.Files {
			if _, err := a.Ledger.Before(done, i); f.Before != vault.Absent && err != nil && !errors.Is(err, ledger.ErrPurged) {
				return fmt.Errorf("the text before %s (%s): %w", done.ID, f.Path, err)
			}
		}
	}
	return nil
}

// all returns the text of every file, of months of the ledger their records.
func (r *room) all() map[string]string {
	out := r.disk.Files("ws")
	maps.Copy(out, r.disk.Files("state"))
	for name, text := range out {
		if strings.Contains(name, "/ledger/") {
			records, err := ledger.Unzipped([]byte(text))
			must(r.t, err)
			out[name] = string(records)
		}
	}
	return out
}
