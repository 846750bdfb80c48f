package fleet

import (
	"context"
	"errors"

	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet/harness"
	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/note"
)

// Shown reads the files that the agent's harness shows.
func (f *Files) Shown(ctx context.Context, l layout.Layout) ([]loadview.File, []string, error) {
	if f.agent.Workspace.Kind == config.Local {
		files, paths, err := harness.Shown(f.agent.Workspace.Path, l, maxRead(*f.agent))
		if err != nil {
			return nil, nil, err
		}
		records, err := f.Recorded()
		markExcluded(files, records, l)
		return files, paths, err
	}
	in, err := f.readAll(ctx)
	if err != nil {
		return nil, nil, err
	}
	var paths []string
	for p := range in.Files {
		paths = append(paths, string(p))
	}
	var files []loadview.File
	for _, name := range loadview.Names(l, paths, "") {
		doc, err := f.vault.Read(ctx, vault.Path(name))
		file := loadview.File{Name: name, Data: doc.Data}
		switch {
		case errors.Is(err, vault.ErrAbsent):
			file.Missing = true
		case err != nil:
			file.Broken = err.Error()
		}
		files = append(files, file)
	}
	return files, paths, nil
}

// Pinned returns how many bytes at the start of each guarded file are the operator's.
func (f *Files) Pinned(ctx context.Context) (map[string]int, error) {
	texts, _, err := f.baselines.Check()
	if errors.Is(err, vault.ErrRefused) {
		return nil, nil // no baselines
	}
	if err != nil {
		return nil, err
	}
	files, _, err := f.readGuarded(ctx, texts)
	if err != nil {
		return nil, err
	}
	pinned := map[string]int{}
	for _, g := range files {
		pinned[string(g.Doc.Path)] = len(g.Doc.Data)
		if g.Baseline != nil {
			pinned[string(g.Doc.Path)] = operatorBytes(g.Doc.Data, g.Baseline, f.agent.LineOf(string(g.Doc.Path), g.Baseline))
		}
	}
	return pinned, nil
}

func operatorBytes(text, baseline []byte, separator string) int {
	return len(note.Split(text, baseline, separator).Above())
}
