package job

import (
	"tend/internal/disk/vault"
	"tend/internal/text/claim"
	"tend/internal/text/note"
)

// Hand is an undated entry: somebody wrote it by hand.
type Hand struct {
	Path vault.Path
	Raw  string
}

// longestHand is the size above which a file's entries are not recorded: nobody keeps such a file by hand.
const longestHand = 64 << 10

// HandWritten lists the entries of long-term memory that somebody wrote by hand.
func HandWritten(in Input) []Hand {
	v := view{in}
	var out []Hand
	for _, doc := range in.Of(longTerm()...) {
		if v.formerly(doc.Path) || len(doc.Data) > longestHand {
			continue
		}
		d := in.Parse(doc)
		for _, e := range d.Entries(0) {
			if !dated(e) && !elsewhere(d, e) {
				out = append(out, Hand{doc.Path, string(e.Raw)})
			}
		}
	}
	return out
}

// handEdit is an entry that was written by hand since the last night, and the one it replaced, if any.
type handEdit struct {
	path     vault.Path
	text     string
	was, now claim.Statement
}

// handEdits compares the entries written by hand now with those of last night. An entry that only moved is not an edit.
func (in view) handEdits() []handEdit {
	if len(in.Facts.Past.Hand) == 0 {
		return nil // nothing is known of last night
	}
	before, now := map[string]bool{}, map[string]bool{}
	for _, h := range in.Facts.Past.Hand {
		before[note.Normal(h.Raw)] = true
	}
	list := HandWritten(in.Input)
	for _, h := range list {
		now[note.Normal(h.Raw)] = true
	}
	var out []handEdit
	for _, h := range list {
		normal := note.Normal(h.Raw)
		if before[normal] || in.Facts.Past.Promoted.Has(MarkOf(normal)) {
			continue
		}
		edit := handEdit{path: h.Path, now: in.handSaid(h)}
		edit.text = edit.now.Text
		most := 0
		for _, o := range in.Facts.Past.Hand {
			if o.Path != h.Path || now[note.Normal(o.Raw)] {
				continue
			}
			was := in.handSaid(o)
			if n := len(claim.Shared(was, edit.now)); n > most {
				most, edit.was = n, was
			}
		}
		out = append(out, edit)
	}
	return out
}

func (in view) handSaid(h Hand) claim.Statement {
	list := in.Syntax(h.Path).Parse([]byte(h.Raw)).Entries(0)
	if len(list) == 0 {
		return claim.Statement{}
	}
	return claim.Read(list[0].Text(), in.Today())
}

// edits retires older entries of memory that a hand-written one replaces. The owner's line is there already, so nothing is
// written in their place.
func (p *promotion) edits(list []handEdit) {
	for _, edit := range list {
		for _, h := range p.memory.near(edit.was.Text + " " + edit.text) {
			own := h.hand && !p.Facts.Past.Promoted.Has(MarkOf(h.Normal())) // by hand, and no value of ours in it
			if own || !h.open || h.day > p.Today() || h.Text() == edit.text || claim.Same(edit.now, h.said()) {
				continue
			}
			why := claim.Revised(edit.was, edit.now, h.said())
			if why == "" {
				continue
			}
			instead := ""
			if _, more := carried(h, edit.now); more != "" {
				if instead = replaced(h, edit.now); instead == "" {
					continue // it says more that is still true
				}
			}
			if p.retire(h, edit.text, p.Today(), why, instead) {
				p.memory.remove(h)
			}
		}
	}
}
