package job

import (
	"bytes"
	"maps"
	"slices"

	"tend/internal/plan"
	"tend/internal/vault"
)

// After is an input as it would be with a plan applied, so that a dry run of several jobs shows what the later ones
// would do.
func After(in Input, pl plan.Plan) Input {
	in.Files = maps.Clone(in.Files)
	for _, c := range pl.Changes {
		text := c.New
		switch c.Op {
		case plan.Remove:
			delete(in.Files, c.Path)
			continue
		case plan.Append:
			text = append(bytes.Clone(c.Old), c.New...)
		}
		doc := in.Files[c.Path]
		in.Files[c.Path] = vault.Doc{Path: c.Path, Data: text, Version: vault.VersionOf(text), ModTime: in.Now, Mode: doc.Mode, Links: 1}
	}
	in.Facts.Receipts = append(slices.Clone(pl.Receipts), in.Facts.Receipts...)
	in.Facts.Past.Promoted = slices.Clone(in.Facts.Past.Promoted)
	for _, s := range pl.Sources {
		in.Facts.Past.Promoted.Add(MarkOf(s.Entry))
		if s.Was != "" {
			in.Facts.Past.Promoted.Add(MarkOf(s.Was))
		}
	}
	return in.Indexed()
}
