package fleet

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tend/test/require"
)

// TestALookGoesOnWhereTheLastOneStopped: after any edits it finds what a look at everything finds, and reads only what is new.
func TestALookGoesOnWhereTheLastOneStopped(t *testing.T) {
	require.Program(t, "git")
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "ws"), 0o755))
	a := agentIn(t, dir, "")
	file := filepath.Join(dir, "ws", "MEMORY.md")
	r := rand.New(rand.NewPCG(3, 4))
	line := func() string { return fmt.Sprintf("- host w%x serves w%x for w%x", r.Uint64(), r.Uint64(), r.Uint64()) }
	page := []string{"# Memory"}
	for range 60 {
		page = append(page, line())
	}
	lost, bursts := []string(nil), 0
	for i := range 30 {
		switch {
		case i%7 == 3: // a burst
			lost, page = page[20:], page[:20:20]
		case i%7 == 5 && i < 20: // a part of it comes back, and once everything
			back := lost
			if i%2 == 0 {
				back = lost[:len(lost)/2]
			}
			page = append(page, back...)
		default:
			page[1+r.IntN(19)] = line() // never one that came back: whose loss that is would be a matter of taste
			page = append(page, line(), line(), line())
		}
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(page, "\n")+"\n"), 0o644))
		_, _, err := a.History.Sync(t.Context())
		require.NoError(t, err)
		said := func() (out []string) {
			found, err := a.Judge(t.Context())
			require.NoError(t, err)
			for _, f := range found {
				out = append(out, f.Text)
			}
			slices.Sort(out)
			return out
		}
		got := said()
		kept, err := a.Cache.Read(lookedFile)
		require.NoError(t, err)
		require.NoError(t, os.Remove(filepath.Join(dir, "state", a.Cache.Path(lookedFile))))
		if want := said(); !slices.Equal(got, want) {
			t.Fatalf("edit %d: found\n%s\na look at everything finds\n%s", i, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		require.NoError(t, a.Cache.Write(lookedFile, kept))
		bursts = max(bursts, len(got))
	}
	if bursts < 2 {
		t.Errorf("at most %d bursts at a time were found", bursts)
	}
	in, err := a.Input(t.Context())
	require.NoError(t, err)
	l, err := a.look(in, true)
	require.NoError(t, err)
	read := slices.DeleteFunc(l.changes, func(r Rewrite) bool { return r.skipped })
	if len(read) > 1 {
		t.Errorf("nothing is new, and %d changes are read", len(read))
	}
}
