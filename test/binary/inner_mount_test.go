//go:build linux

package binary

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"tend/test/require"
)

func bind(t *testing.T, from, to string) {
	t.Helper()
	require.Root(t, "it mounts a folder")
	must(t, unix.Mount(from, to, "", unix.MS_BIND, ""))
	t.Cleanup(func() { unmount(t, to) })
}

// TestMountInside: mounts inside a workspace are not the agent's. A folder of the same file system, a single file or another
// volume is not read, written or searched, and each is reported. The policy can allow them.
func TestMountInside(t *testing.T) {
	if !privileged(t) {
		return
	}
	w := newWorld(t, t.TempDir(), places{}, "a", "b")
	ws := w.agents[0]
	foreign := t.TempDir()
	must(t, os.WriteFile(filepath.Join(foreign, "2026-11-15.md"), []byte("- theirs zebra\n"), 0o644))
	must(t, os.Mkdir(filepath.Join(ws, "memory"), 0o755))
	bind(t, foreign, filepath.Join(ws, "memory"))
	file := filepath.Join(foreign, "file.md")
	must(t, os.WriteFile(file, []byte("- theirs zebra\n"), 0o644))
	bind(t, file, w.memory(0))

	talk := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_read","arguments":{"filename":"memory/2026-11-15.md"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"memory_write","arguments":{"filename":"memory/new.md","content":"x"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"zebra"}}}`,
	}, "\n") + "\n"
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"reset a", 3, "workspace.mounts: follow"},
		{"note hello --agent a --clock 2026-11-15", 3, "workspace.mounts: follow"},
		{"check a", 1, "on another mount"},
		{"doctor", 1, "memory is a separate mount"},
		{"grep zebra --agent a", 1, ""},
		{"status b", 0, ""},
		{"mcp a", 0, `"isError":true`},
	} {
		args := strings.Fields(c.args)
		cmd := w.command(args...)
		cmd.Stdin = strings.NewReader(talk)
		r := finish(cmd, args)
		if r.code != c.code || !strings.Contains(r.out+r.err, c.want) {
			t.Errorf("want exit code %d and %q: %s", c.code, c.want, r)
		}
		if strings.Contains(r.out, "theirs zebra") {
			t.Errorf("it was read: %s", r)
		}
	}
	if names, err := os.ReadDir(foreign); err != nil || len(names) != 2 {
		t.Errorf("the other folder has %v now, %v", names, err)
	}

	// Allowed by the policy.
	unmount(t, w.memory(0))
	conf, err := os.ReadFile(w.abs("tend.yaml"))
	must(t, err)
	must(t, os.WriteFile(w.abs("tend.yaml"),
		[]byte(strings.Replace(string(conf), "  timezone: UTC\n", "  timezone: UTC\n  policy: {workspace.mounts: follow}\n", 1)), 0o644))
	w.mustRun(t, "note", "hello", "--agent", "a", "--clock", "2026-11-15")
	text, err := os.ReadFile(filepath.Join(foreign, "2026-11-15.md"))
	must(t, err)
	if !strings.Contains(string(text), "hello") {
		t.Errorf("the volume has %q", text)
	}
}

// TestWorkspaceIsAMount: a workspace may itself be a mount.
func TestWorkspaceIsAMount(t *testing.T) {
	if !privileged(t) {
		return
	}
	w := newWorld(t, t.TempDir(), places{}, "a")
	volume := tmpfs(t, "size=4m")
	must(t, os.WriteFile(filepath.Join(volume, "MEMORY.md"), w.baseline, 0o644))
	bind(t, volume, w.agents[0])
	notes(t, w)
	w.mustRun(t, "reset", "a")
	if !w.clean(t, 0) || len(w.lost(t)) > 0 {
		t.Error("not reset")
	}
}
