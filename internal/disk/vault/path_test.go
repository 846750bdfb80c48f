package vault_test

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"tend/internal/disk/vault"
)

func TestParsePath(t *testing.T) {
	for _, ok := range []string{"a", "MEMORY.md", "memory/2026-08-01.md", "a b/c.md", ".hidden/x", "café.md", "-c",
		"a..b", strings.Repeat("x", 200)} {
		if p, err := vault.ParsePath(ok); err != nil || string(p) != ok {
			t.Errorf("ParsePath(%q) = %q, %v", ok, p, err)
		}
	}
	for _, bad := range []string{
		"", "/", "/etc/passwd", "..", "../x", "a/../x", "a/..", "./a", "a/.", "a//b", "a/", "a\\b", "a\x00b", "\xff", "a\nb", "a\x1b[2J",
		vault.TempPrefix + "x", "dir/" + vault.TempPrefix + "x", strings.Repeat("x", 256), strings.Repeat("x/", 600) + "x",
	} {
		if p, err := vault.ParsePath(bad); !errors.Is(err, vault.ErrRefused) {
			t.Errorf("ParsePath(%q) = %q, %v, want %v", bad, p, err, vault.ErrRefused)
		}
	}
}

func TestPath(t *testing.T) {
	for _, tt := range []struct {
		path, dir vault.Path
		base      string
	}{{"a.md", "", "a.md"}, {"x/y/a.md", "x/y", "a.md"}} {
		if tt.path.Dir() != tt.dir || tt.path.Base() != tt.base || tt.dir.Join(tt.base) != tt.path {
			t.Errorf("%s is %s in %s", tt.path, tt.path.Base(), tt.path.Dir())
		}
	}
	if got := vault.VersionOf([]byte("x")).Short(); len(got) != 12 {
		t.Errorf("short version %q", got)
	}
	if got := vault.Absent.Short(); got != "" {
		t.Errorf("short version of nothing: %q", got)
	}
}

// FuzzParsePath: what is accepted as a path stays in the workspace on every system, and means itself.
func FuzzParsePath(f *testing.F) {
	for _, s := range []string{"a/b.md", "../x", "a//b", "a/./b", `a\b`, "C:/x", "a\x00b", "\u2028", ".tend-x", "a/" + strings.Repeat("x", 240), "-rf"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := vault.ParsePath(s)
		if err != nil {
			return
		}
		if string(p) != s || !fs.ValidPath(s) || path.Clean(s) != s || s == "." {
			t.Errorf("%q was accepted", s)
		}
		if strings.ContainsAny(s, "\\\x00\r\n\t\x1b") || !utf8.ValidString(s) {
			t.Errorf("%q was accepted", s)
		}
		for part := range strings.SplitSeq(s, "/") {
			if len(part) > 255 || strings.HasPrefix(part, vault.TempPrefix) {
				t.Errorf("%q was accepted", s)
			}
		}
		if p.Dir().Join(p.Base()) != p {
			t.Errorf("%q in %q is %q", p.Base(), p.Dir(), p.Dir().Join(p.Base()))
		}
	})
}
