package vault_test

import (
	"errors"
	"strings"
	"testing"

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
