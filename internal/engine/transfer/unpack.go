package transfer

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/model/policy"
)

// maxManifest bounds the manifest, which is read into memory.
const maxManifest = 64 << 20

// Unpack reads a package into an empty tree and checks all of it. Nothing in the package is trusted before it
// returns. free is the available space in bytes.
func Unpack(r io.Reader, into fsys.FS, free int64) (Manifest, error) {
	var m Manifest
	packed := &counter{r: r}
	limit := &unpackLimit{packed: packed}
	z, err := gzip.NewReader(packed)
	if err != nil {
		return m, damagedError("it is not a gzip file")
	}
	t := tar.NewReader(z)
	h, err := t.Next()
	if err != nil || h.Name != "manifest.json" || h.Typeflag != tar.TypeReg || h.Size > maxManifest {
		return m, damagedError("it does not begin with a manifest")
	}
	if err := json.NewDecoder(io.LimitReader(t, maxManifest)).Decode(&m); err != nil {
		return m, damagedError("the manifest cannot be read: %v", err)
	}
	if err := m.check(); err != nil {
		return m, err
	}
	want := make(map[string]Entry, len(m.Files))
	var total int64
	for _, e := range m.Files {
		want[e.Name] = e
		total += e.Size
	}
	if total > free {
		return m, fmt.Errorf("%w: it unpacks to %s, but only %s are free", ErrNoRoom, policy.Size(total), policy.Size(free))
	}
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return m, damagedError("%v", err)
		}
		e, ok := want[h.Name]
		if !ok || h.Typeflag != tar.TypeReg || h.Size != e.Size {
			return m, damagedError("%q does not match the manifest", h.Name)
		}
		delete(want, h.Name)
		if err := unpackFile(into, t, e, limit); err != nil {
			return m, err
		}
	}
	for name := range want {
		return m, damagedError("%s is missing", name)
	}
	// gzip's checksum follows the last file.
	if _, err := io.Copy(io.Discard, io.LimitReader(z, 1<<20)); err != nil {
		return m, damagedError("%v", err)
	}
	return m, into.SyncAll()
}

// mode returns the mode of a file of a package: only its owner may write it, and only memory is readable by others.
func (e Entry) mode() fs.FileMode {
	if strings.HasPrefix(e.Name, partWorkspace) || strings.HasPrefix(e.Name, partBaselines) {
		return fs.FileMode(e.Mode)&0o644 | 0o600
	}
	return 0o600
}

func unpackFile(into fsys.FS, r io.Reader, e Entry, limit *unpackLimit) error {
	if err := vault.MkdirAll(into, vault.NoSync{}, path.Dir(e.Name), 0o700); err != nil {
		return err
	}
	f, err := into.Create(e.Name, e.mode())
	if err != nil {
		return err
	}
	sum := sha256.New()
	src := &source{r: r, limit: limit}
	n, err := io.Copy(io.MultiWriter(f, sum), io.LimitReader(src, e.Size+1))
	err = errors.Join(err, f.Close())
	switch {
	case src.err != nil:
		return damagedError("%s: %v", e.Name, src.err)
	case err != nil:
		return fmt.Errorf("unpack %s: %w", e.Name, err)
	}
	if n != e.Size || hex.EncodeToString(sum.Sum(nil)) != e.SHA256 {
		return damagedError("%s does not match the manifest", e.Name)
	}
	return nil
}

// source marks errors of reading the package, to tell them from errors of writing to the disk.
type source struct {
	r     io.Reader
	limit *unpackLimit
	err   error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if over := s.limit.add(int64(n)); over != nil {
		n, err = 0, over
	}
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}
