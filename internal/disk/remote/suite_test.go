package remote_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/fsys/fsystest"
	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/remote"
	"tend/internal/disk/remote/sshdtest"
	"tend/internal/disk/vault"
	"tend/internal/disk/vault/vaulttest"
	"tend/test/require"
)

var must = require.NoError

// pool returns a client of a server.
func pool(t testing.TB, s *sshdtest.Server) *remote.Pool {
	t.Helper()
	return poolOf(t, remote.Options{Home: s.Home, Timeout: time.Minute})
}

func poolOf(t testing.TB, o remote.Options) *remote.Pool {
	p := remote.NewPool(o)
	t.Cleanup(func() { p.Close() })
	return p
}

func target(s *sshdtest.Server, dir string) remote.Target {
	return remote.Target{User: s.User, Host: s.Host, Port: s.Port, Path: dir}
}

func open(t testing.TB, p *remote.Pool, to remote.Target) fsys.FS {
	t.Helper()
	tree, err := p.Open(t.Context(), to)
	must(t, err)
	return tree
}

// A tree over SFTP passes the suite of all trees.
func TestTree(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	p := pool(t, s)
	fsystest.Run(t, func(t *testing.T) fsystest.Host {
		top := t.TempDir()
		for _, dir := range []string{"tree", "near", "outside"} {
			must(t, os.Mkdir(filepath.Join(top, dir), 0o700))
		}
		must(t, os.WriteFile(filepath.Join(top, "outside/secret"), []byte("secret"), 0o600))
		in := func(name string) string { return filepath.Join(top, "tree", name) }
		far, err := memfs.New().Tree(".")
		must(t, err)
		return fsystest.Host{
			FS: open(t, p, target(s, in(""))), Near: open(t, p, target(s, filepath.Join(top, "near"))), Far: far,
			Outside: "../outside", OutsideAbs: filepath.Join(top, "outside"),
			Secrets:   func() map[string]string { return files(t, filepath.Join(top, "outside")) },
			Symlink:   func(target, name string) error { return os.Symlink(target, in(name)) },
			Mkfifo:    func(name string) error { return vaulttest.Mkfifo(in(name)) },
			Rename:    func(from, to string) error { return os.Rename(in(from), in(to)) },
			GivesAway: os.Geteuid() == 0,
			Bare:      true,
		}
	})
}

func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	must(t, filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		if i, err := e.Info(); err != nil || i.Size() > 1<<30 {
			return err
		}
		text, err := os.ReadFile(name)
		found[strings.TrimPrefix(name, dir+"/")] = string(text)
		return err
	}))
	return found
}

// A vault with its workspace over SFTP passes the suite of all vaults.
func TestVault(t *testing.T) {
	s := sshdtest.Start(t, sshdtest.Options{})
	ours, theirs := pool(t, s), pool(t, s)
	const lock, trash = "agents/ada/lock", "trash/ada"
	vaulttest.Run(t, func(t *testing.T) vaulttest.Setup {
		top := t.TempDir()
		ws, state := filepath.Join(top, "ws"), filepath.Join(top, "state")
		for _, dir := range []string{ws, filepath.Join(state, "agents/ada"), filepath.Join(state, trash)} {
			must(t, os.MkdirAll(dir, 0o755))
		}
		of := func(p *remote.Pool) *vault.Vault {
			local, err := fsys.Dir(state)
			must(t, err)
			t.Cleanup(func() { local.Close() })
			return vault.New(open(t, p, target(s, ws)), local, lock, trash, vault.SyncEach{})
		}
		return vaulttest.Setup{
			Vault: of(ours), Other: of(theirs), Agent: vaulttest.Folder(ws), Beside: true, Owners: os.Geteuid() == 0,
			Trash: func() map[string]string { return files(t, filepath.Join(state, trash)) },
		}
	})
}
