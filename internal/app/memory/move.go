package memory

import (
	"context"
	"errors"
	"strings"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/runner"
	"tend/internal/state/plan"
)

// mostMoved bounds how many files one call moves or deletes.
const mostMoved = 1000

// MoveRequest renames a file, or all files of a folder.
type MoveRequest struct {
	From string `json:"from"`
	To   string `json:"to"`
	If   string `json:"if_version,omitempty"` // of the file
}

// Move renames a file or a folder. The new name must be free.
func (w *Writer) Move(ctx context.Context, r MoveRequest) (Receipt, error) {
	from, err := w.files.Name(r.From)
	if err != nil {
		return Receipt{}, w.fail("move", "move", "", err)
	}
	to, err := w.files.Name(r.To)
	if err != nil {
		return Receipt{}, w.fail("move", "move", from, err)
	}
	rec, err := w.takeAway(ctx, "move", func() (Receipt, []plan.Change, error) { return w.planMove(ctx, from, to, r.If) })
	if err != nil {
		return Receipt{}, w.fail("move", "move", from, err)
	}
	w.agent.Vault.Prune(ctx, from)
	return rec, nil
}

// planMove plans a move. Only the receipt of a single file has a version and a cut; of several, warnings name each cut.
func (w *Writer) planMove(ctx context.Context, from, to vault.Path, ifVersion string) (Receipt, []plan.Change, error) {
	rec := Receipt{Path: to, From: from, Outcome: Moved}
	docs, err := w.targetsOf(ctx, from, ifVersion)
	if err != nil {
		return rec, nil, err
	}
	if from == to || strings.HasPrefix(string(to), string(from)+"/") {
		return rec, nil, toolerr.New(toolerr.BadInput, "%s cannot be moved to %s.", from, to)
	}
	if err := w.mustBeFree(ctx, to); err != nil {
		return rec, nil, err
	}
	// Additions come first and removals last: an interrupted move leaves two copies, never none.
	var add, remove []plan.Change
	for _, doc := range docs {
		dest := vault.Path(string(to) + strings.TrimPrefix(string(doc.Path), string(from)))
		at, err := w.files.Load(ctx, dest)
		if err == nil && at.Version != vault.Absent {
			err = takenError(dest)
		}
		if err != nil {
			return rec, nil, err
		}
		made, err := w.gate.checkAllowed(ctx, vault.Doc{Path: dest}, doc.Data, doc.Data)
		if err != nil {
			return rec, nil, err
		}
		rec.Bytes, rec.Lines = rec.Bytes+made.Bytes, rec.Lines+made.Lines
		switch {
		case len(docs) == 1:
			rec.Cut, rec.Version = made.Cut, made.Version
		case made.Cut != nil:
			rec.Warnings = append(rec.Warnings, string(dest)+": "+made.Cut.String())
		}
		add = append(add, plan.Change{Path: dest, Op: plan.Write, New: doc.Data, Why: "moved from " + string(doc.Path)})
		remove = append(remove, plan.Change{Path: doc.Path, Op: plan.Remove, Before: doc.Version, Old: doc.Data, Why: "moved to " + string(dest)})
	}
	return rec, append(add, remove...), nil
}

func takenError(p vault.Path) error {
	return toolerr.New(toolerr.Exists, "%s already exists.", p).Try("Choose another name, or delete it first.")
}

// mustBeFree refuses a name that is a file's or that of a folder with files, and one that cannot be looked at.
func (w *Writer) mustBeFree(ctx context.Context, p vault.Path) error {
	found, err := w.hasFiles(ctx, p)
	if found {
		return takenError(p)
	}
	return err
}

// DeleteRequest names a file, or a folder with all its files.
type DeleteRequest struct {
	Path string `json:"filename"`
	If   string `json:"if_version,omitempty"` // of the file
}

// Delete moves a file, or all files of a folder, to the trash.
func (w *Writer) Delete(ctx context.Context, r DeleteRequest) (Receipt, error) {
	p, err := w.files.Name(r.Path)
	if err != nil {
		return Receipt{}, w.fail("delete", "delete", "", err)
	}
	if w.removeEmpty(ctx, p) {
		return Receipt{Path: p, Outcome: Deleted, empty: true}, nil
	}
	rec, err := w.takeAway(ctx, "delete", func() (Receipt, []plan.Change, error) { return w.planDelete(ctx, p, r.If) })
	if err != nil {
		return Receipt{}, w.fail("delete", "delete", p, err)
	}
	w.agent.Vault.Prune(ctx, p) // an empty folder would keep its name from being used
	return rec, nil
}

// removeEmpty removes a folder without files, which needs no record. It reports whether there was one.
func (w *Writer) removeEmpty(ctx context.Context, p vault.Path) bool {
	if found, err := w.hasFiles(ctx, p); found || err != nil || !w.files.Folder(ctx, p) {
		return false
	}
	if errors.Join(w.files.NotRoot(p), w.files.MayChange(ctx, p)) != nil {
		return false
	}
	w.agent.Vault.Prune(ctx, p)
	return !w.files.Folder(ctx, p)
}

// planDelete plans a deletion.
func (w *Writer) planDelete(ctx context.Context, p vault.Path, ifVersion string) (Receipt, []plan.Change, error) {
	rec := Receipt{Path: p, Outcome: Deleted}
	docs, err := w.targetsOf(ctx, p, ifVersion)
	if err != nil {
		return rec, nil, err
	}
	var changes []plan.Change
	for _, doc := range docs {
		rec.Bytes += len(doc.Data)
		changes = append(changes, plan.Change{Path: doc.Path, Op: plan.Remove, Before: doc.Version, Old: doc.Data})
	}
	return rec, changes, nil
}

// targetsOf returns the files that are to be moved or deleted: one, or those of a folder. It refuses all of them if one may not
// be taken away.
func (w *Writer) targetsOf(ctx context.Context, p vault.Path, ifVersion string) ([]vault.Doc, error) {
	if err := w.files.NotRoot(p); err != nil {
		return nil, err
	}
	docs, folder, err := w.filesAt(ctx, p)
	if err != nil {
		return nil, err
	}
	if folder && ifVersion != "" {
		return nil, toolerr.New(toolerr.BadInput, "%s is a folder, and folders have no version.", p)
	}
	for _, d := range docs {
		if err := errors.Join(w.files.MayChange(ctx, d.Path), w.files.NoLink(ctx, d.Path), atVersion(d, ifVersion)); err != nil {
			return nil, err
		}
		if err := w.gate.mayRemove(ctx, d); err != nil {
			return nil, err
		}
	}
	return docs, nil
}

// filesAt reads a file, or all files below a folder. If a name is neither, the error of reading it as a file says more than
// the one of listing it as a folder.
func (w *Writer) filesAt(ctx context.Context, p vault.Path) (docs []vault.Doc, folder bool, err error) {
	doc, err := w.files.Load(ctx, p)
	if err == nil && doc.Version != vault.Absent {
		return []vault.Doc{doc}, false, nil
	}
	var paths []vault.Path
	listErr := w.files.Walk(ctx, p, "", func(i vault.Info) bool {
		paths = append(paths, i.Path)
		return len(paths) <= mostMoved
	})
	switch {
	case listErr != nil && err != nil:
		return nil, false, err
	case listErr != nil:
		return nil, false, w.files.Missing(ctx, p)
	case len(paths) == 0:
		return nil, true, toolerr.New(toolerr.NotFound, "%s is a folder without memory files.", p).Try("Leave it, or write a file into it.")
	case len(paths) > mostMoved:
		return nil, true, toolerr.New(toolerr.TooLarge, "%s has more than %d files.", p, mostMoved).Try("Take one folder at a time.")
	}
	for _, q := range paths {
		d, err := w.files.Load(ctx, q)
		if err != nil {
			return nil, true, err
		}
		docs = append(docs, d)
	}
	return docs, true, nil
}

// hasFiles reports whether there is a file at or below a path.
func (w *Writer) hasFiles(ctx context.Context, p vault.Path) (found bool, err error) {
	doc, err := w.files.Load(ctx, p)
	if err == nil && doc.Version != vault.Absent {
		return true, nil
	}
	listErr := w.files.Walk(ctx, p, "", func(vault.Info) bool { found = true; return false })
	switch {
	case found || listErr == nil:
		return found, nil
	case err == nil && errors.Is(listErr, vault.ErrAbsent):
		return false, nil
	case err == nil:
		err = listErr
	}
	return false, err
}

// takeAway carries out changes that remove files; changes computes them from the present files.
func (w *Writer) takeAway(ctx context.Context, call string, changes func() (Receipt, []plan.Change, error)) (rec Receipt, err error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	res, err := runner.Run(ctx, w.agent, runner.Request{
		Options: runner.Options{Who: w.who}, Job: "memory_" + call,
		Read: func(context.Context) (fleet.Snapshot, error) {
			return fleet.Snapshot{Input: w.agent.Files.Empty()}, nil
		},
		Plan: func(job.Input) (pl plan.Plan, err error) {
			rec, pl.Changes, err = changes()
			pl.Summary = rec.summary()
			return pl, err
		},
	})
	if err != nil {
		return rec, err
	}
	rec.Action = res.Action
	for _, f := range res.Did.Files {
		if f.Skipped {
			rec.Warnings = append(rec.Warnings, string(f.Path)+" was written to at that moment and stays where it is.")
		}
	}
	for _, f := range res.Findings {
		rec.Warnings = append(rec.Warnings, f.Text)
	}
	return rec, nil
}
