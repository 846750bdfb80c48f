package folder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"tend/internal/fsys"
	"tend/internal/store"
)

// TestHugeObject: whoever can write to the folder cannot make Tend read more than it would ever write.
func TestHugeObject(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "huge"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, "huge"), 3<<30); err != nil {
		t.Fatal(err)
	}
	tree, err := fsys.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if data, err := New(tree, dir).Get(t.Context(), "huge"); !errors.Is(err, store.ErrDenied) {
		t.Errorf("read %d bytes, %v", len(data), err)
	}
}
