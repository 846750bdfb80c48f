package setup

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/runner"
	"tend/internal/engine/transfer"
	"tend/internal/model/usererr"
)

// Packed says what Export wrote.
type Packed struct {
	Agent   string            `json:"agent"`
	File    string            `json:"file"`
	Files   int               `json:"files"`
	LeftOut map[string]string `json:"left_out"` // files that cannot be packed, and why
}

// ExportRequest asks for an agent to be packed into a new file.
type ExportRequest struct {
	File    string
	Version string
	Who     string
}

// Export packs an agent with all its data into one file.
func Export(ctx context.Context, cfg *config.Config, ag *fleet.Agent, req ExportRequest) (out Packed, err error) {
	out.Agent = ag.Name
	if out.File, err = filepath.Abs(req.File); err != nil {
		return out, err
	}
	// Under the agent's lock nothing changes meanwhile, and an interrupted action is finished first.
	err = runner.WithLock(ctx, ag, req.Who, func() error { return out.writePackage(ctx, cfg, ag, req) })
	return out, err
}

func (out *Packed) writePackage(ctx context.Context, cfg *config.Config, ag *fleet.Agent, req ExportRequest) error {
	in, err := ag.Input(ctx)
	if err != nil {
		return err
	}
	src := transfer.Source{
		Manifest: transfer.Manifest{Tend: req.Version, Made: ag.Now().UTC(), Agent: transfer.Describe(cfg, ag.Agent)},
		StateDir: cfg.StateDir, Config: ag.Agent, Memory: map[string][]byte{},
	}
	if out.LeftOut, err = largeFiles(ag, in, &src); err != nil {
		return err
	}
	for p, doc := range in.Files {
		if why := transfer.NotCarried(p); why == "" {
			src.Memory[string(p)] = doc.Data
		} else {
			out.LeftOut[string(p)] = why
		}
	}
	if src.Root != nil {
		defer src.Root.Close()
	}
	err = vault.WriteOut(out.File, 0o600, func(w io.Writer) error {
		m, err := transfer.Pack(w, src)
		out.Files = len(m.Files)
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		return usererr.Refusef("move it away, or choose another name", "%s already exists", out.File)
	}
	return err
}

// largeFiles adds the files that were too large to read into memory, and returns those that cannot be packed.
func largeFiles(ag *fleet.Agent, in job.Input, src *transfer.Source) (left map[string]string, err error) {
	left = map[string]string{}
	for p, why := range in.Facts.Unread {
		left[string(p)] = why
	}
	if ag.Workspace.Kind != config.Local || len(left) == 0 {
		return left, nil
	}
	if src.Root, err = fsys.Dir(ag.Workspace.Path); err != nil {
		return nil, err
	}
	for p := range in.Facts.Unread {
		if st, err := src.Root.Lstat(string(p)); transfer.NotCarried(p) == "" && err == nil && st.Mode.IsRegular() && st.Size <= maxLarge {
			src.Large = append(src.Large, string(p))
			delete(left, string(p))
		}
	}
	return left, nil
}

// maxLarge bounds the size of a memory file in a package.
const maxLarge = 1 << 30
