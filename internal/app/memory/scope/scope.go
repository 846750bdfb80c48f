// Package scope is the files of a workspace as an agent's tools see them: the names they may use, and what exists.
//
// Some harnesses keep the agent's memory in one folder of a tree that also has their settings and credentials. Their
// layouts name that folder, and tools are confined to it: outside it they see only the files that have a role in the
// layout, and may only read them.
package scope

import (
	"context"
	"strings"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
)

// Files are the files of one agent.
type Files struct{ agent *fleet.Agent }

// New returns the files of an agent.
func New(a *fleet.Agent) *Files { return &Files{agent: a} }

// resolveName returns the file that a name refers to: names are relative to the folder that tools are confined to, but
// may also be given from the top.
func (f *Files) resolveName(p vault.Path) vault.Path {
	if f.Known(p) {
		return p
	}
	return vault.Path(f.agent.Layout.Reach + "/" + string(p))
}

// Short returns the shortest name for a file.
func (f *Files) Short(p vault.Path) string {
	short, ok := strings.CutPrefix(string(p), f.agent.Layout.Reach+"/")
	if ok && f.agent.Layout.Reach != "" && f.resolveName(vault.Path(short)) == p {
		return short
	}
	return string(p)
}

// NotRoot refuses to remove the folder that holds all of the memory.
func (f *Files) NotRoot(p vault.Path) error {
	if reach := f.agent.Layout.Reach; reach != "" && (Fold(string(p)) == Fold(reach) || strings.HasPrefix(Fold(reach), Fold(string(p))+"/")) {
		return toolerr.New(toolerr.BadPath, "%s is the whole memory and cannot be removed.", p).Try("Name a file or a folder in it.")
	}
	return nil
}

// Known reports whether tools may see a file.
func (f *Files) Known(p vault.Path) bool {
	if f.agent.Layout.Reaches(string(p)) {
		return true
	}
	_, ok := f.agent.Layout.RoleOf(string(p))
	return ok
}

// leadsToFiles reports whether a folder, or one below it, has files for tools.
func (f *Files) leadsToFiles(dir vault.Path) bool {
	l := f.agent.Layout
	return l.Reaches(string(dir)) || strings.HasPrefix(l.Reach, string(dir)+"/") || f.knownFolder(dir)
}

// Read returns a file's text, unless it is a link out of the folder that tools are confined to.
func (f *Files) Read(ctx context.Context, p vault.Path) (vault.Doc, error) {
	if reach := f.agent.Layout.Reach; reach != "" {
		at, err := f.agent.Vault.Resolve(ctx, p)
		if err == nil && !f.Known(at) {
			err = toolerr.New(toolerr.Unsafe, "%s is a link to a file outside %s.", p, reach)
		}
		if err != nil {
			return vault.Doc{Path: p}, err
		}
	}
	return f.agent.Vault.Read(ctx, p)
}

// MayChange refuses what is outside the folder that tools are confined to.
func (f *Files) MayChange(ctx context.Context, p vault.Path) error {
	l := f.agent.Layout
	if l.Reach == "" {
		return nil
	}
	at, err := f.agent.Vault.Resolve(ctx, p)
	if err == nil && !l.Reaches(string(at)) {
		err = toolerr.New(toolerr.Operators, "Only the operator may change %s.", at).
			Try("Write to a file in %s; memory_propose tells the operator what should change.", l.Reach)
	}
	return err
}

// NoLink refuses a name that is a link to another file: deleting or moving that name would delete or move the file.
func (f *Files) NoLink(ctx context.Context, p vault.Path) error {
	var dir vault.Path
	at, err := f.agent.Vault.Resolve(ctx, p)
	if err == nil && p.Dir() != "" {
		dir, err = f.agent.Vault.Resolve(ctx, p.Dir())
	}
	if err == nil && at != dir.Join(p.Base()) {
		err = toolerr.New(toolerr.Unsafe, "%s is a link to %s.", p, at).
			Try("Name that file if you mean it; only the operator can remove the link.")
	}
	return err
}

// Folder reports whether a folder exists, with or without files.
func (f *Files) Folder(ctx context.Context, p vault.Path) bool {
	_, err := f.agent.Vault.List(ctx, p)
	return err == nil
}
