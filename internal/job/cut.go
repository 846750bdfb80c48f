package job

import (
	"bytes"
	"fmt"
	"slices"

	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/plan"
)

// cutBuffer takes from the buffer exactly the bytes that receipts cover, whatever was
// added since. What curation has read is archived; what rotation has taken in stands
// in the day's log. The receipts are left again, which is how they end: the same bytes
// written once more are then new. With only, the receipts of other jobs are left alone.
func (d *draft) cutBuffer(job string, only ...string) string {
	doc := d.File(d.Sole(layout.Buffer))
	body := note.ParseBuffer(doc.Data, d.Now.Location()).Body
	var cut, read extents
	var used []plan.Receipt
	for _, r := range d.Facts.Receipts {
		if r.Path != doc.Path || r.From >= r.To || len(only) > 0 && !slices.Contains(only, r.Job) {
			continue
		}
		x, ok := locate(doc.Data, r)
		if !ok || x.from < body {
			continue
		}
		cut = cut.add(x)
		if r.Job != "rotate" {
			read = read.add(x)
		}
		used = append(used, plan.Receipt{Job: job, Path: r.Path, From: r.From, To: r.To, Hash: r.Hash})
	}
	if len(cut) == 0 {
		return ""
	}
	var edits []note.Edit
	size := 0
	for _, x := range cut {
		edits = append(edits, note.Edit{At: x.from, Cut: x.to - x.from})
		size += x.to - x.from
	}
	for _, x := range read {
		if len(bytes.TrimSpace(doc.Data[x.from:x.to])) > 0 {
			d.pl.Archives = append(d.pl.Archives, plan.Archive{
				File: doc.Path, Kind: "buffer", Text: doc.Data[x.from:x.to], Why: "Read by curation, then cut from the buffer.",
			})
		}
	}
	if !d.edit(doc.Path, "cut what was read", edits...) {
		return ""
	}
	d.pl.Receipts = append(d.pl.Receipts, used...)
	where := "they stand in the day's log"
	if len(read) > 0 {
		where = "curation has read them, the archive keeps them"
	}
	return fmt.Sprintf("%s cut by %d bytes: %s", doc.Path, size, where)
}
