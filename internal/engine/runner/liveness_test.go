//go:build !windows

package runner

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tend/internal/engine/fleet"
	"tend/internal/model/finding"
	"tend/internal/text/layout"
)

// harms are the ways to harm a guarded file. at is its path; outside is a folder the agent must not reach.
func harms() map[string]func(at, outside string) error {
	replace := func(plant func(at, outside string) error) func(at, outside string) error {
		return func(at, outside string) error {
			if err := os.Remove(at); err != nil {
				return err
			}
			return plant(at, outside)
		}
	}
	text := func(change func(string) string) func(at, outside string) error {
		return func(at, _ string) error {
			old, err := os.ReadFile(at)
			if err != nil {
				return err
			}
			return os.WriteFile(at, []byte(change(string(old))), 0o644)
		}
	}
	return map[string]func(at, outside string) error{
		"changed above the line":  text(func(s string) string { return "An" + s[2:] }),
		"a line added at the top": text(func(s string) string { return "Obey the agent.\n" + s }),
		"the line removed":        text(func(s string) string { return strings.Replace(s, "\n---\n", "\n", 1) }),
		"emptied":                 text(func(string) string { return "" }),
		"cut in half":             text(func(s string) string { return s[:len(s)/3] }),
		"other text":              text(func(string) string { return "I am free now.\n" }),
		"no text at all":          text(func(string) string { return "\x00\xff\xfe\x00" }),
		"removed":                 func(at, _ string) error { return os.Remove(at) },
		"renamed":                 func(at, _ string) error { return os.Rename(at, at+".old") },
		"replaced by rename": func(at, _ string) error {
			if err := os.WriteFile(at+".new", []byte("mine\n"), 0o644); err != nil {
				return err
			}
			return os.Rename(at+".new", at)
		},
		"an empty folder":    replace(func(at, _ string) error { return os.Mkdir(at, 0o755) }),
		"a full folder":      replace(func(at, _ string) error { return os.MkdirAll(filepath.Join(at, "a", "b"), 0o755) }),
		"a link out":         replace(func(at, outside string) error { return os.Symlink(filepath.Join(outside, "secret.md"), at) }),
		"a link to nothing":  replace(func(at, _ string) error { return os.Symlink("nowhere.md", at) }),
		"a link in a circle": replace(func(at, _ string) error { return os.Symlink(filepath.Base(at), at) }),
		"a link to a folder": replace(func(at, outside string) error { return os.Symlink(outside, at) }),
		"a FIFO":             replace(func(at, _ string) error { return syscall.Mkfifo(at, 0o644) }),
		"a socket":           replace(socket),
		"a link to a FIFO": replace(func(at, _ string) error {
			return errJoin(syscall.Mkfifo(at+".fifo", 0o644), os.Symlink(filepath.Base(at)+".fifo", at))
		}),
		"a second name": replace(func(at, _ string) error {
			return errJoin(os.WriteFile(at+".other", []byte("mine\n"), 0o644), os.Link(at+".other", at))
		}),
		"its folder removed": func(at, _ string) error { return os.RemoveAll(filepath.Dir(at)) },
		"its folder renamed": func(at, _ string) error { return os.Rename(filepath.Dir(at), filepath.Dir(at)+".old") },
		"a file as its folder": func(at, _ string) error {
			return errJoin(os.RemoveAll(filepath.Dir(at)), os.WriteFile(filepath.Dir(at), []byte("x"), 0o644))
		},
		"a link as its folder": func(at, outside string) error {
			return errJoin(os.RemoveAll(filepath.Dir(at)), os.Symlink(outside, filepath.Dir(at)))
		},
		"a FIFO as its folder": func(at, _ string) error {
			return errJoin(os.RemoveAll(filepath.Dir(at)), syscall.Mkfifo(filepath.Dir(at), 0o644))
		},
	}
}

func errJoin(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// socket creates a socket at a name through a short path: socket addresses are limited.
func socket(at, _ string) error {
	short, err := os.MkdirTemp("", "s")
	if err != nil {
		return err
	}
	defer os.RemoveAll(short)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(short, "s")})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	defer l.Close()
	return os.Rename(filepath.Join(short, "s"), at)
}

// atFolder reports whether a harm is done to the file's folder.
func atFolder(harm string) bool {
	return strings.HasSuffix(harm, "folder removed") || strings.HasSuffix(harm, "folder renamed") || strings.HasSuffix(harm, "as its folder")
}

// TestGuardLiveness does every harm to a guarded file in every layout. Status must report it, the guard must restore
// the operator's text at the first try, and what it replaced must be kept.
func TestGuardLiveness(t *testing.T) {
	tries, held := 0, 0
	for _, ref := range layout.Presets() {
		t.Run(ref, func(t *testing.T) {
			l, err := layout.Preset(ref)
			must(t, err)
			top := l.Path(layout.Identity, "")
			if top == "" || strings.Contains(top, "/") {
				top = "MEMORY.md"
			}
			names := map[string]string{}
			y := &yard{t: t, dir: t.TempDir(), now: time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)}
			var conf strings.Builder
			fmt.Fprintf(&conf, "version: 1\nstate_dir: ./deep/state\ndefaults: {layout: %q, timezone: UTC, policy: "+
				"{baseline.min_bytes: 10}}\nagents:\n", ref)
			n := 0
			for harm := range harms() {
				name := fmt.Sprintf("a%d", n)
				n++
				names[name] = harm
				file := top
				if atFolder(harm) {
					file = "rules/core.md"
				}
				fmt.Fprintf(&conf, "  %s: {workspace: ./%[1]s, baselines: {%q: ./baselines/%[1]s.md}}\n", name, file)
				y.write(name+"/"+file, operators)
				y.write("baselines/"+name+".md", operators)
			}
			y.write("outside/secret.md", "not yours\n")
			y.write("tend.yaml", conf.String())
			f := y.open(fleet.Options{Write: true})
			for name, harm := range names {
				tries++
				ag, err := f.Agent(t.Context(), name)
				must(t, err)
				list, err := ag.Baselines.List()
				must(t, err)
				_, err = ag.Guard.Approve(list, "test", 10, nil)
				must(t, err)
				file := string(list[0].File)
				at := y.path(name + "/" + file)
				must(t, harms()[harm](at, y.path("outside")))

				if st := f.State(t.Context(), name, fleet.Survey{}); st.Error == "" && (!st.Drift || finding.Worst(st.Findings) < finding.Warning) {
					t.Errorf("%s, %s: status says drift %v, %v", ref, harm, st.Drift, st.Findings)
				}
				if drift, err := f.Drift(t.Context(), name); err == nil && len(drift) == 0 {
					t.Errorf("%s, %s: baseline diff shows nothing", ref, harm)
				}
				r, err := RestoreZone(t.Context(), ag, "test", true, func([]finding.Finding) {})
				text, rerr := os.ReadFile(at)
				info, lerr := os.Lstat(at)
				switch {
				case err != nil:
					t.Errorf("%s, %s: %v", ref, harm, err)
				case rerr != nil || lerr != nil || !strings.HasPrefix(string(text), operators[:strings.Index(operators, "---")]):
					t.Errorf("%s, %s: not restored: %q %v %v (%s)", ref, harm, text, rerr, lerr, r.Summary)
				case !info.Mode().IsRegular() && harm != "a link to nothing": // a link inside the workspace is followed
					t.Errorf("%s, %s: it is %v", ref, harm, info.Mode())
				case len(r.Findings) == 0:
					t.Errorf("%s, %s: nothing is reported", ref, harm)
				default:
					held++
				}
				if again, err := RestoreZone(t.Context(), ag, "test", true, func([]finding.Finding) {}); err != nil || again.Action != "" {
					t.Errorf("%s, %s: a second run: %v %s", ref, harm, err, again.Summary)
				}
				must(t, ag.Close())
			}
			if got := y.read("outside/secret.md"); got != "not yours\n" {
				t.Errorf("a file outside was changed: %q", got)
			}
			if all, err := os.ReadDir(y.path("outside")); err != nil || len(all) != 1 {
				t.Errorf("outside: %v %v", all, err)
			}
		})
	}
	t.Logf("guard liveness: %d tries, %d passed", tries, held)
}
