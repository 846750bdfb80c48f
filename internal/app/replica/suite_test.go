package replica

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/disk/vault/vaulttest"
	"tend/internal/engine/fleet"
	"tend/internal/sync/journal"
	"tend/internal/sync/store/dial"
	"tend/internal/sync/store/storetest"
)

// TestVaultSuite runs the vault suite on an agent that a replica serves. After each test the store has every file, to the
// byte.
func TestVaultSuite(t *testing.T) {
	cases, files := 0, 0
	vaulttest.Run(t, func(t *testing.T) vaulttest.Setup {
		cases++
		return served(t, shared(t, "ada"), &files)
	})
	t.Logf("%d cases, %d files compared with a rebuild from the store", cases, files)
	if cases < 40 || files < 20 {
		t.Error("this tests too little")
	}
}

// TestVaultSuiteOnServer runs a part of it on a real S3 server.
func TestVaultSuiteOnServer(t *testing.T) {
	if testing.Short() {
		return // make check starts no servers
	}
	server := storetest.Serve(t, "memory")
	cases, files := 0, 0
	vaulttest.Sample(t, 5, func(t *testing.T) vaulttest.Setup {
		cases++
		return served(t, sharedIn(t, dial.Settings{URL: fmt.Sprintf("s3://memory/case-%d", cases), Endpoint: server.Endpoint}, "ada"), &files)
	})
	t.Logf("%d cases, %d files compared with a rebuild from the store", cases, files)
}

// served returns the vault of an agent that a replica serves.
func served(t *testing.T, set dial.Settings, files *int) vaulttest.Setup {
	n := start(t, set)
	open := func() *fleet.Agent {
		a, err := n.Agent(t.Context(), "ada")
		must(t, err)
		t.Cleanup(func() { a.Close() })
		return a
	}
	one, two := open(), open()
	ws, trash := filepath.Join(n.Dir, "workspaces", "ada"), filepath.Join(n.Dir, "state", "trash", "ada")
	t.Cleanup(func() { *files += compare(t, n, ws) })
	return vaulttest.Setup{
		Vault: one.Vault, Other: two.Vault, Agent: vaulttest.Folder(ws), Owners: os.Geteuid() == 0,
		Trash: func() map[string]string {
			found := map[string]string{}
			names, err := os.ReadDir(trash)
			if !errors.Is(err, fs.ErrNotExist) {
				must(t, err)
			}
			for _, i := range names {
				text, err := os.ReadFile(filepath.Join(trash, i.Name()))
				must(t, err)
				found[i.Name()] = string(text)
			}
			return found
		},
	}
}

// compare publishes what a test left, and compares the memory with the store's.
func compare(t *testing.T, n node, ws string) (files int) {
	ctx := context.WithoutCancel(t.Context())
	must(t, n.Publish(ctx, n.Fleet, "ada"))
	x, _, err := journal.New(n.conn, "ada").Rebuild(ctx, 0)
	if errors.Is(err, journal.ErrNoAgent) {
		x, err = journal.Texts{}, nil
	}
	must(t, err)
	must(t, filepath.WalkDir(ws, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(name) != ".md" || strings.HasPrefix(d.Name(), vault.TempPrefix) {
			return err
		}
		text, err := os.ReadFile(name)
		if len(text) > 1<<20 {
			return err // too large for memory: it is not synced
		}
		rel, _ := filepath.Rel(ws, name)
		if got := x[journal.Workspace+"/"+filepath.ToSlash(rel)]; string(got) != string(text) {
			t.Errorf("%s: the store has %d bytes of it, the copy %d", rel, len(got), len(text))
		}
		files++
		return err
	}))
	return files
}
