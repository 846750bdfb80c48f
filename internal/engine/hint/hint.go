// Package hint keeps small files beside an agent's ledger that may be lost in a crash
// without harm: when jobs ran, since when entries are known, which texts the scan found
// clean.
package hint

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

// Store holds the hints of one agent. They are written without the agent's lock; the last writer wins.
type Store struct {
	state fsys.FS
	agent string
}

// Of returns the store of an agent.
func Of(state fsys.FS, agent string) Store { return Store{state, agent} }

// Path returns where a hint is in the state.
func (s Store) Path(name string) string { return "agents/" + s.agent + "/" + name }

// Parts are the hints that jobs read and write together, by name. They share one file, because creating a file costs more than
// writing it.
type Parts map[string][]byte

// Past is the part with the summary of the ledger; fleet/tally writes it.
const Past = "past"

const (
	partsFile = "hints"
	sealsPart = "logs"
	seenPart  = "seen"
	cleanPart = "clean"
	foundPart = "found"
)

// former were files of their own in an earlier version of Tend. They are read as long as there is no file of parts, and removed when
// that is first written.
var former = []string{Past, sealsPart, seenPart, cleanPart}

// Parts returns the parts as they are saved.
func (s Store) Parts() (Parts, error) {
	p, _, err := s.parts()
	return p, err
}

// parts also reports whether there is a file of parts. Each part in it begins with a line that has its name and length; those behind
// a damaged one are lost.
func (s Store) parts() (p Parts, saved bool, err error) {
	p = Parts{}
	data, err := s.Read(partsFile)
	if err != nil {
		return nil, false, err
	}
	if data == nil {
		for _, name := range former {
			if text, err := s.Read(name); err != nil {
				return nil, false, err
			} else if text != nil {
				p[name] = text
			}
		}
		return p, false, nil
	}
	for {
		head, rest, _ := bytes.Cut(data, []byte{'\n'})
		name, length, _ := strings.Cut(string(head), " ")
		n, err := strconv.Atoi(length)
		if err != nil || n < 0 || n > len(rest) {
			return p, true, nil
		}
		p[name], data = rest[:n], rest[n:]
	}
}

// Change saves new texts of some parts. The others stay as they are.
func (s Store) Change(news Parts) error {
	if len(news) == 0 {
		return nil
	}
	p, saved, err := s.parts()
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
	err = s.Rewrite(partsFile, b)
	for _, name := range former {
		if err == nil && !saved {
			_ = s.state.Remove(s.Path(name)) // most have none
		}
	}
	return err
}

// Read returns a hint, nil if there is none.
func (s Store) Read(name string) ([]byte, error) {
	return vault.ReadHint(s.state, s.Path(name))
}

// Rewrite saves a hint that is written often.
func (s Store) Rewrite(name string, data []byte) error {
	done, err := vault.Refresh(s.state, s.Path(name), append(data, '\n'))
	if err != nil {
		return fmt.Errorf("write %s: %w", s.Path(name), err)
	}
	if done {
		return nil
	}
	return s.Write(name, data)
}

// written makes temporary names unique within this process: several goroutines may write one hint at once.
var written atomic.Uint64

// Write saves a hint.
func (s Store) Write(name string, data []byte) error {
	name = s.Path(name)
	tmp := path.Join(path.Dir(name), fmt.Sprintf("%s%s.%d.%d", vault.TempPrefix, path.Base(name), os.Getpid(), written.Add(1)))
	f, err := s.state.Create(tmp, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := vault.MkdirAll(s.state, vault.Unsynced{}, path.Dir(name), 0o700); err != nil {
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
