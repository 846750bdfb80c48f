package transfer

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/state/ledger"
)

// Source is what is packed. The caller holds the agent's lock.
type Source struct {
	Manifest Manifest // without files
	StateDir string
	Config   config.Agent
	Memory   map[string][]byte // the workspace's files, by path
	// Large are files of a local workspace that are too large for Memory: they are streamed from Root.
	Large []string
	Root  fsys.FS
}

// Describe returns the agent's own part of a configuration.
func Describe(cfg *config.Config, ag config.Agent) Agent {
	a := Agent{
		Name: ag.Name, Description: ag.Description, Disabled: !ag.Enabled, Layout: ag.Layout.Ref(),
		Timezone: ag.Location.String(), Workspace: ag.Workspace.String(), NoTools: !ag.MemoryTools,
	}
	if text, own := cfg.Layouts[ag.Layout.Name]; own {
		a.Layout, a.LayoutText = ag.Layout.Name, text
	}
	for _, row := range ag.Policy.Explain() {
		if strings.HasPrefix(row.SetBy, "tend.yaml") {
			a.Policy = append(a.Policy, Setting{row.Name, row.Value})
		}
	}
	return a
}

// packed is a file to pack.
type packed struct {
	Entry
	open func() (io.ReadCloser, error) // nil if data is set
	data []byte
}

// Pack writes the package.
func Pack(w io.Writer, s Source) (Manifest, error) {
	m := s.Manifest
	m.Format = format
	list, err := s.filesToPack(&m)
	if err != nil {
		return m, err
	}
	for _, f := range list {
		m.Files = append(m.Files, f.Entry)
	}
	if err := m.check(); err != nil {
		return m, err
	}
	head, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return m, err
	}
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	if err := addFile(t, inMemory("manifest.json", 0o644, head), m.Made); err != nil {
		return m, err
	}
	for _, f := range list {
		if err := addFile(t, f, m.Made); err != nil {
			return m, fmt.Errorf("pack %s: %w", f.Name, err)
		}
	}
	return m, errors.Join(t.Close(), z.Close())
}

func addFile(t *tar.Writer, f packed, made time.Time) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: f.Name, Size: f.Size, Mode: int64(f.Mode), ModTime: made, Format: tar.FormatPAX}
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	var r io.Reader = bytes.NewReader(f.data)
	if f.open != nil {
		file, err := f.open()
		if err != nil {
			return err
		}
		defer file.Close()
		r = file
	}
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(t, sum), r); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
		return errors.New("it changed while it was being packed; run the command again")
	}
	return nil
}

// filesToPack lists the files to pack, and adds the baselines among them to the manifest.
func (s Source) filesToPack(m *Manifest) ([]packed, error) {
	var list []packed
	name := s.Config.Name
	for _, tree := range []struct{ dir, part string }{
		{filepath.Join(s.StateDir, "agents", name), partRecords},
		{filepath.Join(s.StateDir, "baselines", name), partApproved},
		{filepath.Join(s.StateDir, "trash", name), partTrash},
		{s.Config.ArchiveDir, partArchive},
	} {
		found, err := packTree(tree.dir, tree.part)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	for i, b := range s.Config.Baselines {
		data, err := fsys.ReadFile(b.Source)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the approved copy is packed
		}
		if err != nil {
			return nil, err
		}
		f := inMemory(fmt.Sprintf("%s%d-%s", partBaselines, i, filepath.Base(b.Source)), 0o644, data)
		m.Baselines = append(m.Baselines, Baseline{b.File, f.Name})
		list = append(list, f)
	}
	for p, data := range s.Memory {
		list = append(list, inMemory(partWorkspace+p, 0o644, data))
	}
	for _, p := range s.Large {
		f, err := withDigest(partWorkspace+p, 0o644, func() (io.ReadCloser, error) { return s.Root.Open(p) })
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b packed) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// inMemory returns a file with this text.
func inMemory(name string, mode fs.FileMode, data []byte) packed {
	return packed{Entry: Entry{Name: name, Size: int64(len(data)), Mode: uint32(mode), SHA256: digestOf(data)}, data: data}
}

// withDigest returns a file that will be streamed, with its size and digest.
func withDigest(name string, mode fs.FileMode, open func() (io.ReadCloser, error)) (packed, error) {
	f, err := open()
	if err != nil {
		return packed{}, err
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	return packed{open: open, Entry: Entry{Name: name, Size: n, Mode: uint32(mode), SHA256: hex.EncodeToString(sum.Sum(nil))}}, err
}

// packTree lists the files of a tree, except locks and leftover temporary files.
func packTree(dir, part string) ([]packed, error) {
	var list []packed
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && p == dir {
			return nil
		}
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() || base == "lock" || strings.HasPrefix(base, vault.TempPrefix) || !d.Type().IsRegular() {
			return nil
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		name := part + path.Clean(filepath.ToSlash(rel))
		isCache := part == partRecords && !records().MatchString(name)
		if isCache || checkName(name) != nil || checkPath(name) != nil {
			return nil // it is derived, or not Tend's
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if strings.HasPrefix(name, partRecords+"ledger/") {
			data, err := readMonth(p)
			list = append(list, inMemory(name, info.Mode().Perm(), data))
			return err
		}
		f, err := withDigest(name, info.Mode().Perm(), func() (io.ReadCloser, error) { return fsys.OpenFile(p) })
		list = append(list, f)
		return err
	})
	return list, err
}

// readMonth reads a month of the ledger as a package has it.
func readMonth(name string) ([]byte, error) {
	file, err := fsys.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return ledger.Unzipped(file)
}
