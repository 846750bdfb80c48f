package carry

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
	"os"
	"path/filepath"
	"strings"

	"tend/internal/fsys"
)

// maxManifest bounds the first part of a package, which is read whole.
const maxManifest = 64 << 20

// Unpack reads a package into an empty folder and checks all of it. Nothing outside that
// folder is touched, and what the package holds is believed only after it returns.
func Unpack(r io.Reader, dir string) (Manifest, error) {
	var m Manifest
	z, err := gzip.NewReader(r)
	if err != nil {
		return m, damaged("it is not a gzip file")
	}
	t := tar.NewReader(z)
	h, err := t.Next()
	if err != nil || h.Name != "manifest.json" || h.Typeflag != tar.TypeReg || h.Size > maxManifest {
		return m, damaged("it does not begin with a manifest")
	}
	if err := json.NewDecoder(io.LimitReader(t, maxManifest)).Decode(&m); err != nil {
		return m, damaged("the manifest cannot be read: %v", err)
	}
	if err := m.check(); err != nil {
		return m, err
	}
	want := make(map[string]Entry, len(m.Files))
	for _, e := range m.Files {
		want[e.Name] = e
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return m, err
	}
	defer root.Close()
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return m, damaged("%v", err)
		}
		e, ok := want[h.Name]
		if !ok || h.Typeflag != tar.TypeReg || h.Size != e.Size {
			return m, damaged("%q is not what the manifest says", h.Name)
		}
		delete(want, h.Name)
		if err := unpackFile(root, t, e); err != nil {
			return m, err
		}
	}
	for name := range want {
		return m, damaged("%s is missing", name)
	}
	// The checksum of the whole stands behind the last file.
	if _, err := io.Copy(io.Discard, io.LimitReader(z, 1<<20)); err != nil {
		return m, damaged("%v", err)
	}
	return m, sync(dir)
}

func unpackFile(root *os.Root, r io.Reader, e Entry) error {
	if err := root.MkdirAll(filepath.FromSlash(filepath.Dir(e.Name)), 0o700); err != nil {
		return err
	}
	f, err := root.OpenFile(filepath.FromSlash(e.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(e.Mode)&0o777|0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	src := &source{r: r}
	n, err := io.Copy(io.MultiWriter(f, sum), io.LimitReader(src, e.Size+1))
	if err := errors.Join(err, f.Close()); src.err != nil {
		return damaged("%s: %v", e.Name, src.err)
	} else if err != nil {
		return fmt.Errorf("unpack %s: %w", e.Name, err)
	}
	if n != e.Size || hex.EncodeToString(sum.Sum(nil)) != e.SHA256 {
		return damaged("%s has another content than the manifest says", e.Name)
	}
	return nil
}

// source tells a package that cannot be read from a disk that cannot be written.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

func sync(dir string) error {
	t, err := fsys.Dir(dir)
	if err != nil {
		return err
	}
	return errors.Join(t.SyncAll(), t.Close())
}

// Places are where the parts of an agent go.
type Places struct {
	State   string // the state folder
	Archive string // the agent's archive folder
	Name    string // the agent's name here
}

func (p Places) targets() [][2]string {
	return [][2]string{
		{partTrash, filepath.Join(p.State, "trash", p.Name)},
		{partArchive, p.Archive},
		{partApproved, filepath.Join(p.State, "baselines", p.Name)},
		{partHistory, filepath.Join(p.State, "history", p.Name+".git")},
		// The records last: an agent that has none is not there.
		{partRecords, filepath.Join(p.State, "agents", p.Name)},
	}
}

// Taken names what is in the way of an import.
func (p Places) Taken() (string, bool) {
	for _, t := range p.targets() {
		if entries, err := os.ReadDir(t[1]); err == nil && len(entries) > 0 {
			return t[1], true
		}
	}
	return "", false
}

// Install moves what Unpack left in dir to its places, all of it or nothing.
func Install(dir string, p Places) (err error) {
	var done [][2]string
	defer func() {
		if err == nil {
			return
		}
		for _, d := range done {
			err = errors.Join(err, os.Rename(d[1], d[0]))
		}
	}()
	for _, t := range p.targets() {
		from := filepath.Join(dir, strings.TrimSuffix(t[0], "/"))
		if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if t[0] == partHistory {
			// Git wants these though they are empty.
			if err := errors.Join(os.MkdirAll(filepath.Join(from, "refs", "heads"), 0o700), os.MkdirAll(filepath.Join(from, "objects"), 0o700)); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(filepath.Dir(t[1]), 0o700); err != nil {
			return err
		}
		_ = os.Remove(t[1]) // an empty folder is in nobody's way; a full one stays and fails the rename
		if err := os.Rename(from, t[1]); err != nil {
			return fmt.Errorf("import: %w", err)
		}
		done = append(done, [2]string{from, t[1]})
	}
	return sync(p.State)
}

// Part is the folder a kind of file was unpacked to: memory or baselines.
func Part(dir string, memory bool) string {
	if memory {
		return filepath.Join(dir, strings.TrimSuffix(partWorkspace, "/"))
	}
	return filepath.Join(dir, strings.TrimSuffix(partBaselines, "/"))
}
