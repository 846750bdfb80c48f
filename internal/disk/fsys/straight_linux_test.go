package fsys_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"tend/internal/disk/fsys"
)

// TestStraight: a folder is opened in one call only if no link is in its path. Its identity is the same as from a
// plain stat.
func TestStraight(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.MkdirAll(filepath.Join(top, "real", "ws"), 0o755), os.WriteFile(filepath.Join(top, "file"), nil, 0o644),
		os.Symlink("real", filepath.Join(top, "up")), os.Symlink("ws", filepath.Join(top, "real", "last")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{
		"real/ws": true, "real/../real/ws": true, "up/ws": false, "real/last": false, "missing": false, "file": false,
	} {
		tree, err := fsys.OpenNoSymlinks(top+"/"+name, true)
		if (err == nil) != want || err != nil && !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		if err != nil {
			continue
		}
		id, err := fsys.Identify(tree)
		plain, perr := fsys.LstatPath(filepath.Join(top, "real", "ws"))
		same := id.Mode == plain.Mode && id.UID == plain.UID && id.ModTime.Equal(plain.ModTime) && id.Links == plain.Links
		if err != nil || perr != nil || !id.Same(plain) || !same {
			t.Errorf("%s: %+v, want %+v, %v, %v", name, id.Info, plain, err, perr)
		}
		if err := tree.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestReadToTheEnd: a file is read to its end, whatever its size at opening and the size of the reads.
func TestReadToTheEnd(t *testing.T) {
	dir := t.TempDir()
	tree, err := fsys.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for _, before := range []int{0, 1, 511, 512, 5000} {
		for _, more := range []int{0, 1, 511, 512, 513, 9000} {
			for _, piece := range []int{1, 512, 1 << 20} {
				name := fmt.Sprintf("%d-%d-%d", before, more, piece)
				whole := bytes.Repeat([]byte("a"), before+more)
				if err := os.WriteFile(filepath.Join(dir, name), whole[:before], 0o644); err != nil {
					t.Fatal(err)
				}
				f, err := tree.Open(name)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), whole, 0o644); err != nil { // while it is open
					t.Fatal(err)
				}
				var got []byte
				for p := make([]byte, piece); err != io.EOF; {
					var n int
					if n, err = f.Read(p); err != nil && err != io.EOF {
						t.Fatal(err)
					}
					got = append(got, p[:n]...)
				}
				if !bytes.Equal(got, whole) {
					t.Errorf("%s: read %d bytes of %d", name, len(got), len(whole))
				}
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
