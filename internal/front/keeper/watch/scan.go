package watch

import (
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/fsys"
)

// fingerprint detects changes of a file.
type fingerprint struct {
	size, mod, change int64
	ino               uint64
}

// maxFolders bounds the folders watched for one agent, maxDepth how deep they are.
const maxFolders, maxDepth = 64, 4

// foldersOf returns the folders of an agent's files.
func foldersOf(t Target) []string {
	seen := map[string]bool{}
	var out []string
	add := func(d string) {
		if !seen[d] && len(out) < maxFolders {
			seen[d] = true
			out = append(out, d)
		}
	}
	for _, g := range t.Guarded {
		add(filepath.Dir(g))
	}
	if t.Workspace != "" && t.MemoryQuiet > 0 {
		walkFolders(t.Workspace, 0, func(dir string, _ []fs.DirEntry) { add(dir) })
	}
	return out
}

// walkFolders calls do for a folder and those below it that may contain memory files.
func walkFolders(dir string, depth int, do func(string, []fs.DirEntry)) {
	entries, err := fsys.ReadFolder(dir)
	if err != nil && depth > 0 {
		return
	}
	do(dir, entries)
	if depth >= maxDepth {
		return
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() && (!strings.HasPrefix(name, ".") || name == ".learnings") && name != "node_modules" {
			walkFolders(filepath.Join(dir, name), depth+1, do)
		}
	}
}

func (a *agent) inWorkspace(name string) bool {
	return a.Workspace != "" && strings.HasPrefix(name, a.Workspace+string(filepath.Separator))
}

// folder is a folder to watch, and why it is not watched.
type folder struct {
	path string
	err  error
}

// scanResult is the result of scanning an agent's files.
type scanResult struct {
	a               *agent
	guarded, memory uint64    // hashes of the fingerprints of these files
	newest          time.Time // change of a memory file
	touched         int64     // newest change of a guarded file, in Unix nanoseconds
	walked          bool      // folders were found and are watched
	folders         []folder
}

// scanFiles reads the state of an agent's files. It may block on a slow disk; nothing else in this package does.
func (w *Watcher) scanFiles(a *agent, t Target, walked bool) scanResult {
	if w.o.touch != nil {
		w.o.touch(t.Agent)
	}
	s := scanResult{a: a, walked: walked}
	if walked {
		for _, path := range foldersOf(t) {
			s.folders = append(s.folders, folder{path, w.watchFolder(path)})
		}
	}
	s.guarded = hashOf(func(add func(string, os.FileInfo)) {
		for _, name := range t.Guarded {
			i, _ := os.Stat(name)
			if i != nil {
				f := fingerprintOf(i)
				s.touched = max(s.touched, f.mod, f.change)
			}
			add(name, i)
		}
	})
	if t.Workspace == "" || t.MemoryQuiet <= 0 {
		return s
	}
	s.memory = hashOf(func(add func(string, os.FileInfo)) {
		walkFolders(t.Workspace, 0, func(dir string, entries []fs.DirEntry) {
			for _, e := range entries {
				if strings.HasSuffix(e.Name(), ".md") {
					i, _ := e.Info()
					if i != nil && i.ModTime().After(s.newest) {
						s.newest = i.ModTime()
					}
					add(filepath.Join(dir, e.Name()), i)
				}
			}
		})
	})
	return s
}

var (
	errAbsent       = errors.New("folder is missing")
	errUnavailable  = errors.New("file watching is not available")
	errOutOfWatches = errors.New("out of watches")
)

// watchFolder has the kernel watch a folder.
func (w *Watcher) watchFolder(path string) error {
	// Adding a watch holds fsnotify's lock: a disk that hangs must do so before.
	if _, err := os.Stat(path); err != nil {
		return errAbsent
	}
	switch {
	case w.events == nil:
		return errUnavailable
	case w.o.MaxWatches > 0:
		if list := w.events.WatchList(); len(list) >= w.o.MaxWatches && !slices.Contains(list, path) {
			return errOutOfWatches
		}
	}
	return w.events.Add(path)
}

// hashOf hashes the names and fingerprints of the files that each passes to add. nil stands for a missing file.
func hashOf(each func(add func(string, os.FileInfo))) uint64 {
	h := fnv.New64a()
	each(func(name string, i os.FileInfo) {
		h.Write([]byte(name))
		if i == nil {
			h.Write([]byte{0})
			return
		}
		f := fingerprintOf(i)
		for _, x := range []uint64{uint64(f.size), uint64(f.mod), uint64(f.change), f.ino} {
			var b [8]byte
			for k := range b {
				b[k] = byte(x >> (8 * k))
			}
			h.Write(b[:])
		}
	})
	return h.Sum64()
}
