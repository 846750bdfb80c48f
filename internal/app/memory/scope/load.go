package scope

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/model/policy"
)

// linkGrace is how long a second name of a file may belong to a write in progress: creating a file gives it two names
// for a moment.
const linkGrace = 20 * time.Millisecond

// Load reads a file for a tool. A missing file is not an error but has the version vault.Absent. A hard-linked file
// is refused: its other name may be anyone's.
func (f *Files) Load(ctx context.Context, p vault.Path) (vault.Doc, error) {
	for wait := time.Millisecond; ; wait *= 2 {
		doc, err := f.Read(ctx, p)
		switch {
		case errors.Is(err, vault.ErrAbsent):
			return vault.Doc{Path: p}, nil
		case err != nil:
			return doc, f.noFile(ctx, p, err)
		case doc.Links <= 1:
			return doc, nil
		case wait > linkGrace:
			return doc, toolerr.New(toolerr.Unsafe, "%s has a second name elsewhere (a hard link), so it may not be this memory's.", p).
				Try("Tell the operator.")
		}
		if err := sleep(ctx, wait); err != nil {
			return doc, err
		}
	}
}

// noFile says why something cannot be read as a file, where that is simple.
func (f *Files) noFile(ctx context.Context, p vault.Path, err error) error {
	if errors.Is(err, syscall.ENOTDIR) {
		return toolerr.New(toolerr.BadPath, "%s is not a folder.", p.Dir())
	}
	if !errors.Is(err, vault.ErrRefused) {
		return err
	}
	infos, lerr := f.agent.Vault.List(ctx, p.Dir())
	if lerr == nil && slices.ContainsFunc(infos, func(i vault.Info) bool { return i.Path == p && i.Dir }) {
		return toolerr.New(toolerr.BadPath, "%s is a folder.", p).Try("memory_list shows what is in it.")
	}
	return err
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// Missing is the error for a file that does not exist, with a suggestion.
func (f *Files) Missing(ctx context.Context, p vault.Path) error {
	e := toolerr.New(toolerr.NotFound, "%s does not exist.", p)
	if there, _, err := f.findTwin(ctx, p); err == nil && there != "" {
		return e.Try("There is %s.", there)
	}
	if _, err := f.agent.Vault.List(ctx, ""); errors.Is(err, vault.ErrAbsent) {
		return err // the memory folder itself
	}
	var names []string
	infos, err := f.agent.Vault.List(ctx, p.Dir())
	if err == nil {
		for _, i := range infos {
			if !i.Dir && !i.Special {
				names = append(names, i.Path.Base())
			}
		}
	}
	if near := nearestName(p.Base(), names); near != "" {
		return e.Try("Did you mean %s? memory_list shows all files.", p.Dir().Join(near))
	}
	if there := f.findElsewhere(ctx, p.Base()); there != "" {
		return e.Try("There is %s. memory_list shows all files.", there)
	}
	return e.Try("memory_list shows all files.")
}

// findElsewhere finds a file of this name in another folder, among the first ones of a large memory.
func (f *Files) findElsewhere(ctx context.Context, name string) (found vault.Path) {
	n := 0
	_ = f.Walk(ctx, "", "", func(i vault.Info) bool {
		if n++; Fold(i.Path.Base()) == Fold(name) {
			found = i.Path
		}
		return found == "" && n < 1000
	})
	return found
}

// nearestName returns the name most similar to the given one. Common endings are ignored: most names end with ".md".
func nearestName(name string, names []string) string {
	ext := path.Ext(name)
	var stems []string
	for _, n := range names {
		if path.Ext(n) == ext {
			stems = append(stems, strings.TrimSuffix(n, ext))
		}
	}
	if near := policy.Nearest(strings.TrimSuffix(name, ext), stems); near != "" {
		return near + ext
	}
	return ""
}
