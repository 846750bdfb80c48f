package dial

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tend/internal/sync/store/sealed"
	"tend/test/require"
)

var must = require.NoError

// TestConnect: a store opens with its key and with no other, and never as plain text.
func TestConnect(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(sealed.NewKey().Text()), 0o600))
		return path
	}
	right, wrong := file("right"), file("wrong")
	plain, closed := filepath.Join(dir, "plain"), filepath.Join(dir, "closed")
	for _, set := range []Settings{{URL: plain}, {URL: closed, KeyFile: right}} {
		if _, err := Connect(t.Context(), set); err == nil {
			t.Error("connected without a store")
		}
		c, err := Init(t.Context(), set, time.Now())
		must(t, err)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if _, err := Init(t.Context(), set, time.Now()); !errors.Is(err, ErrIsStore) {
			t.Errorf("init again: %v, want ErrIsStore", err)
		}
		again, err := Connect(t.Context(), set)
		must(t, err)
		if again.ID != c.ID || again.Sealed != (set.KeyFile != "") {
			t.Errorf("%+v, want id %s", again, c.ID)
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, set := range []Settings{{URL: plain, KeyFile: right}, {URL: closed}, {URL: closed, KeyFile: wrong}} {
		if _, err := Connect(t.Context(), set); !errors.Is(err, ErrWrongKey) {
			t.Errorf("%+v: %v, want ErrWrongKey", set, err)
		}
	}
	if _, err := Connect(t.Context(), Settings{URL: closed, KeyFile: plain}); err == nil {
		t.Error("a folder was accepted as a key")
	}
}
