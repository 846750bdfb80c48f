package index

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"

	"tend/internal/engine/past"
	"tend/internal/model/policy"
	"tend/internal/text/note"
	"tend/internal/text/search"
)

// pastIndex says how much of the past is in the index.
type pastIndex struct {
	texts  map[string]bool   // references that were looked at
	newest string            // id of the last action included
	bodies map[[16]byte]bool // texts already included
}

// MostPast bounds how far back displaced texts are searched.
const MostPast = 2000

// AddPast adds to the index what is kept outside the workspace: archives, trash, packs of what left the trash, files that
// actions replaced, and observed edits. It adds archives whole, and of the rest only text that the index does not have:
// most of a file is the same as before.
func (x *Index) AddPast(ctx context.Context, words *search.Index) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := &x.past
	if p.texts == nil {
		p.texts, p.bodies = map[string]bool{}, map[[16]byte]bool{}
	}
	there := map[string]bool{}
	take := func(tier search.Tier) func(past.StoredText, error) error {
		return func(k past.StoredText, err error) error {
			there[k.Ref] = true
			switch {
			case p.texts[k.Ref]:
				return nil
			case err != nil:
				words.Fail(k.Ref, "cannot be read")
				return nil
			case len(k.Data) > policy.FileMaxBytes.Of(x.agent.Policy):
				return nil
			}
			p.texts[k.Ref] = true
			doc := search.Markdown(k.Ref, tier, note.DayOf(k.At, x.agent.Location), x.syntaxOf(k.File), k.Data)
			if fresh := p.takeNew(doc.Units); tier != search.Archive {
				doc.Units = fresh
			}
			if len(doc.Units) > 0 {
				words.Put(doc)
			}
			return nil
		}
	}
	kept := past.Open(x.agent)
	if err := kept.Archived(ctx, take(search.Archive)); err != nil {
		return err
	}
	for ref := range p.texts { // retention removes archives
		if !there[ref] && strings.HasPrefix(ref, archivePrefix) {
			words.Remove(ref)
			delete(p.texts, ref)
		}
	}
	newest, err := kept.Displaced(ctx, p.newest, MostPast, take(search.History))
	if p.newest = newest; err != nil {
		return err
	}
	return errors.Join(kept.Thrown(ctx, take(search.History)), kept.Observed(ctx, take(search.History)))
}

// archivePrefix begins the names of archives in search results.
const archivePrefix = "archive:"

// takeNew returns the units that were not seen before, and remembers them.
func (p *pastIndex) takeNew(units []search.Unit) []search.Unit {
	var out []search.Unit
	for _, u := range units {
		h := sha256.Sum256([]byte(u.Body))
		key := [16]byte(h[:16])
		if !p.bodies[key] {
			p.bodies[key] = true
			out = append(out, u)
		}
	}
	return out
}

// PastText reads a kept text by its name in a search result; ok is false for a file of the workspace.
func (x *Index) PastText(path string) (text string, ok bool, err error) {
	k, ok, err := past.Open(x.agent).Find(path)
	return string(k.Data), ok, err
}
