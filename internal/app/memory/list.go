package memory

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"time"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/model/policy"
)

// ListRequest asks for a page of the file list.
type ListRequest struct {
	Folder string `json:"folder,omitempty"`                                  // only what is below it, "" for all
	After  string `json:"after,omitempty" jsonschema:"from the page before"` // the last path of the previous page
	Limit  int    `json:"-"`                                                 // 0 is list.page
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
	Next   string     `json:"next,omitempty"` // After for the next page, "" if this is the last
}

// List returns the files of the memory, page by page. Hidden files and folders are not memory.
func (r *Reader) List(ctx context.Context, q ListRequest) (Page, error) {
	var page Page
	if folder := strings.Trim(q.Folder, "/"); folder != "" && folder != "." {
		p, err := r.files.Name(folder)
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
	err := r.files.Walk(ctx, page.Folder, q.After, func(i vault.Info) bool {
		if len(page.Files) == limit {
			page.Next = string(page.Files[limit-1].Path)
			return false
		}
		role, _ := r.agent.Layout.RoleOf(string(i.Path))
		page.Files = append(page.Files, Listed{Path: i.Path, Size: i.Size, ModTime: i.ModTime, Role: string(role)})
		return true
	})
	if errors.Is(err, vault.ErrAbsent) && page.Folder != "" {
		err = toolerr.New(toolerr.NotFound, "Folder %s does not exist.", page.Folder).Try("memory_list without a folder shows all files.")
	}
	if errors.Is(err, syscall.ENOTDIR) {
		err = toolerr.New(toolerr.BadPath, "%s is a file, not a folder.", page.Folder).Try("memory_read shows it.")
	}
	if err != nil {
		return page, r.fail("list", "list", page.Folder, err)
	}
	return page, nil
}

// Short returns the shortest name for a file.
func (r *Reader) Short(p vault.Path) string { return r.files.Short(p) }

// Names lists the top level of the memory, folders too; ok is false if the folder is missing.
func (r *Reader) Names(ctx context.Context) (names []string, ok bool, err error) {
	infos, err := r.agent.Vault.List(ctx, vault.Path(r.agent.Layout.Reach))
	if err != nil {
		if e := toolerr.Translate("list", vault.Path(r.agent.Layout.Reach), err); e.Code == toolerr.NotFound {
			return nil, false, nil
		}
		return nil, false, r.fail("list", "list", "", err)
	}
	for _, i := range infos {
		if !i.Special && r.files.Visible(i, 0) {
			names = append(names, i.Path.Base())
		}
	}
	return names, true, nil
}
