package migrate_test

import (
	"testing"

	"tend/internal/text/layout"
	"tend/internal/text/layout/migrate"
	"tend/internal/text/layout/migrate/migratetest"
	"tend/test/require"
)

var must = require.NoError

func preset(t testing.TB, ref string) layout.Layout {
	t.Helper()
	l, err := layout.Preset(ref)
	must(t, err)
	return l
}

func move(t testing.TB, from, to string, files []migrate.File, o *migrate.Origin) (migrate.Request, migrate.Result) {
	t.Helper()
	l := preset(t, from)
	q := migrate.Request{From: l, To: preset(t, to), Files: files, Loaded: migratetest.Loaded(l, files), Origin: o}
	return q, migrate.Plan(q)
}

func same(t *testing.T, what string, want, got []migrate.File) {
	t.Helper()
	for _, d := range migratetest.Differences(want, got) {
		t.Errorf("%s: %s", what, d)
	}
}

var five = []string{"openclaw", "hermes", "claude-code", "codex", "letta"}

// TestThereAndBack: every line is in the target, the target loads what the source did unless its limit forbids that, which it
// then says, and each way back ends with the same bytes.
func TestThereAndBack(t *testing.T) {
	var total migratetest.Count
	moves := 0
	check := func(what string, q migrate.Request, r migrate.Result) []migrate.File {
		c, problems := migratetest.Check(q, r, true)
		for _, p := range problems {
			t.Errorf("%s: %s", what, p)
		}
		total = total.Add(c)
		moves++
		return migratetest.Files(r)
	}
	for name, w := range workspaces() {
		for _, a := range five {
			what := name + " to " + a
			q, there := move(t, w.layout, a, w.files, nil)
			files := check(what, q, there)
			_, home := move(t, a, w.layout, files, &there.Origin)
			same(t, what+" and back", w.files, migratetest.Files(home))
			for _, b := range five {
				if a == b {
					continue
				}
				what := what + " to " + b
				q, next := move(t, a, b, files, &there.Origin)
				far := migratetest.Files(next)
				if w.layout != b {
					check(what, q, next)
				}
				_, back := move(t, b, a, far, &next.Origin)
				same(t, what+" and back", files, migratetest.Files(back))
				_, home := move(t, a, w.layout, migratetest.Files(back), &back.Origin)
				same(t, what+", back and home", w.files, migratetest.Files(home))
				_, home = move(t, b, w.layout, far, &next.Origin)
				same(t, what+" and home", w.files, migratetest.Files(home))
			}
		}
	}
	if moves < 6*5*4 || total.Loaded == 0 || total.Beyond == 0 {
		t.Errorf("%d moves: %+v", moves, total)
	}
	t.Logf("%d moves: %+v", moves, total)
}

func TestEveryLayout(t *testing.T) {
	for name, w := range workspaces() {
		for _, to := range layout.Presets() {
			q, there := move(t, w.layout, to, w.files, nil)
			_, problems := migratetest.Check(q, there, true)
			for _, p := range problems {
				t.Errorf("%s to %s: %s", name, to, p)
			}
			_, home := move(t, to, w.layout, migratetest.Files(there), &there.Origin)
			same(t, name+" to "+to+" and back", w.files, migratetest.Files(home))
		}
	}
}
