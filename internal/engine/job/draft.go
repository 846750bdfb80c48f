package job

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/state/plan"
	"tend/internal/text/note"
)

// draft is a snapshot being changed. Its Input shows the files as they would be
// with all changes so far, so that one job can build on another within one plan.
type draft struct {
	homes
	pl  plan.Plan
	old map[vault.Path]vault.Doc // as the snapshot had them
	why map[vault.Path][]string
}

func newDraft(in Input, job string) *draft {
	return &draft{homes: homes{view{in}}, pl: plan.Plan{Job: job}, old: map[vault.Path]vault.Doc{}, why: map[vault.Path][]string{}}
}

// set replaces a file's text.
func (d *draft) set(p vault.Path, text []byte, why string) {
	doc := d.touch(p, why)
	d.put(vault.Doc{Path: p, Data: text, Version: vault.VersionOf(text), ModTime: d.Now, Mode: doc.Mode, Links: 1})
}

// edit edits a file's text. This package makes edits from the same text, so they fit; if one
// ever does not, the file is left alone and a finding reports it.
func (d *draft) edit(p vault.Path, why string, edits ...note.Edit) bool {
	text, err := note.Apply(d.File(p).Data, edits)
	if err != nil {
		d.find(finding.Internal.In(string(p), "left alone: %v", err))
		return false
	}
	d.set(p, text, why)
	return true
}

// remove removes a file.
func (d *draft) remove(p vault.Path, why string) {
	d.touch(p, why)
	d.put(vault.Doc{Path: p, Version: vault.Absent})
}

func (d *draft) touch(p vault.Path, why string) vault.Doc {
	doc := d.File(p)
	if len(d.old) == 0 {
		d.Input = d.With()
	}
	if _, ok := d.old[p]; !ok {
		d.old[p] = doc
	}
	if why != "" && !slices.Contains(d.why[p], why) {
		d.why[p] = append(d.why[p], why)
	}
	return doc
}

func (d *draft) find(f ...finding.Finding) { d.pl.Findings = append(d.pl.Findings, f...) }

// promoted records promotions, so that later parts of the same plan know them.
func (d *draft) promoted(s ...plan.Source) {
	d.pl.Sources = append(d.pl.Sources, s...)
	past := slices.Clone(d.Facts.Remembered.Promoted)
	for _, x := range s {
		past.AddSource(x)
	}
	d.Facts.Remembered.Promoted = past
}

// consume adds receipts.
func (d *draft) consume(r ...plan.Receipt) {
	d.pl.Receipts = append(d.pl.Receipts, r...)
	d.Facts.Receipts = append(slices.Clone(r), d.Facts.Receipts...)
}

// changed reports whether any file has changed.
func (d *draft) changed() bool {
	for p, was := range d.old {
		if now := d.File(p); now.Version != was.Version {
			return true
		}
	}
	return false
}

// plan lists the changes in an order in which an interrupted action loses no text: additions
// first, then cuts, then removals of files.
func (d *draft) plan() plan.Plan {
	pl := d.pl
	pl.Changes = nil
	for _, p := range slices.Sorted(maps.Keys(d.old)) {
		was, now := d.old[p], d.File(p)
		if was.Version == now.Version {
			continue
		}
		c := plan.Change{
			Path: p, Op: plan.Write, Before: was.Version, Old: was.Data, New: now.Data, Why: strings.Join(d.why[p], "; "),
		}
		switch {
		case now.Version == vault.Absent:
			c.Op, c.New = plan.Remove, nil
		case was.Version != vault.Absent && len(was.Data) > 0 && bytes.HasPrefix(now.Data, was.Data):
			// A true append: text that the agent adds at the same moment stays.
			c.Op, c.New = plan.Append, now.Data[len(was.Data):]
		}
		pl.Changes = append(pl.Changes, c)
	}
	slices.SortStableFunc(pl.Changes, func(a, b plan.Change) int { return takes(a) - takes(b) })
	return pl
}

func takes(c plan.Change) int {
	switch {
	case c.Op == plan.Remove:
		return 2
	case c.Op == plan.Write && note.Trim(c.Old, c.New).Cut > 0:
		return 1
	}
	return 0
}
