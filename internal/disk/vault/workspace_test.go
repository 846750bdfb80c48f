package vault_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"tend/internal/disk/fsys"
	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
	"tend/internal/disk/vault/vaulttest"
	"tend/test/require"
)

const (
	lock  = "agents/ada/lock"
	trash = "trash/ada"
)

var must = require.NoError

func treeOf(t *testing.T, d *memfs.Disk, dir string) fsys.FS {
	t.Helper()
	tree, err := d.Tree(dir)
	must(t, err)
	return tree
}

// memory is an agent on a disk in memory.
type memory struct{ d *memfs.Disk }

func (m memory) at(name string) string                { return path.Join("ws", name) }
func (m memory) WriteFile(name, text string) error    { return m.d.WriteFile(m.at(name), text) }
func (m memory) AppendFile(name, text string) error   { return m.d.AppendFile(m.at(name), text) }
func (m memory) RenameOver(name, text string) error   { return m.d.RenameOver(m.at(name), text) }
func (m memory) ReadFile(name string) (string, error) { return m.d.ReadFile(m.at(name)) }
func (m memory) Remove(name string) error             { return m.d.Remove(m.at(name)) }
func (m memory) MkdirAll(name string) error           { return m.d.MkdirAll(m.at(name)) }
func (m memory) Symlink(target, name string) error    { return m.d.Symlink(target, m.at(name)) }
func (m memory) Mkfifo(name string) error             { return m.d.Mkfifo(m.at(name)) }
func (m memory) Chmod(name string, p uint32, u int) error {
	return m.d.Chmod(m.at(name), fs.FileMode(p), u, u)
}

func (m memory) Mode(name string) (uint32, int, error) {
	i, err := m.d.Stat(m.at(name))
	return uint32(i.Mode.Perm()), i.UID, err
}

func (m memory) Names() ([]string, error) {
	var names []string
	for name, info := range m.d.Walk("ws") {
		if !info.IsDir() {
			names = append(names, strings.TrimPrefix(name, "ws/"))
		}
	}
	return names, nil
}

func inMemory(d, state *memfs.Disk, group bool) func(t *testing.T) vaulttest.Setup {
	return func(t *testing.T) vaulttest.Setup {
		must(t, state.MkdirAll("state/agents/ada"))
		must(t, state.MkdirAll("state/"+trash))
		local := func() *vault.Vault {
			ws, st := treeOf(t, d, "ws"), treeOf(t, state, "state")
			var dur vault.Durability = vault.SyncEach{}
			if group {
				g, err := vault.NewGroupSync(ws, st)
				must(t, err)
				dur = g
			}
			return vault.New(ws, st, lock, trash, dur)
		}
		return vaulttest.Setup{
			Vault: local(), Other: local(), Agent: memory{d}, Beside: d != state, Owners: true,
			Trash: func() map[string]string {
				found := map[string]string{}
				for name, text := range state.Files("state/" + trash) {
					found[path.Base(name)] = text
				}
				return found
			},
		}
	}
}

func onDisk(group bool) func(t *testing.T) vaulttest.Setup {
	return func(t *testing.T) vaulttest.Setup {
		dir := t.TempDir()
		for _, d := range []string{"ws", "state/agents/ada", "state/" + trash} {
			must(t, os.MkdirAll(filepath.Join(dir, d), 0o755))
		}
		local := func() *vault.Vault {
			ws, err := fsys.Dir(filepath.Join(dir, "ws"))
			must(t, err)
			st, err := fsys.Dir(filepath.Join(dir, "state"))
			must(t, err)
			t.Cleanup(func() { st.Close() })
			var dur vault.Durability = vault.SyncEach{}
			if group {
				g, err := vault.NewGroupSync(ws, st)
				must(t, err)
				t.Cleanup(func() { g.Close() })
				dur = g
			}
			v := vault.New(ws, st, lock, trash, dur)
			t.Cleanup(func() { v.Close() })
			return v
		}
		return vaulttest.Setup{
			Vault: local(), Other: local(), Agent: vaulttest.Folder(filepath.Join(dir, "ws")), Owners: os.Geteuid() == 0,
			Trash: func() map[string]string {
				found := map[string]string{}
				names, err := os.ReadDir(filepath.Join(dir, "state", trash))
				must(t, err)
				for _, n := range names {
					text, err := os.ReadFile(filepath.Join(dir, "state", trash, n.Name()))
					must(t, err)
					found[n.Name()] = string(text)
				}
				return found
			},
		}
	}
}

func TestLocal(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]func(t *testing.T) vaulttest.Setup{
		"memory": func(t *testing.T) vaulttest.Setup { d := memfs.New(); return inMemory(d, d, false)(t) },
		"memory, synced in groups": func(t *testing.T) vaulttest.Setup {
			d := memfs.New()
			return inMemory(d, d, true)(t)
		},
		"memory, trash on another file system": func(t *testing.T) vaulttest.Setup {
			return inMemory(memfs.New(), memfs.New(), false)(t)
		},
		"memory, no exchange": func(t *testing.T) vaulttest.Setup {
			d := memfs.New()
			d.NoExchange()
			return inMemory(d, d, false)(t)
		},
		"folder":                   onDisk(false),
		"folder, synced in groups": onDisk(true),
	} {
		t.Run(name, func(t *testing.T) { vaulttest.Run(t, setup) })
	}
}
