package setup

import (
	"path/filepath"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/model/usererr"
)

// ImportRequest asks for a memory-shepherd.conf to be turned into a configuration.
type ImportRequest struct {
	File      string
	To        string
	Separate  bool // an agent per section, even for files of one agent
	Overwrite bool
	DryRun    bool
}

// Imported is the new configuration and what could not be imported.
type Imported struct {
	config.Imported
	To   string
	Diff string // in a dry run
}

// Import reads a memory-shepherd.conf the way that tool does and writes an equivalent configuration.
func Import(req ImportRequest) (out Imported, err error) {
	opt := config.ImportOptions{Separate: req.Separate}
	if opt.Env, err = config.OSEnv(); err != nil {
		return out, err
	}
	if opt.Conf, err = filepath.Abs(req.File); err != nil {
		return out, err
	}
	if opt.To, err = filepath.Abs(req.To); err != nil {
		return out, err
	}
	text, err := fsys.ReadFile(opt.Conf)
	if err != nil {
		return out, usererr.Usage(err)
	}
	out.To = opt.To
	if out.Imported, err = config.Import(text, opt); err != nil {
		return out, usererr.Usage(err)
	}
	notes, problems := shepherdNotes(opt.To, out.Text, opt.Env)
	out.Notes, out.CouldNot = append(out.Notes, notes...), append(out.CouldNot, problems...)
	switch {
	case req.DryRun:
		old, _ := fsys.ReadFile(opt.To)
		out.Diff = udiff.Unified(opt.To, opt.To, string(old), string(out.Text))
		return out, nil
	case req.Overwrite:
		return out, vault.ReplaceFile(opt.To, out.Text, 0o644)
	}
	return out, createFile(opt.To, out.Text)
}
