// Package cache keeps small files beside an agent's ledger that may be lost in a crash without harm: the sum of its ledger,
// since when entries are known, which texts the scan found clean.
package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
)

// Store has the small files of one agent. They are written without the agent's lock; the last writer wins.
type Store struct {
	state fsys.FS
	agent string
}

// New returns the store of an agent.
func New(state fsys.FS, agent string) Store { return Store{state, agent} }

// Path returns where a file is in the state.
func (s Store) Path(name string) string { return "agents/" + s.agent + "/" + name }

// Parts are the texts that jobs read and write together, by name. They share one file, because creating a file costs more than
// writing it.
type Parts map[string][]byte

// LedgerSum is the part with the sum of the ledger; package ledgersum writes it.
const LedgerSum = "ledgersum"

const (
	partsFile = "cache"
	sealsPart = "logs"
	seenPart  = "seen"
	cleanPart = "clean"
	foundPart = "found"
)

// Parts returns the parts as they are saved. Each begins with a line that has its name and length; those behind a damaged one are
// lost.
func (s Store) Parts() (Parts, error) {
	p := Parts{}
	data, err := s.Read(partsFile)
	if err != nil {
		return nil, err
	}
	for {
		head, rest, _ := bytes.Cut(data, []byte{'\n'})
		name, length, _ := strings.Cut(string(head), " ")
		n, err := strconv.Atoi(length)
		if err != nil || n < 0 || n > len(rest) {
			return p, nil
		}
		p[name], data = rest[:n], rest[n:]
	}
}

// Change saves new texts of some parts. The others stay as they are.
func (s Store) Change(news Parts) error {
	if len(news) == 0 {
		return nil
	}
	p, err := s.Parts()
	if err != nil {
		return err
	}
	maps.Copy(p, news)
	size := 1
	for name, text := range p {
		size += len(name) + 24 + len(text)
	}
	b := make([]byte, 0, size)
	for _, name := range slices.Sorted(maps.Keys(p)) {
		b = append(fmt.Appendf(b, "%s %d\n", name, len(p[name])), p[name]...)
	}
	return s.Write(partsFile, b)
}

// Read returns a file, nil if there is none.
func (s Store) Read(name string) ([]byte, error) {
	data, err := vault.ReadFile(s.state, s.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// written makes temporary names unique within this process: several goroutines may write one file at once.
var written atomic.Uint64

// Write saves a file.
func (s Store) Write(name string, data []byte) error {
	return s.write(name, fmt.Sprintf("%s.%d.%d", path.Base(name), os.Getpid(), written.Add(1)), data)
}

// WriteLocked saves a file of which there is only one writer at a time. What a writer that was killed left behind is gone
// with the next write.
func (s Store) WriteLocked(name string, data []byte) error {
	tmp := path.Base(name)
	if err := s.state.Remove(s.Path(vault.TempPrefix + tmp)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return s.write(name, tmp, data)
}

// Append adds lines to a file, and reports whether it had more than most bytes before. Several may do so at once.
func (s Store) Append(name string, lines []byte, most int64) (full bool, err error) {
	name = s.Path(name)
	f, _, err := s.state.Append(name, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := vault.MkdirAll(s.state, vault.NoSync{}, path.Dir(name), 0o700); err != nil {
			return false, err
		}
		f, _, err = s.state.Append(name, 0o600)
	}
	if err != nil {
		return false, err
	}
	info, err := f.Stat()
	if err == nil {
		_, err = f.Write(lines)
	}
	return info.Size >= most, errors.Join(err, f.Close())
}

func (s Store) write(name, tmp string, data []byte) error {
	name = s.Path(name)
	tmp = path.Join(path.Dir(name), vault.TempPrefix+tmp)
	f, err := s.state.Create(tmp, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := vault.MkdirAll(s.state, vault.NoSync{}, path.Dir(name), 0o700); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		f, err = s.state.Create(tmp, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = s.state.Rename(tmp, name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, s.state.Remove(tmp)))
	}
	return nil
}
