package cache

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/session/seen"
	"tend/test/require"
)

func TestSessionsAreWhatWasAdded(t *testing.T) {
	s := newStore(t)
	var want []seen.Session
	for i := range 5 {
		text := []byte(strings.Repeat(fmt.Sprintf("- fact %d\n", i/2), 3))
		one := seen.Session{
			ID: fmt.Sprint("s", i), At: time.Unix(int64(i), 0).UTC(), Source: seen.Hook,
			Files: []seen.File{{Path: "MEMORY.md", Version: vault.VersionOf(text), Lines: 3, Marks: seen.MarksOf(text),
				Seen: []loadview.Span{{From: 1, To: 2}}, Why: seen.Cut}},
		}
		require.NoError(t, s.AddSession(one))
		want = append(want, one)
	}
	got, err := s.Sessions()
	require.NoError(t, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSessionsStaySmall: the older half goes when the file is large, and the marks of the others stay.
func TestSessionsStaySmall(t *testing.T) {
	s := newStore(t)
	text := []byte(strings.Repeat("- a fact\n", 4000))
	one := seen.Session{Files: []seen.File{{Path: "MEMORY.md", Version: vault.VersionOf(text), Marks: seen.MarksOf(text)}}}
	for i := range 60 {
		one.ID = fmt.Sprint("s", i)
		one.Files[0].Version = vault.Version(fmt.Sprint("v", i))
		require.NoError(t, s.AddSession(one))
	}
	got, err := s.Sessions()
	require.NoError(t, err)
	if len(got) >= 60 || got[len(got)-1].ID != "s59" {
		t.Fatalf("%d sessions", len(got))
	}
	for _, x := range got {
		if len(x.Files[0].Marks) != 4000 {
			t.Fatalf("%s has no marks", x.ID)
		}
	}
}

func newStore(t *testing.T) Store {
	t.Helper()
	fs, err := fsys.Dir(t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { _ = fs.Close() })
	require.NoError(t, vault.MkdirAll(fs, vault.NoSync{}, "agents/a", 0o700))
	return New(fs, "a")
}
