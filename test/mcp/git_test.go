package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGitHoldsNoLock: while git hangs, the agent's writes work, and none of them starts git.
func TestGitHoldsNoLock(t *testing.T) {
	dir := newWorkspace(t, "", map[string]string{"ws/MEMORY.md": "# Memory\n\n- tea\n"})
	bin := t.TempDir()
	started, release := filepath.Join(bin, "started"), filepath.Join(bin, "go")
	script := "#!/bin/sh\necho \"$*\" >>" + started + "\nwhile [ ! -e " + release + " ]; do sleep 0.05; done\nexit 1\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		cmd := tend(dir, args...)
		cmd.Env = append(cmd.Env, "PATH="+bin+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run("note", "--agent", "ada", "the port is 8443")
	if text, err := os.ReadFile(started); err == nil {
		t.Fatalf("a note started git: %s", text)
	}
	sync := tend(dir, "history", "sync", "ada")
	sync.Env = append(sync.Env, "PATH="+bin+":"+os.Getenv("PATH"))
	if err := sync.Start(); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(started); err == nil {
			break
		}
		wait()
	}
	run("note", "--agent", "ada", "the views are left") // git has been started and waits
	if got := run("search", "--agent", "ada", "views"); !strings.Contains(got, "the views are left") {
		t.Errorf("not found: %s", got)
	}
	if _, err := os.Stat(release); err == nil {
		t.Fatal("git was let go too early")
	}
	if err := os.WriteFile(release, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_ = sync.Wait() // this git always fails
}
