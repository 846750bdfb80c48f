package remote_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tend/internal/fsys"
	"tend/internal/fsys/fsystest"
	"tend/internal/fsys/memfs"
	"tend/internal/remote"
	"tend/internal/remote/sshdtest"
	"tend/internal/vault"
	"tend/internal/vault/vaulttest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// pool is a client of a server, as the user that the server knows.
func pool(t testing.TB, s *sshdtest.Server) *remote.Pool {
	t.Helper()
	return poolOf(t, remote.Options{Home: s.Home, Timeout: 5 * time.Second})
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

// The tree over SFTP is held to what every tree promises.
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
			Mkfifo:    func(name string) error { return syscall.Mkfifo(in(name), 0o600) },
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

// The vault with its workspace over SFTP is held to what every vault promises.
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
		of := func(p *remote.Pool) vault.Vault {
			local, err := fsys.Dir(state)
			must(t, err)
			t.Cleanup(func() { local.Close() })
			return vault.NewLocal(open(t, p, target(s, ws)), local, lock, trash, vault.EachAlone{})
		}
		return vaulttest.Setup{
			Vault: of(ours), Other: of(theirs), Agent: folder(ws), Beside: true, Owners: os.Geteuid() == 0,
			Trash: func() map[string]string { return files(t, filepath.Join(state, trash)) },
		}
	})
}

// folder is the agent at work on the host itself.
type folder string

func (f folder) at(name string) string { return filepath.Join(string(f), name) }

func (f folder) WriteFile(name, text string) error {
	return os.WriteFile(f.at(name), []byte(text), 0o644)
}

func (f folder) AppendFile(name, text string) error {
	file, err := os.OpenFile(f.at(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteString(text)
	return err
}

func (f folder) RenameOver(name, text string) error {
	if err := os.WriteFile(f.at(name+"~"), []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(f.at(name+"~"), f.at(name))
}

func (f folder) ReadFile(name string) (string, error) {
	data, err := os.ReadFile(f.at(name))
	return string(data), err
}

func (f folder) Remove(name string) error          { return os.Remove(f.at(name)) }
func (f folder) MkdirAll(name string) error        { return os.MkdirAll(f.at(name), 0o755) }
func (f folder) Symlink(target, name string) error { return os.Symlink(target, f.at(name)) }
func (f folder) Mkfifo(name string) error          { return syscall.Mkfifo(f.at(name), 0o644) }

func (f folder) Chmod(name string, p uint32, uid int) error {
	if err := os.Chmod(f.at(name), fs.FileMode(p)); err != nil || os.Geteuid() != 0 {
		return err
	}
	return os.Chown(f.at(name), uid, uid)
}

func (f folder) Mode(name string) (uint32, int, error) {
	i, err := os.Stat(f.at(name))
	if err != nil {
		return 0, 0, err
	}
	return uint32(i.Mode().Perm()), int(i.Sys().(*syscall.Stat_t).Uid), nil
}

func (f folder) Names() ([]string, error) {
	var names []string
	err := filepath.WalkDir(string(f), func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			names = append(names, strings.TrimPrefix(name, string(f)+"/"))
		}
		return err
	})
	return names, err
}
