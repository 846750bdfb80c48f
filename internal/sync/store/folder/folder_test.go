package folder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"tend/internal/disk/fsys"
	"tend/internal/sync/store"
	"tend/test/require"
)

var must = require.NoError

// TestHugeObject: somebody who can write to the folder cannot make Tend read more than it would ever write.
func TestHugeObject(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "huge"), nil, 0o600))
	must(t, os.Truncate(filepath.Join(dir, "huge"), 3<<30))
	tree, err := fsys.Dir(dir)
	must(t, err)
	defer tree.Close()
	if data, err := New(tree, dir).Get(t.Context(), "huge"); !errors.Is(err, store.ErrDenied) {
		t.Errorf("read %d bytes, %v", len(data), err)
	}
}
