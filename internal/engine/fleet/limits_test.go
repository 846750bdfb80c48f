package fleet

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/state/history"
	"tend/test/require"
)

// TestTooMuchTextIsNotRead: of files with more text than files.max_total those of the workspace's own folder are read, then the
// newest logs; the others are reported.
func TestTooMuchTextIsNotRead(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, size int) {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "ws", filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "ws", name), []byte(strings.Repeat("- a\n", size/4)), 0o644))
	}
	put("MEMORY.md", 1000)
	var want, unread []vault.Path
	for day := range 9 {
		name := fmt.Sprintf("memory/2026-11-%02d.md", day+1)
		put(name, 300_000)
		if day < 6 {
			unread = append(unread, vault.Path(name))
		} else {
			want = append(want, vault.Path(name))
		}
	}
	want = append([]vault.Path{"MEMORY.md"}, want...)
	a := agentIn(t, dir, "files.max_total: 1MB")
	in, err := a.Input(t.Context())
	require.NoError(t, err)
	var got, left []vault.Path
	for p := range in.Files {
		got = append(got, p)
	}
	for p, why := range in.Facts.Unread {
		if why == "is beyond files.max_total" {
			left = append(left, p)
		}
	}
	slices.Sort(got)
	slices.Sort(left)
	if !slices.Equal(got, want) || !slices.Equal(left, unread) {
		t.Errorf("read %v\nnot read %v", got, in.Facts.Unread)
	}
}

// agentIn opens an agent with the workspace ws of a folder.
func agentIn(t *testing.T, dir, policy string) *Agent {
	t.Helper()
	env, err := config.OSEnv()
	require.NoError(t, err)
	cfg, err := config.Parse(filepath.Join(dir, "tend.yaml"), []byte("version: 1\nstate_dir: ./state\nagents:\n  ada:\n"+
		"    layout: openclaw\n    timezone: UTC\n    workspace: ./ws\n    policy: {"+policy+"}\n"), env)
	require.NoError(t, err)
	f, err := Open(cfg, Options{Write: true, Clock: time.Now})
	require.NoError(t, err)
	a, err := f.Agent(t.Context(), "ada")
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, a.Close())
		require.NoError(t, f.Close())
	})
	return a
}

// TestWhatAnAgentWritesCounts: texts that an agent was seen to write count for its quota like those of actions.
func TestWhatAnAgentWritesCounts(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "ws"), 0o755))
	a := agentIn(t, dir, "state.max_bytes: 1MB")
	for n := range 6 {
		if err := a.Room(); err != nil {
			t.Fatalf("after %d texts: %v", n, err)
		}
		text := make([]byte, 0, 600_000)
		for len(text) < cap(text)-20 {
			text = fmt.Appendf(text, "- %016x\n", rand.Uint64())
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "ws", "MEMORY.md"), text, 0o644))
		if _, _, err := a.History.Sync(t.Context()); err != nil && !errors.Is(err, history.ErrNoGit) {
			t.Fatal(err)
		}
		if errors.Is(a.Room(), vault.ErrFull) {
			return
		}
	}
	t.Error("3.6 MB of texts are within a quota of 1 MB")
}
