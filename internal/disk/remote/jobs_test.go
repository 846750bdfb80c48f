package remote_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/remote/sshdtest"
	"tend/internal/disk/vault"
)

// Every command does the same to a remote agent as to a local one: each runs on both, and all files are compared.
func TestJobs(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	t.Setenv("HOME", s.Home)
	for _, tt := range []struct {
		layout string
		files  map[string]string
		steps  []string
	}{
		{"shepherd", nil, []string{
			"baseline approve ada", "status", "reset ada", "reset ada", "undo LAST", "restore MEMORY.md", "log", "show LAST",
			"reset --all --dry-run", "doctor",
		}},
		{"openclaw@2026.8", night(), []string{
			"check ada", "note kept_by_a_note --tag decision", "buffer add waiting_for_review --task release", "buffer show",
			"curate ada --dry-run", "curate ada", "prune ada",
			"nightly ada", "nightly ada", "undo LAST", "context ada", "status --json",
		}},
		{"openclaw-v4@1.3", week(), []string{
			"check ada", "check ada --fix", "check ada", "rotate ada", "archive ada", "review ada", "buffer clear", "undo LAST", "why MEMORY.md",
		}},
	} {
		t.Run(tt.layout, func(t *testing.T) {
			here, there := newWorld(t, tt.layout, map[string]place{"ada": direct}, "hot.max_lines: 20"), newWorld(t, tt.layout,
				map[string]place{"ada": s.URL}, "hot.max_lines: 20")
			for _, w := range []*world{here, there} {
				w.append("ada", "- a note of ada\n")
				for name, text := range tt.files {
					w.put("ws/ada/"+name, text)
				}
			}
			changed := 0
			for _, step := range tt.steps {
				before := memory(t, there)
				wantCode, want := here.tend(here.args(step)...)
				gotCode, got := there.tend(there.args(step)...)
				if gotCode != wantCode || wantCode == 5 || wantCode == 2 {
					t.Fatalf("tend %s: exit code %d, want %d\nremote: %s\nlocal: %s", step, gotCode, wantCode, got, want)
				}
				if diff := cmp.Diff(alike(want, here), alike(got, there)); diff != "" && !strings.HasPrefix(step, "doctor") &&
					!strings.HasPrefix(step, "status") {
					t.Errorf("tend %s says something else remotely (-local +remote):\n%s", step, diff)
				}
				if diff := cmp.Diff(memory(t, here), memory(t, there)); diff != "" {
					t.Fatalf("tend %s does something else remotely (-local +remote):\n%s", step, diff)
				}
				if !maps.Equal(before, memory(t, there)) {
					changed++
				}
			}
			if changed < 3 {
				t.Errorf("only %d of %d commands changed a file", changed, len(tt.steps))
			}
		})
	}
}

// args returns the arguments of a step. LAST is the newest action, LAST~ the state before it.
func (w *world) args(step string) []string {
	w.t.Helper()
	words := strings.Fields(step)
	if i := slices.IndexFunc(words, func(word string) bool { return strings.HasPrefix(word, "LAST") }); i >= 0 {
		lines := strings.Split(w.ok("log", "--limit", "1", "--quiet"), "\n")
		words[i] = strings.Fields(lines[1])[0] + strings.TrimPrefix(words[i], "LAST")
	}
	return words
}

// memory returns an agent's files, without those that Tend keeps for a while.
func memory(t testing.TB, w *world) map[string]string {
	all := files(t, w.ws("ada"))
	maps.DeleteFunc(all, func(name, _ string) bool { return strings.Contains(name, vault.TempPrefix) })
	return all
}

// alike returns an output without what must differ: folders, actions, durations.
func alike(said string, w *world) string {
	said = regexp.MustCompile(`ssh://[^/]+`).ReplaceAllString(said, "")
	said = strings.ReplaceAll(said, w.dir, "DIR")
	said = regexp.MustCompile(`\b[0-9a-z]{10}\b`).ReplaceAllStringFunc(said, func(word string) string {
		if strings.ContainsAny(word, "0123456789") && strings.ContainsAny(word, "abcdefghijklmnopqrstuvwxyz") {
			return "ACTION"
		}
		return word
	})
	return regexp.MustCompile(`\b[0-9.]+(ms|µs|s)\b`).ReplaceAllString(said, "TIME")
}

func night() map[string]string {
	var hot strings.Builder
	hot.WriteString("# Memory\n")
	for i := range 8 {
		fmt.Fprintf(&hot, "\n## 2026-10-%02d\n- [decision] option %d stays\n", i+1, i)
		if i < 3 {
			fmt.Fprintf(&hot, "- seen %d\n", i)
		}
	}
	return map[string]string{
		"MEMORY.md":            hot.String(),
		"memory/2026-11-15.md": "# 2026-11-15\n\n- 09:00 [lesson] the mirror lags\n- 10:00 - lunch\n- 11:00 [human] prefers short answers\n",
		"memory/working-buffer.md": "# Working Buffer\ncreated: 2026-11-15T08:00:00+01:00\nlast_active: 2026-11-15T12:00:00+01:00\n\n" +
			"- [decision] keep two backups\n- half a thought\n",
	}
}

func week() map[string]string {
	closed := "# 2026-11-15\n\n- 09:00 [lesson] the mirror lags\n\nUpdated: 2026-11-15\nDecisions: none\nSignal: none\nOpen: none\n"
	return map[string]string{
		"MEMORY.md": "# Memory\n", "memory/episodic/2026-11-15.md": closed, "memory/working-buffer.md": night()["memory/working-buffer.md"],
		"memory/episodic/2026-10-01.md": "- old\n",
		"memory/episodic/2026-11-12.md": "- [decision] drop the feed\n- #friction: slow login\n" +
			"- #friction: slow login\n- #friction: slow login\n",
	}
}
