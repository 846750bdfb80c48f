//go:build linux

package screen

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestRestoreList restores as a person does who knows no names: list, choose, look, confirm.
func TestRestoreList(t *testing.T) {
	w := newWorld(t)
	scout := filepath.Join(w.home, ".openclaw/workspace-scout")
	must(t, os.Remove(filepath.Join(scout, "memory/2026-11-12.md")))
	has := func(file, text string) bool {
		data, err := os.ReadFile(filepath.Join(scout, file))
		return err == nil && strings.Contains(string(data), text)
	}
	script := "cd " + w.home + "\nwhile :; do tend --clock '2026-11-15 12:00' restore; echo left-with $?; read again; done\n"
	must(t, os.WriteFile(filepath.Join(w.dir, "list.sh"), []byte(script), 0o644))
	w.tmux("new-session", "-d", "-s", "s", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(rows), "sh "+filepath.Join(w.dir, "list.sh"))
	screen := func(want string) string {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); ; {
			shown := w.tmux("capture-pane", "-p", "-t", "s")
			if regexp.MustCompile(want).MatchString(shown) {
				return shown
			}
			if time.Now().After(deadline) {
				t.Fatalf("no %q:\n%s", want, shown)
			}
			time.Sleep(20 * time.Millisecond) // the terminal does not say that it has changed
		}
	}
	say := func(text string) { w.tmux("send-keys", "-t", "s", text, "Enter") }
	number := func(shown, row string) string {
		t.Helper()
		m := regexp.MustCompile(`(?m)^(\d+) .*` + row).FindStringSubmatch(shown)
		if m == nil {
			t.Fatalf("no row %q:\n%s", row, shown)
		}
		return m[1]
	}

	shown := screen(`Enter to leave: *\n*$`)
	if strings.Contains(shown, "SOUL.md") {
		t.Errorf("a guarded text is not lost memory:\n%s", shown)
	}
	// Looked at, and refused.
	say(number(shown, `MEMORY\.md +1 line lost`))
	shown = screen(`Restore this\? \[y/N\] *\n*$`)
	if !strings.Contains(shown, "+- The spare key hangs behind the boiler.") || has("MEMORY.md", "spare key") {
		t.Errorf("the preview restored it, or did not show it:\n%s", shown)
	}
	w.tmux("clear-history", "-t", "s")
	w.tmux("send-keys", "-t", "s", "-R")
	say("n")
	shown = screen(`Enter to leave: *\n*$`)
	// A deleted file, confirmed.
	say(number(shown, `memory/2026-11-12\.md +deleted`))
	screen(`Restore this\? \[y/N\] *\n*$`)
	if has("memory/2026-11-12.md", "backups") {
		t.Error("restored before it was confirmed")
	}
	say("y")
	screen(`left-with 0`)
	if !has("memory/2026-11-12.md", "checked the backups") {
		t.Error("not restored")
	}
	// What is back is not offered again; words and a file's versions work, too; so does leaving.
	w.tmux("send-keys", "-t", "s", "-R")
	say("")
	if shown = screen(`Enter to leave: *\n*$`); strings.Contains(shown, "2026-11-12.md") {
		t.Errorf("a restored file is still listed:\n%s", shown)
	}
	say("MEMORY.md")
	screen(`(?s)as it was seen, [0-9]+ B.*Enter to leave: *\n*$`)
	say("no such thing anywhere")
	screen(`Error: `)
	say("spare key")
	screen(`Restore this\? \[y/N\] *\n*$`)
	say("yes")
	screen(`left-with 0`)
	if !has("MEMORY.md", "spare key") {
		t.Error("the words were not restored")
	}
	w.tmux("send-keys", "-t", "s", "-R")
	say("")
	screen(`Enter to leave: *\n*$`)
	say("")
	screen(`left-with 0`)
}
