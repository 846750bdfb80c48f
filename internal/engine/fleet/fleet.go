// Package fleet opens the configured agents, in the same way for the command line, the
// tools an agent calls and the keeper. An Agent is a lock and a workspace with parts by
// purpose: its files, baselines, proposals, history and home.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/remote"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet/cache"
	"tend/internal/engine/fleet/ledgersum"
	"tend/internal/engine/jobruns"
	"tend/internal/model/policy"
	"tend/internal/state/guard"
	"tend/internal/state/identity"
	"tend/internal/state/ledger"
	"tend/internal/text/layout"
)

// ErrNoVault: this kind of workspace is not supported.
var ErrNoVault = errors.New("this kind of workspace is not supported yet")

// Options say how to open a fleet.
type Options struct {
	Clock func() time.Time
	// Write creates the state folder if it is missing. Without it a missing one
	// reads as empty, and nothing can be written.
	Write bool
	// Many shares syncs between agents, for commands that work on many at once.
	Many bool
	// Private makes new memory files readable by their owner only, unless their folder is shared with a group.
	Private bool
	// Shared is the store that the agents are kept in; nil if their files here are the original.
	Shared Shared
}

// Fleet is all configured agents.
type Fleet struct {
	Config *config.Config
	Clock  func() time.Time
	World  bool // checks compare memory with this machine, whatever the policy says

	state          fsys.FS
	archives       fsys.FS
	dur            vault.Durability
	group          *vault.GroupSync // nil unless Many
	signers        *guard.Signers
	sharedArchives map[string]bool // archive folders of more than one agent
	shared         Shared          // nil unless the agents are kept in a store
	up             upward
	private        bool // new files in workspaces are readable by their owner only

	mu     sync.Mutex
	trees  map[string]fsys.FS       // baseline folders
	growth map[string]*atomic.Int64 // bytes that actions added to the state, by agent
	pool   *remote.Pool             // nil until an agent on another host is opened
}

// Open opens the fleet's state; agents are opened one by one.
func Open(cfg *config.Config, o Options) (*Fleet, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	f := &Fleet{Config: cfg, Clock: o.Clock, dur: vault.SyncEach{}, private: o.Private, trees: map[string]fsys.FS{}}
	f.sharedArchives = sharedFolders(cfg.Agents)
	if cfg.StateDir != "" {
		f.up = upwardOf(cfg.StateDir, cfg.ArchiveDir)
	}
	var err error
	if cfg.Signers != "" {
		if f.signers, err = guard.ReadSigners(cfg.Signers); err != nil {
			return nil, err
		}
	}
	if f.state, err = openTree(cfg.StateDir, fsys.PrivateDir, o.Write); err != nil {
		return nil, fmt.Errorf("open state folder: %w", err)
	}
	if err := f.bindState(o.Write); err != nil {
		return nil, errors.Join(err, f.state.Close())
	}
	f.archives = f.state
	if cfg.ArchiveDir != filepath.Join(cfg.StateDir, "archive") {
		if f.archives, err = openTree(cfg.ArchiveDir, fsys.Dir, o.Write); err != nil {
			return nil, fmt.Errorf("open archive folder: %w", err)
		}
	}
	if o.Shared != nil {
		f.UseStore(o.Shared)
	} else if o.Many && o.Write {
		if f.group, err = vault.NewGroupSync(f.state, f.archives); err != nil {
			return nil, err
		}
		f.dur = f.group
	}
	return f, nil
}

// OnTree returns a fleet whose state is in a tree of any kind. It has no git history.
func OnTree(cfg *config.Config, state fsys.FS, clock func() time.Time) *Fleet {
	return &Fleet{Config: cfg, Clock: clock, state: state, archives: state, dur: vault.SyncEach{}, trees: map[string]fsys.FS{}}
}

// UseStore makes a store the home of the fleet's agents. What is durable there need not be durable on this disk.
func (f *Fleet) UseStore(s Shared) *Fleet {
	f.shared, f.dur = s, vault.NoSync{}
	return f
}

// sharedFolders returns the archive folders of more than one agent.
func sharedFolders(agents []config.Agent) map[string]bool {
	shared := make(map[string]bool, len(agents))
	for _, a := range agents {
		_, taken := shared[a.ArchiveDir]
		shared[a.ArchiveDir] = taken
	}
	return shared
}

func openTree(dir string, open func(string) (fsys.FS, error), create bool) (fsys.FS, error) {
	t, err := open(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return t, err
	}
	if !create {
		return fsys.Missing, nil
	}
	if err := fsys.MakeFolder(dir, 0o700); err != nil {
		return nil, err
	}
	return open(dir)
}

// Close closes all trees and connections.
func (f *Fleet) Close() error {
	errs := []error{f.state.Close()}
	if f.group != nil {
		errs = append(errs, f.group.Close())
	}
	if f.archives != f.state {
		errs = append(errs, f.archives.Close())
	}
	for _, t := range f.trees {
		errs = append(errs, t.Close())
	}
	if f.pool != nil {
		errs = append(errs, f.pool.Close())
	}
	return errors.Join(errs...)
}

// openFolderOnce opens a folder once for all baselines in it.
func (f *Fleet) openFolderOnce(dir string) (fsys.FS, error) {
	f.mu.Lock()
	known, ok := f.trees[dir]
	f.mu.Unlock()
	if ok {
		return known, nil
	}
	t, err := fsys.Dir(dir) // without the lock: a folder that does not answer must not block the others
	if errors.Is(err, fs.ErrNotExist) {
		return fsys.Missing, nil // the baseline in it is then reported as missing
	}
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if known, ok := f.trees[dir]; ok {
		return known, t.Close()
	}
	f.trees[dir] = t
	return t, nil
}

// Agent is an opened agent.
type Agent struct {
	config.Agent
	Vault     *vault.Vault
	Ledger    *ledger.Ledger
	Guard     *guard.Guard
	Cache     cache.Store
	Runs      jobruns.Store
	History   *History
	Baselines *Baselines
	Files     *Files
	Proposals *Proposals
	Home      *Home

	fleet *Fleet
	tally ledgersum.Store
	ws    fsys.FS
	// unpinned: the workspace's folder has not been recorded yet.
	unpinned bool
}

// Agent opens an agent by name.
func (f *Fleet) Agent(ctx context.Context, name string) (*Agent, error) {
	cfg, err := f.Config.Agent(name)
	if err != nil {
		return nil, err
	}
	if err := f.Fetch(ctx, name); err != nil {
		return nil, err
	}
	return f.open(ctx, cfg)
}

// Records opens only Tend's own files of an agent: baselines, approvals, ledger and
// archives. The workspace is not opened and reads as empty, so kept texts can be
// restored even when the workspace itself is gone.
func (f *Fleet) Records(name string) (*Agent, error) {
	cfg, err := f.Config.Agent(name)
	if err != nil {
		return nil, err
	}
	return f.AgentIn(cfg, fsys.Missing), nil
}

func (f *Fleet) open(ctx context.Context, cfg config.Agent) (*Agent, error) {
	ws, id, err := f.openWorkspace(ctx, cfg)
	if errors.Is(err, fs.ErrNotExist) && f.Config.Path != "" {
		return nil, fmt.Errorf("workspace of %s: %w (make the folder, or correct it in %s:%d)", cfg.Name, err, f.Config.Path, cfg.Line)
	}
	if err != nil {
		return nil, fmt.Errorf("workspace of %s: %w", cfg.Name, err)
	}
	pinned, err := identity.Check(f.state, cfg.Name, id, cfg.Workspace.String())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("workspace of %s: %w", cfg.Name, err), ws.Close())
	}
	if f.group != nil && cfg.Workspace.Kind == config.Local {
		if err := f.group.Add(ws); err != nil {
			return nil, errors.Join(err, ws.Close())
		}
	}
	a := f.AgentIn(cfg, ws)
	a.unpinned = !pinned
	return a, nil
}

// openWorkspace opens an agent's workspace folder and returns its identity.
func (f *Fleet) openWorkspace(ctx context.Context, cfg config.Agent) (ws fsys.FS, id fsys.Identity, err error) {
	w := cfg.Workspace
	switch w.Kind {
	case config.Local:
		ws, err = openLocal(w.Path, policy.WorkspaceMounts.Of(cfg.Policy) != policy.MountsFollow)
	case config.SSH:
		ws, err = f.connections().Open(ctx, remote.Target{User: w.User, Host: w.Host, Port: w.Port, Path: w.Path})
	default:
		err = ErrNoVault
	}
	if err != nil {
		return nil, id, err
	}
	id, err = fsys.Identify(ws)
	if err == nil && w.Kind == config.Local {
		err = f.up.checkApart(cfg, id.Info)
	}
	if err != nil {
		return nil, id, errors.Join(err, ws.Close())
	}
	return ws, id, nil
}

// openLocal opens a folder of this machine.
func openLocal(dir string, alone bool) (fsys.FS, error) {
	if err := identity.Links(dir); err != nil {
		return nil, err
	}
	if alone {
		return fsys.OpenNoMounts(dir)
	}
	return fsys.Dir(dir)
}

// Confirm pins the folder at an agent's configured path as its workspace, for an operator
// who has moved or recreated it.
func (f *Fleet) Confirm(ctx context.Context, name string) (pin identity.Pin, err error) {
	cfg, err := f.Config.Agent(name)
	if err != nil {
		return identity.Pin{}, err
	}
	ws, _, err := f.openWorkspace(ctx, cfg)
	if err != nil {
		return identity.Pin{}, fmt.Errorf("workspace of %s: %w", cfg.Name, err)
	}
	p, err := identity.Confirm(f.state, vault.SyncEach{}, cfg.Name, ws, cfg.Workspace.String(), f.Clock())
	return p, errors.Join(err, ws.Close())
}

// connections returns the connections to other machines, created when first needed.
func (f *Fleet) connections() *remote.Pool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pool == nil {
		home, _ := os.UserHomeDir()
		f.pool = remote.NewPool(remote.Options{Home: home, AgentSock: os.Getenv("SSH_AUTH_SOCK")})
	}
	return f.pool
}

// AgentIn returns the agent whose files are in ws.
func (f *Fleet) AgentIn(cfg config.Agent, ws fsys.FS) *Agent {
	dur := f.dur
	if cfg.Workspace.Kind != config.Local {
		dur = vault.SyncEach{} // another host's file system cannot be synced as a whole
	}
	a := &Agent{Agent: cfg, Cache: cache.New(f.state, cfg.Name), Runs: jobruns.New(f.state, cfg.Name), fleet: f, ws: ws}
	a.Vault = vault.New(ws, f.state, ledger.LockPath(cfg.Name), ledger.TrashPath(cfg.Name), dur).Within(a.MaxRead())
	if f.private {
		a.Vault.Private()
	}
	a.History = &History{agent: cfg.Name, state: f.state, dur: dur, now: a.Now, grown: f.growthOf(cfg.Name)}
	if f.Config.StateDir != "" {
		a.History.dir = filepath.Join(f.Config.StateDir, historyDir, cfg.Name+".git")
	}
	a.Ledger = ledger.New(cfg.Name, a.ledgerOptions(dur))
	a.History.ledger = a.Ledger
	a.Guard = guard.New(cfg.Name, f.state, dur, f.Clock, f.signers)
	a.Baselines = &Baselines{agent: &a.Agent, guard: a.Guard, ledger: a.Ledger, tree: f.openFolderOnce}
	a.tally = ledgersum.Store{Ledger: a.Ledger, Cache: a.Cache, Hot: vault.Path(cfg.Layout.Path(layout.Hot, "")), Zone: cfg.Location}
	a.Files = &Files{agent: &a.Agent, vault: a.Vault, ws: ws, baselines: a.Baselines, tally: a.tally, now: a.Now}
	a.History.worktree = a.Files.readWorktree
	a.Proposals = &Proposals{
		state: f.state, dur: f.dur, vault: a.Vault,
		file: "agents/" + cfg.Name + "/proposals.json", made: "agents/" + cfg.Name + "/made.json",
	}
	a.Home = &Home{agent: &a.Agent, cache: a.Cache, state: f.state, ledger: a.Ledger, now: a.Now}
	return a
}

// ledgerOptions returns what the agent's ledger needs. Its vault and history are set.
func (a *Agent) ledgerOptions(dur vault.Durability) ledger.Options {
	f := a.fleet
	o := ledger.Options{
		State: f.state, Vault: a.Vault, Durable: dur, Clock: f.Clock, Zone: a.Location, Most: a.MaxRead(),
		Grown: f.growthOf(a.Name), Shared: f.sharedArchives[a.ArchiveDir], Discarded: a.History.Discarded,
	}
	o.Archives, o.Archive = f.archiveTree(a.Agent)
	if f.shared != nil {
		o.Accepts = a.Writes
		o.Commit = func(ctx context.Context, c ledger.Commitment) (func(error), error) { return f.shared.Commit(ctx, a, c) }
	}
	return o
}

// growthOf returns the counter of bytes that actions of this process added to an agent's state since its last compaction.
func (f *Fleet) growthOf(name string) *atomic.Int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, ok := f.growth[name]
	if !ok {
		n = new(atomic.Int64)
		if f.growth == nil {
			f.growth = map[string]*atomic.Int64{}
		}
		f.growth[name] = n
	}
	return n
}

// MaxRead is the size limit for reading a file of the agent.
func (a *Agent) MaxRead() int64 { return maxRead(a.Agent) }

func maxRead(cfg config.Agent) int64 { return int64(policy.FileMaxRead.Of(cfg.Policy)) }

// archiveTree returns the tree, and the folder in it, for an agent's archives.
func (f *Fleet) archiveTree(cfg config.Agent) (fsys.FS, string) {
	rel := strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(cfg.ArchiveDir, f.Config.ArchiveDir)), "/")
	if f.archives == f.state {
		rel = path.Join("archive", rel)
	}
	return f.archives, rel
}

// State is Tend's own tree.
func (a *Agent) State() fsys.FS { return a.fleet.state }

// Close closes the workspace.
func (a *Agent) Close() error { return a.Vault.Close() }

// Now is the time in the agent's zone.
func (a *Agent) Now() time.Time { return a.fleet.Clock().In(a.Location) }
