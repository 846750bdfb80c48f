package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"tend/internal/config"
	"tend/internal/connect"
	"tend/internal/fleet"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

// apply makes the changes: in an agent's workspace through its ledger, elsewhere durably
// in place.
func (c *connection) apply(ctx context.Context, edits []connect.Edit) (done int, err error) {
	for i, e := range edits {
		if !e.Changed() {
			continue
		}
		if owner, rel := c.owner(e.Real); owner != "" {
			err = c.applyInWorkspace(ctx, owner, rel, e)
		} else {
			err = applyEdit(e)
		}
		if err != nil {
			return i, fmt.Errorf("write %s: %w", e.File, err)
		}
	}
	return len(edits), nil
}

// back leaves everything as it was before a connection that could not be made.
func (c *connection) back(ctx context.Context, r connect.Record, done []connect.Edit) error {
	inverse := make([]connect.Edit, 0, len(done))
	for _, e := range slices.Backward(done) {
		e.Before, e.After = e.After, e.Before
		inverse = append(inverse, e)
	}
	if _, err := c.apply(ctx, inverse); err != nil {
		return fmt.Errorf("%w; `tend connect %s --undo` takes back the rest", err, c.harness.Name)
	}
	removeEmpty(r.Folders())
	if c.rec != nil {
		return c.keep(*c.rec)
	}
	return os.Remove(filepath.Join(c.app.cfg.StateDir, filepath.FromSlash(r.Name())))
}

// removeEmpty removes folders; one that is not empty is in use by others.
func removeEmpty(dirs []string) {
	for _, dir := range dirs {
		_ = os.Remove(dir)
	}
}

// owner is the agent whose workspace a file is in.
func (c *connection) owner(file string) (agent, rel string) {
	for _, ag := range c.app.cfg.Agents {
		if ag.Workspace.Kind != config.Local {
			continue
		}
		ws := ag.Workspace.Path
		if real, err := filepath.EvalSymlinks(ws); err == nil {
			ws = real
		}
		if r, err := filepath.Rel(ws, file); err == nil && filepath.IsLocal(r) && (agent == "" || ag.Name == c.target.Agent) {
			agent, rel = ag.Name, filepath.ToSlash(r)
		}
	}
	return agent, rel
}

func (c *connection) applyInWorkspace(ctx context.Context, owner, rel string, e connect.Edit) error {
	p, err := vault.ParsePath(rel)
	if err != nil {
		return err
	}
	return c.app.withAgent(ctx, owner, fleet.Options{Write: true}, func(ag *fleet.Agent) error {
		ch := plan.Change{Path: p, Op: plan.Write, Before: vault.Absent, Why: "tend connect " + c.harness.Name}
		if e.Before != nil {
			ch.Old, ch.Before = []byte(*e.Before), vault.VersionOf([]byte(*e.Before))
		}
		if e.After == nil {
			ch.Op = plan.Remove
		} else {
			ch.New = []byte(*e.After)
		}
		pl := plan.Plan{Job: "connect", Reason: ch.Why, Summary: rel + ": settings of " + c.harness.Name, Changes: []plan.Change{ch}}
		_, _, err := ag.Apply(ctx, who(), policy.LockWait.Of(ag.Policy).Std(), pl)
		return err
	})
}

func applyEdit(e connect.Edit) error {
	now, err := os.ReadFile(e.Real)
	if errors.Is(err, fs.ErrNotExist) == (e.Before != nil) || err == nil && (e.Before == nil || string(now) != *e.Before) {
		return vault.ErrChanged
	}
	if e.After == nil {
		return os.Remove(e.Real)
	}
	return inFolder(e.Real, func(t tree, base string) error {
		if err := vault.WriteOver(t, vault.EachAlone{}, base, []byte(*e.After), e.Mode); err != nil {
			return err
		}
		return os.Chmod(e.Real, e.Mode)
	})
}

// writeSecret writes a file of the state's that may hold what others must not read.
func writeSecret(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return inFolder(name, func(t tree, base string) error {
		return vault.WriteOver(t, vault.EachAlone{}, base, data, 0o600)
	})
}
