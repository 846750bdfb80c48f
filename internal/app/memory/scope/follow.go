package scope

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"time"

	"tend/internal/app/memory/watch"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
)

// Change is a change of a memory file, by the agent or by anyone else.
type Change struct {
	Path vault.Path
	New  bool // it did not exist before
	Gone bool // it was removed
}

// Stamp is what is known of a file without reading it.
type Stamp struct {
	Size int64
	At   time.Time
}

const (
	gather    = 30 * time.Millisecond // changes within it are reported together
	pollEvery = 2 * time.Second       // where nothing can be watched
)

// Follow reports every change to the files until the context ends. A change that is reverted at once may be left out;
// the last one never is.
func (f *Files) Follow(ctx context.Context, tell func([]Change)) error {
	known, err := f.stamps(ctx)
	if err != nil {
		return err
	}
	w, err := f.Watch(ctx)
	if err != nil && !errors.Is(err, watch.ErrUnsupported) {
		return err
	}
	if w != nil {
		end := sync.OnceFunc(func() { w.Close() })
		defer end()
		stop := context.AfterFunc(ctx, end)
		defer stop()
	}
	watching := w != nil // else it polls
	tell(nil)
	for {
		if watching {
			err = w.Wait()
		}
		pause := gather
		if !watching {
			pause = pollEvery
		}
		if serr := sleep(ctx, pause); serr != nil {
			return nil
		}
		if watching {
			if err == nil {
				err = f.catchUp(ctx, w)
			}
			watching = err == nil
		}
		now, err := f.stamps(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		if changes := compare(known, now); len(changes) > 0 {
			tell(changes)
		}
		known = now
	}
}

// catchUp takes in what a watch has seen, and covers new folders.
func (f *Files) catchUp(ctx context.Context, w *watch.Watch) error {
	c, err := w.Changed()
	if err == nil && c.All {
		err = f.AddFolders(ctx, w)
	}
	return err
}

// stamps stats all files.
func (f *Files) stamps(ctx context.Context) (map[vault.Path]Stamp, error) {
	out := map[vault.Path]Stamp{}
	err := f.Walk(ctx, "", "", func(i vault.Info) bool {
		out[i.Path] = Stamp{i.Size, i.ModTime}
		return ctx.Err() == nil
	})
	return out, err
}

func compare(before, after map[vault.Path]Stamp) []Change {
	var out []Change
	for p, st := range after {
		if was, ok := before[p]; !ok || !was.At.Equal(st.At) || was.Size != st.Size {
			out = append(out, Change{Path: p, New: !ok})
		}
	}
	for p := range before {
		if _, ok := after[p]; !ok {
			out = append(out, Change{Path: p, Gone: true})
		}
	}
	return out
}

// Watch watches every folder of a workspace on this machine.
func (f *Files) Watch(ctx context.Context) (*watch.Watch, error) {
	if f.agent.Workspace.Kind != config.Local {
		return nil, watch.ErrUnsupported
	}
	w, err := watch.New(f.agent.Workspace.Path)
	if err != nil {
		return nil, err
	}
	if err := f.AddFolders(ctx, w); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// AddFolders makes a watch cover all present folders.
func (f *Files) AddFolders(ctx context.Context, w *watch.Watch) error {
	return f.folders(ctx, "", 0, func(dir vault.Path) error { return w.Add(string(dir)) })
}

func (f *Files) folders(ctx context.Context, dir vault.Path, depth int, visit func(vault.Path) error) error {
	infos, err := f.agent.Vault.List(ctx, dir)
	if errors.Is(err, vault.ErrAbsent) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, i := range infos {
		if !i.Dir || !f.Visible(i, depth) {
			continue
		}
		if err := visit(i.Path); err != nil {
			return err
		}
		err := f.folders(ctx, i.Path, depth+1, visit)
		if err != nil && !errors.Is(err, vault.ErrRefused) && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}
