package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/note"
)

// Cut is what the harness does not show of a file.
type Cut struct {
	Harness string `json:"harness"`
	Lost    int    `json:"lost"` // in Unit
	Size    int    `json:"size"`
	Limit   int    `json:"limit,omitempty"`
	Unit    string `json:"unit"`
	Lines   string `json:"lines,omitempty"` // those not shown completely
}

func (c Cut) String() string {
	if c.Lost == 0 {
		return fmt.Sprintf("%s allows %d %s, this has %d.", c.Harness, c.Limit, c.Unit, c.Size)
	}
	text := fmt.Sprintf("%s will cut %d of its %d %s", c.Harness, c.Lost, c.Size, c.Unit)
	if c.Lines != "" {
		text += " (lines " + c.Lines + ")"
	}
	return text + " when it loads the file: shorten it or split it."
}

// cutOf simulates how the harness loads a file with this text; nil if it shows all of it or never loads it.
func (g *gate) cutOf(ctx context.Context, p vault.Path, text []byte) (*Cut, error) {
	l := g.agent.Layout
	if !l.Loads(string(p)) {
		return nil, nil
	}
	files := []loadview.File{{Name: string(p), Data: text}}
	add := func(name vault.Path) {
		if name == p {
			return
		}
		doc, err := g.agent.Vault.Read(ctx, name)
		if errors.Is(err, vault.ErrAbsent) {
			return
		}
		f := loadview.File{Name: string(name), Data: doc.Data}
		if err != nil {
			f.Broken = "unreadable"
		}
		files = append(files, f)
	}
	wild := false
	for _, f := range l.Show.Files {
		if strings.Contains(f.Name, "*") {
			wild = true
		} else {
			add(vault.Path(f.Name))
		}
	}
	if wild {
		err := g.files.Walk(ctx, "", "", func(i vault.Info) bool {
			if l.Loads(string(i.Path)) {
				add(i.Path)
			}
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	shown, ok := loadview.Inject(l, files, loadview.Options{}).File(string(p))
	over := shown.Limit > 0 && shown.Raw > shown.Limit
	if !ok || shown.Lost == 0 && !over {
		return nil, nil
	}
	c := &Cut{Harness: l.Ref(), Lost: shown.Lost, Size: shown.Raw, Limit: shown.Limit, Unit: unitName(l.Show.Unit)}
	c.Lines = shown.LostLines()
	return c, nil
}

func unitName(u layout.Unit) string {
	if u == layout.Bytes {
		return "bytes"
	}
	return "characters"
}

// checkFits reports what the harness will cut after a change, or refuses the change if the policy says so. A text that
// gets shorter is never refused.
func (g *gate) checkFits(ctx context.Context, before vault.Doc, after []byte) (*Cut, []string, error) {
	cut, err := g.cutOf(ctx, before.Path, after)
	if err != nil {
		return nil, nil, err
	}
	p := g.agent.Policy
	if cut != nil && policy.OverLimit.Of(p) == policy.OverLimitRefuse && len(after) >= len(before.Data) {
		return nil, nil, toolerr.New(toolerr.OverLimit, "Not written: %s", cut).
			Try("Make room first: merge or remove entries of %s.", before.Path)
	}
	var warnings []string
	if most := policy.HotMaxLines.Of(p); most > 0 {
		role, ok := g.agent.Layout.RoleOf(string(before.Path))
		if texts, err := g.agent.Baselines.Approved(); err != nil || texts[before.Path] != nil {
			ok = false // the baseline alone may have more lines
		}
		if n := note.Lines(after); ok && role == layout.Hot && n > most {
			warnings = append(warnings, fmt.Sprintf("%s has %d lines; %d is the limit (hot.max_lines).", before.Path, n, most))
		}
	}
	return cut, warnings, nil
}
