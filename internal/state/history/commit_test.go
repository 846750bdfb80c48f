package history

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"tend/internal/disk/fsys"
	"tend/test/require"
)

// TestCommitOfFindsWhoCommittedAText: only the commit that gave the file this text counts, and the repository's settings run nothing.
func TestCommitOfFindsWhoCommittedAText(t *testing.T) {
	ws := t.TempDir()
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", ws, "-c", "user.name=Ines Rocha", "-c", "user.email=i@example.org"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(ws, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(ws, name), []byte(text), 0o600))
	}
	git("init", "-q")
	write("notes/MEMORY.md", "one\n")
	git("add", "-A")
	git("commit", "-qm", "start")
	write("notes/MEMORY.md", "two\n")
	git("commit", "-qam", "tidy memory\n\nand more")
	write("other.md", "x\n")
	git("add", "-A")
	git("commit", "-qm", "something else")

	tree, err := fsys.Dir(ws)
	require.NoError(t, err)
	defer tree.Close()
	c, ok := CommitOf(tree, "notes/MEMORY.md", []byte("two\n"))
	if !ok || c.Author != "Ines Rocha" || c.Subject != "tidy memory" || len(c.ID) != 40 {
		t.Errorf("commit %+v, %v", c, ok)
	}
	if c, ok := CommitOf(tree, "notes/MEMORY.md", []byte("never committed\n")); ok {
		t.Errorf("a text that nobody committed: %+v", c)
	}
}
