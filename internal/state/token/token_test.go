package token

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/test/require"
)

var must = require.NoError

func TestTokens(t *testing.T) {
	dir := t.TempDir()
	state, err := fsys.Dir(dir)
	must(t, err)
	defer state.Close()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	c := NewChecker(state, func() time.Time { return now })
	if c.Any() {
		t.Error("tokens before any was made")
	}
	soon := now.Add(time.Hour)
	made, secret, err := Create(state, Token{Agent: "a", Made: now, Expires: &soon})
	must(t, err)
	_, other, err := Create(state, Token{Made: now})
	must(t, err)
	text, err := os.ReadFile(filepath.Join(dir, fileName))
	must(t, err)
	if strings.Contains(string(text), secret) || strings.Contains(string(text), strings.TrimPrefix(secret, prefix)) {
		t.Error("the secret is stored")
	}
	if i, err := os.Stat(filepath.Join(dir, fileName)); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v, want 0600", i.Mode(), err)
	}
	if got, ok := c.Check(secret); !ok || got.Agent != "a" || got.Operator() {
		t.Errorf("Check = %+v, %v", got, ok)
	}
	if got, ok := c.Check(other); !ok || !got.Operator() {
		t.Errorf("Check of the operator's = %+v, %v", got, ok)
	}
	for _, bad := range []string{"", prefix, secret + "x", strings.ToUpper(secret), made.Hash, prefix + made.Hash, secret[:len(secret)-1]} {
		if _, ok := c.Check(bad); ok {
			t.Errorf("%q was accepted", bad)
		}
	}
	now = soon
	if _, ok := c.Check(secret); ok {
		t.Error("an expired token was accepted")
	}
	now = now.Add(-2 * time.Hour)
	if _, err := Revoke(state, made.ID); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Check(secret); ok {
		t.Error("a revoked token was accepted")
	}
	if _, err := Revoke(state, made.ID); !errors.Is(err, ErrUnknown) {
		t.Errorf("revoked twice: %v", err)
	}
}
