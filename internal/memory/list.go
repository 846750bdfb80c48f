package memory

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"tend/internal/policy"
	"tend/internal/vault"
)

// ListRequest asks for a page of files.
type ListRequest struct {
	Folder string // only what is below it, "" for all
	After  string // the last path of the page before
	Limit  int    // 0 is list.page
}

// Listed is one file.
type Listed struct {
	Path    vault.Path `json:"path"`
	Size    int64      `json:"size"`
	ModTime time.Time  `json:"modified"`
	Role    string     `json:"role,omitempty"`
}

// Page is a part of the list of files, in the order of a tree walk.
type Page struct {
	Folder vault.Path `json:"folder,omitempty"`
	Files  []Listed   `json:"files"`
	Next   string     `json:"next,omitempty"` // After for the next page, "" when this is the last
}

// List gives the files of the memory, a page at a time. Hidden files and
// folders are not memory.
func (r *Reader) List(ctx context.Context, q ListRequest) (Page, error) {
	var page Page
	if folder := strings.Trim(q.Folder, "/"); folder != "" && folder != "." {
		p, err := r.files.parseName(folder)
		if err != nil {
			return page, r.fail("list", "list", "", err)
		}
		page.Folder = p
	}
	limit := policy.ListPage.Of(r.agent.Policy)
	if q.Limit > 0 {
		limit = min(q.Limit, limit)
	}
	page.Files = make([]Listed, 0, min(limit, 64))
	err := r.files.walk(ctx, page.Folder, q.After, func(i vault.Info) bool {
		if len(page.Files) == limit {
			page.Next = string(page.Files[limit-1].Path)
			return false
		}
		role, _ := r.agent.Layout.RoleOf(string(i.Path))
		page.Files = append(page.Files, Listed{Path: i.Path, Size: i.Size, ModTime: i.ModTime, Role: string(role)})
		return true
	})
	if errors.Is(err, vault.ErrAbsent) && page.Folder != "" {
		err = refuse(NotFound, "There is no folder %s.", page.Folder).try("memory_list without a folder shows all files.")
	}
	if err != nil {
		return page, r.fail("list", "list", page.Folder, err)
	}
	return page, nil
}

// walk visits the files below a folder that come after a path, in order, until
// visit has seen enough.
func (f *files) walk(ctx context.Context, dir vault.Path, after string, visit func(vault.Info) bool) error {
	_, err := f.walkDir(ctx, dir, after, 0, visit, func(vault.Path, error) {})
	return err
}

// walkAll visits all files, and tells of folders that may not be entered.
func (f *files) walkAll(ctx context.Context, visit func(vault.Info) bool, shut func(dir vault.Path, why string)) error {
	_, err := f.walkDir(ctx, "", "", 0, visit, func(dir vault.Path, err error) {
		shut(dir, strings.TrimSuffix(translate("look into", dir, err).Text, "."))
	})
	return err
}

func (f *files) walkDir(ctx context.Context, dir vault.Path, after string, depth int, visit func(vault.Info) bool, shut func(vault.Path, error)) (bool, error) {
	infos, err := f.agent.Vault.List(ctx, dir)
	if err != nil {
		return false, err
	}
	for _, i := range infos {
		if i.Special || !f.visible(i, depth) {
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
			continue // gone since it was listed
		}
		if errors.Is(err, vault.ErrRefused) || errors.Is(err, fs.ErrPermission) {
			shut(i.Path, err) // one folder must not keep all others from being seen
			continue
		}
		if err != nil || !on {
			return false, err
		}
	}
	return true, nil
}

// visible decides what belongs to the memory.
func (f *files) visible(i vault.Info, depth int) bool {
	name := i.Path.Base()
	switch {
	case strings.HasPrefix(name, "."):
		if i.Dir {
			return f.knownFolder(i.Path)
		}
		_, known := f.agent.Layout.RoleOf(string(i.Path))
		return known
	case i.Dir:
		return depth < policy.PathMaxDepth.Of(f.agent.Policy) && name != "node_modules" && f.leads(i.Path)
	}
	return f.known(i.Path)
}

// knownFolder reports whether the layout keeps files in a hidden folder.
func (f *files) knownFolder(dir vault.Path) bool {
	if dir.Base() == ".git" {
		return false
	}
	_, known := f.agent.Layout.RoleOf(string(dir.Join("x.md")))
	return known
}

// inOrder reports whether b comes after a in a walk, where a folder stands at
// its name and its files follow it.
func inOrder(a, b string) bool {
	for {
		x, moreA, inA := strings.Cut(a, "/")
		y, moreB, inB := strings.Cut(b, "/")
		switch {
		case x != y:
			return x < y
		case !inA:
			return inB
		case !inB:
			return false
		}
		a, b = moreA, moreB
	}
}
