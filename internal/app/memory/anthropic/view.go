package anthropic

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tend/internal/app/memory"
	"tend/internal/app/memory/toolerr"
)

const (
	maxLines  = 999_999
	viewChars = 16_000 // of a file, without a range
	viewNames = 1_000  // in a folder
	viewDepth = 2
)

func runView(ctx context.Context, m *memory.Service, c Command) (string, error) {
	rel, err := belowRoot(c.Path)
	if err != nil {
		return "", err
	}
	if rel != "" {
		from, to, err := viewRange(c.ViewRange)
		if err != nil {
			return "", err
		}
		t, err := m.Reader.Read(ctx, memory.ReadRequest{Path: rel, From: from, To: to})
		switch {
		case err == nil:
			return viewFile(withRoot(rel), t, from != 0)
		case causeOf(err) == toolerr.BadRange:
			return "", problemf("Invalid `view_range` parameter: %v. %s", c.ViewRange, sentenceOf(err))
		case causeOf(err) != toolerr.NotFound && causeOf(err) != toolerr.BadPath && causeOf(err) != toolerr.Unsafe:
			return "", otherError(withRoot(rel), err)
		case causeOf(err) == toolerr.Unsafe && !isFolder(ctx, m, rel):
			return "", otherError(withRoot(rel), err)
		}
	}
	return viewFolder(ctx, m, rel)
}

// sentenceOf returns the text of an error without its code.
func sentenceOf(err error) string {
	_, text, ok := strings.Cut(err.Error(), "] ")
	if !ok {
		return err.Error()
	}
	return text
}

func viewRange(r []int) (from, to int, err error) {
	switch {
	case len(r) == 0:
		return 0, 0, nil
	case len(r) != 2 || r[0] < 1 || r[1] < r[0] && r[1] != -1:
		return 0, 0, problemf("Invalid `view_range` parameter: %v. It should be two numbers: the first line, from 1, and "+
			"the last, or -1 for the end.", r)
	}
	return r[0], r[1], nil
}

func viewFile(path string, t memory.Text, ranged bool) (string, error) {
	if t.Lines > maxLines {
		return "", problemf("File %s exceeds maximum line limit of 999,999 lines.", path)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Here's the content of %s with line numbers:", path)
	n, room := t.From, viewChars
	for line := range strings.Lines(t.Text) {
		line = strings.TrimRight(line, "\r\n")
		if room -= utf8.RuneCountInString(line) + 8; room < 0 && !ranged && n > t.From {
			fmt.Fprintf(&b, "\n[truncated: lines %d to %d of %d are not shown; use view_range to see them]", n, t.To, t.Lines)
			break
		}
		fmt.Fprintf(&b, "\n%6d\t%s", n, line)
		n++
	}
	return b.String(), nil
}

// item is a file or folder with its size.
type item struct {
	path string
	size int64
	dir  bool
}

// viewFolder lists two levels. Folders without files are left out.
func viewFolder(ctx context.Context, m *memory.Service, rel string) (string, error) {
	total := int64(0)
	found := map[string]*item{}
	r := memory.ListRequest{Folder: rel}
	for {
		page, err := m.Reader.List(ctx, r)
		switch {
		case err == nil:
		case causeOf(err) == toolerr.NotFound || causeOf(err) == toolerr.BadPath || causeOf(err) == toolerr.Unsafe:
			return "", missingError(withRoot(rel))
		default:
			return "", otherError(withRoot(rel), err)
		}
		for _, f := range page.Files {
			total += f.Size
			below := m.Reader.Short(f.Path)
			if page.Folder != "" {
				below = strings.TrimPrefix(strings.TrimPrefix(string(f.Path), string(page.Folder)), "/")
			}
			parts := strings.Split(below, "/")
			for depth := 1; depth <= min(len(parts), viewDepth); depth++ {
				name := strings.Join(parts[:depth], "/")
				it := found[name]
				if it == nil {
					it = &item{path: name, dir: depth < len(parts)}
					found[name] = it
				}
				it.size += f.Size
			}
		}
		if r.After = page.Next; page.Next == "" {
			break
		}
	}
	if rel != "" && len(found) == 0 {
		return "", missingError(withRoot(rel))
	}
	items := slices.SortedFunc(maps.Values(found), func(a, b *item) int { return cmp.Compare(a.path, b.path) })
	var b strings.Builder
	fmt.Fprintf(&b, "Here're the files and directories up to 2 levels deep in %s, excluding hidden items and node_modules:\n%s\t%s",
		withRoot(rel), humanSize(total), withRoot(rel))
	for i, it := range items {
		if i == viewNames {
			fmt.Fprintf(&b, "\n[%d more are not shown; view a directory below for them]", len(items)-i)
			break
		}
		name := withRoot(strings.TrimPrefix(rel+"/"+it.path, "/"))
		if it.dir {
			name += "/"
		}
		fmt.Fprintf(&b, "\n%s\t%s", humanSize(it.size), name)
	}
	return b.String(), nil
}

func missingError(path string) error {
	return problemf("The path %s does not exist. Please provide a valid path.", path)
}

func isFolder(ctx context.Context, m *memory.Service, rel string) bool {
	_, err := m.Reader.List(ctx, memory.ListRequest{Folder: rel, Limit: 1})
	return err == nil
}

// humanSize formats a size as 0B, 512B, 1.5K or 2M.
func humanSize(n int64) string {
	f, unit := float64(n), "B"
	for _, u := range []string{"K", "M", "G", "T"} {
		if f < 1024 {
			break
		}
		f, unit = f/1024, u
	}
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0") + unit
}
