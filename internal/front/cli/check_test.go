package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"tend/internal/model/finding"
)

// samples returns the sample workspaces of testdata.
func samples(t *testing.T, kind string) map[string]*txtar.Archive {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", kind, "*.txtar"))
	if err != nil || len(names) < 12 {
		t.Fatalf("%d samples of %s, %v; there must be twelve", len(names), kind, err)
	}
	out := map[string]*txtar.Archive{}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		must(t, err)
		out[strings.TrimSuffix(filepath.Base(name), ".txtar")] = a
	}
	return out
}

// unpack writes a sample into a new folder.
func unpack(t *testing.T, a *txtar.Archive) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range a.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.WriteFile(name, f.Data, 0o644))
	}
	return dir
}

// away sets up an environment without a configuration.
func away(t *testing.T) {
	home := t.TempDir()
	for k, v := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"),
		"XDG_STATE_HOME": filepath.Join(home, ".state"), "TEND_CONFIG": "", "TZ": "UTC"} {
		t.Setenv(k, v)
	}
	t.Chdir(home)
}

func checkDir(args ...string) (code int, out string) {
	var b bytes.Buffer
	code = Main(append([]string{"--clock", "2026-11-15T12:00:00Z", "check"}, args...), strings.NewReader(""), &b, &b)
	return code, b.String()
}

// TestHealthyWorkspaces: healthy workspaces of every layout, new and after a year, have no findings, without a
// configuration.
func TestHealthyWorkspaces(t *testing.T) {
	list := samples(t, "healthy")
	away(t)
	for name, a := range list {
		t.Run(name, func(t *testing.T) {
			dir := unpack(t, a)
			folders := map[string]bool{}
			for _, f := range a.Files {
				top, _, _ := strings.Cut(f.Name, "/")
				folders[top] = true
			}
			for top := range folders {
				code, out := checkDir(filepath.Join(dir, top))
				if code != 0 || !strings.HasPrefix(out, "Nothing found in ") || strings.Count(out, "\n") != 1 {
					t.Errorf("%s: exit %d\n%s", top, code, out)
				}
			}
			if code, out := checkDir(dir); code != 0 || strings.Count(out, "\n") != 1 {
				t.Errorf("all of them: exit %d\n%s", code, out)
			}
		})
	}
}

// TestSickWorkspaces: each sample has one defect, which is its first finding.
func TestSickWorkspaces(t *testing.T) {
	list := samples(t, "sick")
	away(t)
	for name, a := range list {
		t.Run(name, func(t *testing.T) {
			want := strings.TrimSpace(strings.TrimPrefix(string(a.Comment), "wants: "))
			code, out := checkDir(unpack(t, a), "--json")
			var got []struct{ Findings []finding.Finding }
			if err := json.Unmarshal([]byte(out), &got); err != nil || len(got) != 1 {
				t.Fatalf("%v\n%s", err, out)
			}
			found := got[0].Findings
			if len(found) == 0 || found[0].Code != want {
				t.Fatalf("got %+v, want %s first", found, want)
			}
			for _, f := range found {
				if f.Code != want {
					t.Errorf("something else was found too: %+v", f)
				}
			}
			if advice := found[0].Severity == finding.Info; advice != (code == 0) {
				t.Errorf("exit %d for %s", code, found[0].Severity)
			}
		})
	}
}
