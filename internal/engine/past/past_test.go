package past

import (
	"context"
	"errors"
	"testing"
	"time"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/state/pack"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/test/require"
)

var must = require.NoError

// TestTextAtATime reads a file at times before, between and after its records.
func TestTextAtATime(t *testing.T) {
	l, err := layout.Preset("openclaw")
	must(t, err)
	disk := memfs.New()
	must(t, disk.MkdirAll("ws"))
	must(t, disk.MkdirAll("state"))
	now := time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)
	ws, err := disk.Tree("ws")
	must(t, err)
	state, err := disk.Tree("state")
	must(t, err)
	a := fleet.OnTree(&config.Config{}, state, func() time.Time { return now }).
		AgentIn(config.Agent{Name: "ada", Enabled: true, Layout: l, Location: time.UTC}, ws)
	ctx := context.Background()
	day := func(n int) time.Time { return time.Date(2026, 11, n, 12, 0, 0, 0, time.UTC) }
	p := Open(a)

	if _, err := p.At(ctx, "MEMORY.md", day(12)); !errors.Is(err, ErrUnknown) {
		t.Errorf("nothing is kept: got %v, want %v", err, ErrUnknown)
	}
	seen := func(at time.Time, action, text string, gone bool) {
		t.Helper()
		must(t, a.History.Pack(fleet.SeenPack).Add([]pack.Entry{{Name: "MEMORY.md", At: at, Action: action, Text: []byte(text), Gone: gone}}))
	}
	apply := func(at time.Time, old, new string) string {
		t.Helper()
		now = at
		s, err := a.Ledger.Begin(ctx, "test")
		must(t, err)
		must(t, disk.WriteFile("ws/MEMORY.md", old))
		act, err := s.Apply(ctx, plan.Plan{Job: "write", Changes: []plan.Change{{
			Path: "MEMORY.md", Op: plan.Write, Before: vault.VersionOf([]byte(old)), Old: []byte(old), New: []byte(new),
		}}})
		must(t, err)
		must(t, s.Close())
		return act.ID
	}
	seen(day(11), "", "one\n", false)
	id := apply(day(13), "two\n", "three\n")
	seen(day(15), id, "four\n", false)
	seen(day(17), id, "", true)

	for _, tt := range []struct {
		day   int
		want  string
		gone  bool
		known string
	}{
		{11, "one\n", false, "seen 2026-11-11 12:00:00"},
		{12, "one\n", false, "seen 2026-11-11 12:00:00"},
		{14, "three\n", false, "after " + id},
		{16, "four\n", false, "seen 2026-11-15 12:00:00"},
		{18, "", true, "seen 2026-11-17 12:00:00"},
	} {
		got, err := p.At(ctx, "MEMORY.md", day(tt.day))
		if err != nil || string(got.Data) != tt.want || got.Gone != tt.gone || got.Known != tt.known {
			t.Errorf("on the %dth: got %q gone %v %q %v, want %q gone %v %q", tt.day, got.Data, got.Gone, got.Known, err, tt.want, tt.gone, tt.known)
		}
	}
	if _, err := p.At(ctx, "MEMORY.md", day(1)); !errors.Is(err, ErrUnknown) {
		t.Errorf("before it was first seen: got %v, want %v", err, ErrUnknown)
	}
	if last, err := p.Last(ctx, "MEMORY.md"); err != nil || string(last.Data) != "four\n" {
		t.Errorf("the last text: got %q %v, want %q", last.Data, err, "four\n")
	}
	events, err := p.Events(ctx, Filter{File: "MEMORY.md"})
	must(t, err)
	var order []string
	for _, e := range events {
		switch {
		case e.Action != nil:
			order = append(order, e.Action.Job)
		case e.Seen[0].Gone:
			order = append(order, "removed")
		default:
			order = append(order, "edit")
		}
	}
	if got := len(order); got != 3 || order[0] != "removed" || order[1] != "edit" || order[2] != "write" {
		t.Errorf("got %v, want removed, edit, write", order)
	}
	for _, k := range []string{"MEMORY.md@" + id + "~", events[1].Seen[0].Ref} {
		if _, ok, err := p.Find(k); !ok || err != nil {
			t.Errorf("%s: %v %v", k, ok, err)
		}
	}
}

// TestTextOfUnknownAge: nobody knows since when a file that Tend cannot read, such as a link out of the workspace, has its text.
func TestTextOfUnknownAge(t *testing.T) {
	l, err := layout.Preset("openclaw")
	must(t, err)
	disk := memfs.New()
	must(t, disk.MkdirAll("ws"))
	must(t, disk.MkdirAll("state"))
	ws, err := disk.Tree("ws")
	must(t, err)
	state, err := disk.Tree("state")
	must(t, err)
	a := fleet.OnTree(&config.Config{}, state, time.Now).AgentIn(config.Agent{Name: "ada", Enabled: true, Layout: l, Location: time.UTC}, ws)
	written := time.Date(2026, 11, 10, 12, 0, 0, 0, time.UTC)
	for name, changed := range map[string]map[string]time.Time{
		"written before the session": {"MEMORY.md": written},
		"of unknown age":             {},
	} {
		r := rebuilder{past: Open(a), changed: changed, versions: map[string][]Version{}, texts: map[string]Text{}}
		f := loadview.File{Name: "MEMORY.md", Data: []byte("present\n"), Kind: loadview.Symlink}
		_, sure, err := r.textAt(context.Background(), f, written.Add(time.Hour), func([]byte) bool { return false })
		must(t, err)
		if want := len(changed) > 0; sure != want {
			t.Errorf("%s: the text is certain: %v, want %v", name, sure, want)
		}
	}
}
