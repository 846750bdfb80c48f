package memory

import (
	"context"
	"strings"

	"tend/internal/vault"
)

// Some harnesses keep the agent's memory in one folder of a tree that also holds their
// settings and credentials. Their layouts name that folder, and tools keep to it: what
// is outside is not there for them, but for the files the layout gives a role, which
// they may read.

// reached is the file that a name stands for: names begin in the folder tools keep to,
// and may also be written from the top.
func (f *files) reached(p vault.Path) vault.Path {
	if f.known(p) {
		return p
	}
	return vault.Path(f.agent.Layout.Reach + "/" + string(p))
}

// short is the shortest name that stands for a file.
func (f *files) short(p vault.Path) string {
	short, ok := strings.CutPrefix(string(p), f.agent.Layout.Reach+"/")
	if ok && f.agent.Layout.Reach != "" && f.reached(vault.Path(short)) == p {
		return short
	}
	return string(p)
}

// Short is the shortest name that stands for a file.
func (r *Reader) Short(p vault.Path) string { return r.files.short(p) }

// notRoot refuses to take away the folder that holds all of the memory.
func (f *files) notRoot(p vault.Path) error {
	if reach := f.agent.Layout.Reach; reach != "" && (fold(string(p)) == fold(reach) || strings.HasPrefix(fold(reach), fold(string(p))+"/")) {
		return refuse(BadPath, "%s is the whole memory, which stays.", p).try("Name a file or a folder in it.")
	}
	return nil
}

// known reports whether a file is there for tools.
func (f *files) known(p vault.Path) bool {
	if f.agent.Layout.Reaches(string(p)) {
		return true
	}
	_, ok := f.agent.Layout.RoleOf(string(p))
	return ok
}

// leads reports whether a folder, or one below it, has files that are there for tools.
func (f *files) leads(dir vault.Path) bool {
	l := f.agent.Layout
	return l.Reaches(string(dir)) || strings.HasPrefix(l.Reach, string(dir)+"/") || f.knownFolder(dir)
}

// read gives a file's text, unless it is a link out of the folder that tools keep to.
func (f *files) read(ctx context.Context, p vault.Path) (vault.Doc, error) {
	if reach := f.agent.Layout.Reach; reach != "" {
		at, err := f.agent.Vault.Resolve(ctx, p)
		if err == nil && !f.known(at) {
			err = refuse(Unsafe, "%s is a link that leads out of %s.", p, reach)
		}
		if err != nil {
			return vault.Doc{Path: p}, err
		}
	}
	return f.agent.Vault.Read(ctx, p)
}

// mayChange refuses what is outside the folder that tools keep to.
func (f *files) mayChange(ctx context.Context, p vault.Path) error {
	l := f.agent.Layout
	if l.Reach == "" {
		return nil
	}
	at, err := f.agent.Vault.Resolve(ctx, p)
	if err == nil && !l.Reaches(string(at)) {
		err = refuse(Operators, "%s is the operator's to change, not yours.", at).try("Write to a file in %s; memory_propose tells the operator what should change.", l.Reach)
	}
	return err
}
