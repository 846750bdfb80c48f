package scope

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/model/policy"
)

// Walk visits the files below a folder that come after a path, in order, until visit returns false.
func (f *Files) Walk(ctx context.Context, dir vault.Path, after string, visit func(vault.Info) bool) error {
	_, err := f.walkDir(ctx, dir, after, 0, visit, func(vault.Path, error) {})
	return err
}

// WalkAll visits all files, and reports folders that may not be entered.
func (f *Files) WalkAll(ctx context.Context, visit func(vault.Info) bool, shut func(dir vault.Path, why string)) error {
	_, err := f.walkDir(ctx, "", "", 0, visit, func(dir vault.Path, err error) {
		shut(dir, strings.TrimSuffix(toolerr.Translate("look into", dir, err).Text, "."))
	})
	return err
}

func (f *Files) walkDir(ctx context.Context, dir vault.Path, after string, depth int, visit func(vault.Info) bool,
	shut func(vault.Path, error)) (bool, error) {
	infos, err := f.agent.Vault.List(ctx, dir)
	if err != nil {
		return false, err
	}
	for _, i := range infos {
		if i.Special || !f.Visible(i, depth) {
			continue
		}
		if after != "" && !inOrder(after, string(i.Path)) && !(i.Dir && strings.HasPrefix(after, string(i.Path)+"/")) {
			continue
		}
		if !i.Dir {
			if !visit(i) {
				return false, nil
			}
			continue
		}
		on, err := f.walkDir(ctx, i.Path, after, depth+1, visit, shut)
		if errors.Is(err, vault.ErrAbsent) {
			continue // it vanished since it was listed
		}
		if errors.Is(err, vault.ErrRefused) || errors.Is(err, fs.ErrPermission) {
			shut(i.Path, err) // one folder must not hide all others
			continue
		}
		if err != nil || !on {
			return false, err
		}
	}
	return true, nil
}

// Visible decides what belongs to the memory.
func (f *Files) Visible(i vault.Info, depth int) bool {
	name := i.Path.Base()
	switch {
	case strings.HasPrefix(name, "."):
		if i.Dir {
			return f.knownFolder(i.Path)
		}
		_, known := f.agent.Layout.RoleOf(string(i.Path))
		return known
	case i.Dir:
		return depth < policy.PathMaxDepth.Of(f.agent.Policy) && name != "node_modules" && f.leadsToFiles(i.Path)
	}
	return f.Known(i.Path)
}

// knownFolder reports whether the layout keeps files in a hidden folder.
func (f *Files) knownFolder(dir vault.Path) bool {
	if dir.Base() == ".git" {
		return false
	}
	_, known := f.agent.Layout.RoleOf(string(dir.Join("x.md")))
	return known
}

// inOrder reports whether b comes after a in a walk, where a folder comes before its files.
func inOrder(a, b string) bool {
	return strings.ReplaceAll(a, "/", "\x00") < strings.ReplaceAll(b, "/", "\x00")
}
