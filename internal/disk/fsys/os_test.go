package fsys_test

import (
	"os"
	"path/filepath"
	"testing"

	"tend/internal/disk/fsys"
	"tend/internal/disk/fsys/fsystest"
	"tend/internal/disk/fsys/memfs"
	"tend/test/require"
)

func TestOS(t *testing.T) {
	fsystest.Run(t, func(t *testing.T) fsystest.Host { return onDisk(t, fsys.Dir) })
}

func TestOSAlone(t *testing.T) {
	fsystest.Run(t, func(t *testing.T) fsystest.Host { return onDisk(t, fsys.OpenNoMounts) })
}

// Tests on memfs prove something only if memfs behaves like the kernel.
func TestMemfsMatchesKernel(t *testing.T) {
	for seed := range uint64(60) {
		fsystest.Twins(t, seed, 120, onDisk(t, fsys.Dir), inMemory(t))
	}
}

func onDisk(t *testing.T, open func(string) (fsys.FS, error)) fsystest.Host {
	top := t.TempDir()
	for _, dir := range []string{"tree", "near", "outside"} {
		must(t, os.Mkdir(filepath.Join(top, dir), 0o700))
	}
	must(t, os.WriteFile(filepath.Join(top, "outside/secret"), []byte("secret"), 0o600))
	in := func(name string) string { return filepath.Join(top, "tree", name) }
	return fsystest.Host{
		FS:         dir(t, open, in(".")),
		Near:       dir(t, open, filepath.Join(top, "near")),
		Far:        far(t, open, top),
		Outside:    "../outside",
		OutsideAbs: filepath.Join(top, "outside"),
		Secrets:    func() map[string]string { return files(t, filepath.Join(top, "outside")) },
		Symlink:    func(target, name string) error { return os.Symlink(target, in(name)) },
		Mkfifo:     func(name string) error { return mkfifo(in(name)) },
		Rename:     func(from, to string) error { return os.Rename(in(from), in(to)) },
		GivesAway:  os.Geteuid() == 0,
	}
}

func inMemory(t *testing.T) fsystest.Host {
	d := memfs.New()
	host := fsystest.Host{
		Symlink: func(target, name string) error { return d.Symlink(target, "tree/"+name) },
	}
	var err error
	host.FS, err = d.Tree("tree")
	must(t, err)
	host.Near, err = d.Tree("near")
	must(t, err)
	return host
}

var must = require.NoError

func dir(t *testing.T, open func(string) (fsys.FS, error), name string) fsys.FS {
	t.Helper()
	f, err := open(name)
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// far is a tree on another file system: a real one if this user may write to one,
// else one in memory.
func far(t *testing.T, open func(string) (fsys.FS, error), near string) fsys.FS {
	t.Helper()
	if name, err := os.MkdirTemp("/dev/shm", "fsys"); err == nil {
		t.Cleanup(func() { os.RemoveAll(name) })
		f := dir(t, open, name)
		a, err := f.Device()
		must(t, err)
		b, err := dir(t, open, near).Device()
		must(t, err)
		if a != b {
			return f
		}
	}
	f, err := memfs.New().Tree(".")
	must(t, err)
	return f
}

func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		must(t, err)
		out[e.Name()] = string(data)
	}
	return out
}
