package workcopy

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/sync/journal"
	"tend/internal/text/note"
)

// localSections returns the headings of a file's sections that stay here.
func (p Paths) localSections(f vault.Path) []string {
	if p.Sections == nil {
		return nil
	}
	return p.Sections(f)
}

// withoutLocal returns a file's text without what stays on this machine; nil if nothing remains.
func (p Paths) withoutLocal(f vault.Path, text []byte) []byte {
	titles := p.localSections(f)
	if len(titles) == 0 {
		return text
	}
	rest := notNil(note.Without(text, titles))
	if len(bytes.TrimSpace(rest)) == 0 && len(rest) < len(text) {
		return nil
	}
	return rest
}

// withLocal returns a text of the journal with the local sections of the file that is here.
func (p Paths) withLocal(f vault.Path, text, here []byte) ([]byte, error) {
	titles := p.localSections(f)
	if len(titles) == 0 || here == nil {
		return text, nil
	}
	out, ok := note.With(text, here, titles)
	if !ok {
		return nil, fmt.Errorf("%s: the section that stays on this machine (%s) cannot be put back; does another machine share one "+
			"of that name? %w", f, strings.Join(titles, ", "), vault.ErrRefused)
	}
	if text == nil && len(out) == 0 {
		return nil, nil
	}
	return out, nil
}

// isLocal reports whether a text of a file stays on this machine.
func (p Paths) isLocal(f vault.Path, text []byte) bool {
	if p.Local != nil && p.Local(f) {
		return true
	}
	titles := p.localSections(f)
	return len(titles) > 0 && len(note.Without(text, titles)) < len(text)
}

// hideLocalTrash removes from the list what Tend keeps of local files and sections, unless the journal already has it.
func (p Paths) hideLocalTrash(out map[string]fsys.Info, known map[string]syncedFile) error {
	if !p.HasLocal {
		return nil
	}
	files, err := p.trashFiles(out)
	if err != nil {
		return err
	}
	for name := range out {
		if _, old := known[name]; old {
			continue
		}
		area, rest, _ := strings.Cut(name, "/")
		if area != journal.Trash && area != journal.Archive {
			continue
		}
		text, err := p.read(context.Background(), name)
		if err != nil {
			return err
		}
		file, ok := files[rest]
		if area == journal.Archive {
			file, ok = archivedFile(text)
		}
		if ok && p.isLocal(file, text) {
			delete(out, name)
		}
	}
	return nil
}

// trashFiles returns which file of the workspace each name in the trash belongs to.
func (p Paths) trashFiles(out map[string]fsys.Info) (map[string]vault.Path, error) {
	files := map[string]vault.Path{}
	months, err := p.readMonths(out)
	for _, text := range months {
		maps.Copy(files, ledger.TrashFiles(text))
	}
	return files, err
}

// ownAction reports whether an action concerns only this machine: it pulled, or changed only files that stay here. The
// record of a pull may quote a section that stays.
func (p Paths) ownAction(r ledger.Record) bool {
	if r.Pulled() {
		return true
	}
	return p.Local != nil && len(r.Files) > 0 && !slices.ContainsFunc(r.Files, func(f ledger.File) bool { return !p.Local(f.Path) })
}

// shareLedger replaces the ledger among the local files by what other machines may have of it: what the journal has,
// and the actions here that do not only concern this machine.
func (c *Copy) shareLedger(ctx context.Context, s *Saved, base func(string) ([]byte, error), all map[string]localFile) error {
	was, now, err := c.ledgerMonths(ctx, s, base)
	if err != nil {
		return err
	}
	rest, dropped, err := ledger.Without(now, c.ownAction)
	if err != nil || !dropped {
		return err
	}
	if rest, err = ledger.Merge(rest, was); err != nil {
		return err
	}
	for month := range now {
		delete(all, journal.Ledger+"/"+month)
	}
	for month, text := range rest {
		all[journal.Ledger+"/"+month] = localFile{version: vault.VersionOf(text), size: int64(len(text)), text: text}
	}
	return nil
}

// archivedFile returns the file of an archive, by its heading.
func archivedFile(text []byte) (vault.Path, bool) {
	head := text[:min(len(text), 2<<10)]
	i := bytes.Index(head, []byte(" file=\""))
	if i < 0 {
		return "", false
	}
	quoted, err := strconv.QuotedPrefix(string(head[i+len(" file="):]))
	if err != nil {
		return "", false
	}
	name, err := strconv.Unquote(quoted)
	return vault.Path(name), err == nil
}
