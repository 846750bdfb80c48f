package memory

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"

	"tend/internal/app/memory/scope"
	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/engine/runner"
	"tend/internal/state/ledger"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// zone is the operator's part of a file.
type zone struct {
	file     vault.Path // the caller's name for it
	baseline []byte
	sep      string
	instead  string // where the agent may write
}

// zoneOf finds the approved baseline that covers a file: by its name, and by its text, since links and folders can
// give one file many names. Later writes only ever replace the text seen here, so a swap in between cannot get past
// this check.
func (g *gate) zoneOf(ctx context.Context, doc vault.Doc) (*zone, error) {
	z := &zone{file: doc.Path, instead: g.whereInstead()}
	texts, err := g.agent.Baselines.Approved()
	if err != nil {
		g.log.Warn("approved baseline cannot be read", "agent", g.agent.Name, "error", err)
		for _, b := range g.agent.Agent.Baselines {
			if scope.Fold(b.File) == scope.Fold(string(doc.Path)) {
				return nil, toolerr.New(toolerr.Operators, "%s has an operator's baseline, which cannot be read now.", doc.Path).
					Try("Write to %s instead, and tell the operator.", z.instead)
			}
		}
		return nil, nil
	}
	for _, b := range g.agent.Agent.Baselines { // in the configuration's order
		text, approved := texts[vault.Path(b.File)]
		named := scope.Fold(b.File) == scope.Fold(string(doc.Path))
		if !approved || doc.Version == vault.Absent && !named {
			continue
		}
		if named || g.isGuardedText(ctx, doc, vault.Path(b.File), text) {
			z.baseline, z.sep = text, g.agent.LineOf(b.File, text)
			return z, nil
		}
	}
	return nil, nil
}

// isGuardedText reports whether a file under another name is the guarded one, or a copy of it.
func (g *gate) isGuardedText(ctx context.Context, doc vault.Doc, file vault.Path, baseline []byte) bool {
	if z := note.Split(doc.Data, baseline, g.agent.LineOf(string(file), baseline)); z.Equal || z.Marked && !z.Drift {
		return true
	}
	if len(doc.Data) == 0 {
		return false
	}
	now, err := g.agent.Vault.Read(ctx, file)
	return err == nil && now.Version == doc.Version
}

// lostGuarded lists the guarded files that are missing.
func (g *gate) lostGuarded(ctx context.Context) ([]vault.Path, error) {
	texts, err := g.agent.Baselines.Approved()
	if err != nil {
		return nil, err
	}
	var out []vault.Path
	for _, p := range slices.Sorted(maps.Keys(texts)) {
		_, err := g.agent.Vault.Read(ctx, p)
		if errors.Is(err, vault.ErrAbsent) {
			out = append(out, p)
		} else if err != nil && !errors.Is(err, vault.ErrRefused) {
			return nil, err
		}
	}
	return out, nil
}

// mayAppear refuses a new file that might, through a linked folder, be a missing guarded one.
func mayAppear(p vault.Path, lost []vault.Path) error {
	for _, file := range lost {
		if p != file && scope.Fold(p.Base()) == scope.Fold(file.Base()) {
			return toolerr.New(toolerr.Operators, "%s cannot be created while %s, which belongs to the operator, is missing.", p, file).
				Try("Use another name, and tell the operator.")
		}
	}
	return nil
}

// undoIfGuarded removes a new file that turned out to be a guarded one: a dead link to it was put in place at the moment
// the file was created.
func (w *Writer) undoIfGuarded(ctx context.Context, p vault.Path, lost []vault.Path, did ledger.Action) error {
	for _, file := range lost {
		doc, err := w.agent.Vault.Read(ctx, file)
		if p == file || err != nil || len(did.Files) == 0 || doc.Version != did.Files[0].After {
			continue
		}
		if _, err := runner.Undo(ctx, w.agent, did, false,
			runner.Options{Who: "tend", Reason: "it was a link to " + string(file), AcceptUnload: true}); err != nil {
			return err
		}
		return toolerr.New(toolerr.Unsafe, "%s was a link to %s, which belongs to the operator.", p, file)
	}
	return nil
}

// whereInstead returns where an agent is free to write.
func (g *gate) whereInstead() string {
	l := g.agent.Layout
	for _, r := range []layout.Role{layout.Daily, layout.Buffer} {
		if p := l.Path(r, note.DayOf(g.agent.Now(), g.agent.Location).String()); p != "" {
			return p
		}
	}
	return "a file of your own"
}

// allows decides whether a text may replace another: the operator's part must stay unchanged, to the byte, and the
// line must stay where it is.
func (z *zone) allows(before vault.Doc, after []byte) error {
	if before.Version == vault.Absent {
		if now := note.Split(after, z.baseline, z.sep); now.Equal || now.Marked && !now.Drift {
			return nil
		}
		return toolerr.New(toolerr.Operators, "%s begins with the operator's text, and is missing.", z.file).
			Try("Write to %s instead; the next reset restores %s.", z.instead, z.file)
	}
	end, drift, ok := z.operatorPart(before.Data)
	switch {
	case end == 0 && ok:
		return toolerr.New(toolerr.Operators, "%s belongs to the operator.", z.file).
			Try("Write to %s instead; memory_propose asks for a change.", z.instead)
	case !ok:
		return toolerr.New(toolerr.Operators, "%s has lost the line that separates the operator's text from yours.", z.file).
			Try("Write to %s instead, and tell the operator.", z.instead)
	}
	head := bytes.TrimRight(before.Data[:end], " \t\r\n")
	now := note.Split(after, z.baseline, z.sep)
	same := bytes.HasPrefix(after, head) && blankLine(after[len(head):]) &&
		(now.Equal || now.Marked && now.Drift == drift && now.Line() == lines(head))
	if same {
		return nil
	}
	return z.errorAt(lines(head))
}

// untouchableError is the error for changes that would remove the operator's part.
func (z *zone) untouchableError(doc vault.Doc) error {
	end, _, ok := z.operatorPart(doc.Data)
	if !ok || end == 0 {
		return toolerr.New(toolerr.Operators, "%s belongs to the operator.", z.file).Try("Write to %s instead.", z.instead)
	}
	return z.errorAt(lines(bytes.TrimRight(doc.Data[:end], " \t\r\n")))
}

func (z *zone) errorAt(line int) error {
	return toolerr.New(toolerr.Operators, "Lines 1 to %[2]d of %[1]s belong to the operator and cannot be changed.", z.file, line).
		Try("Write below line %d (memory_append adds there) or to %s; memory_propose asks for a change.", line, z.instead)
}

// operatorPart returns where the operator's part of a text ends, including the line: 0 if all of it is the operator's. ok is
// false if there is no line.
func (z *zone) operatorPart(text []byte) (end int, drift, ok bool) {
	_, cut, marked := note.FindLine(z.baseline, z.sep)
	if !marked {
		return 0, false, true
	}
	s := note.Split(text, z.baseline, z.sep)
	switch {
	case s.Equal:
		return cut, false, true
	case s.Marked:
		return s.Cut, s.Drift, true
	}
	return 0, false, false
}

// blankLine reports whether the rest of the line is blank.
func blankLine(b []byte) bool {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return len(bytes.TrimSpace(line)) == 0
}

func lines(text []byte) int { return note.Lines(text) }
