package remote_test

import (
	"strings"
	"testing"

	"tend/internal/disk/remote/sshdtest"
)

// A server that lacks an extension needed for safe changes is read from and never written to. Every command reports what
// is missing, and works as soon as the server has it.
func TestWeakServer(t *testing.T) {
	needed := []string{"posix-rename", "hardlink", "fsync"}
	servers := map[string]string{"read only": "-R"}
	for set := 1; set < 1<<len(needed); set++ {
		var denied []string
		for i, name := range needed {
			if set&(1<<i) != 0 {
				denied = append(denied, name)
			}
		}
		servers["without "+strings.Join(denied, ",")] = "-P " + strings.Join(denied, ",")
	}
	for name, option := range servers {
		t.Run(name, func(t *testing.T) {
			weak := sshdtest.Start(t, sshdtest.Options{Config: []string{"ForceCommand internal-sftp " + option}})
			w := approved(t, weak)
			missing := []string{"lacks what is needed to replace a file safely"}
			for ext := range strings.SplitSeq(strings.TrimPrefix(option, "-P "), ",") {
				if option != "-R" {
					missing = append(missing, ext+"@openssh.com")
				}
			}
			for _, command := range []string{"reset --all", "note --agent far a_thought"} {
				code, out := w.tend(strings.Fields(command)...)
				if code != 3 {
					t.Errorf("tend %s: exit code %d, want 3: %s", command, code, out)
				}
				for _, m := range missing {
					if !strings.Contains(out, m) {
						t.Errorf("tend %s says nothing of %q: %s", command, m, out)
					}
				}
				w.untouched("far", "- a note of far\n")
			}
			w.wasReset("near")
			if out := w.ok("log", "far"); strings.Contains(out, "reset") {
				t.Errorf("something was begun: %s", out)
			}
			for _, m := range missing {
				w.fails(1, []string{"doctor"}, m, "only reading is safe there")
			}
			w.untouched("far", "- a note of far\n")
			if out := w.ok("context", "far"); !strings.Contains(out, "a note of far") {
				t.Errorf("it cannot be read: %s", out)
			}

			strong := sshdtest.Start(t, sshdtest.Options{})
			t.Setenv("HOME", strong.Home)
			w.put("tend.yaml", strings.ReplaceAll(read(t, w.conf), weak.Addr(), strong.Addr()))
			w.ok("reset", "far")
			w.wasReset("far")
			w.ok("doctor")
		})
	}
}

// Whatever requests a server denies, a reset is done completely or not at all and says which; nothing is lost, and it
// works once nothing is denied.
func TestServerThatDenies(t *testing.T) {
	for _, request := range []string{"statvfs", "limits", "fstat", "stat", "fsetstat", "remove", "lstat", "realpath", "read", "write",
		"open"} {
		t.Run(request, func(t *testing.T) {
			s := sshdtest.Start(t, sshdtest.Options{Config: []string{"ForceCommand internal-sftp -P " + request}})
			w := approved(t, s)
			code, out := w.tend("reset", "--all")
			w.wasReset("near")
			w.kept("a note of far")
			switch got := read(t, w.memory("far")); {
			case code == 0 && got == baseline("far"):
			case code >= 3 && got == baseline("far")+"- a note of far\n" && strings.Contains(out, "far    "):
				w.fails(1, []string{"doctor"}, "failed   workspaces")
			default:
				t.Errorf("exit code %d: %s: far holds %q", code, out, got)
			}
			if request == "statvfs" {
				w.fails(1, []string{"doctor"}, "a full disk cannot be distinguished from other failures")
			}

			free := sshdtest.Start(t, sshdtest.Options{})
			t.Setenv("HOME", free.Home)
			w.put("tend.yaml", strings.ReplaceAll(read(t, w.conf), s.Addr(), free.Addr()))
			if code, out := w.tend("reset", "far"); code > 1 {
				t.Errorf("with nothing denied: exit code %d: %s", code, out)
			}
			w.wasReset("far")
		})
	}
}
