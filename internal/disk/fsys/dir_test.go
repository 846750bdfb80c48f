package fsys_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"tend/internal/disk/fsys"
)

// TestIdentify: a folder's identity has what a plain stat reports of it.
func TestIdentify(t *testing.T) {
	dir := t.TempDir()
	tree, err := fsys.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	id, err := fsys.Identify(tree)
	plain, perr := fsys.LstatPath(dir)
	same := id.Mode == plain.Mode && id.UID == plain.UID && id.ModTime.Equal(plain.ModTime) && id.Links == plain.Links
	if err != nil || perr != nil || !id.Same(plain) || !same {
		t.Errorf("%+v, want %+v, %v, %v", id.Info, plain, err, perr)
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
