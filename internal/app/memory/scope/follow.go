package scope

import (
	"context"
	"time"

	"tend/internal/disk/vault"
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

// pollEvery is how long Follow waits between two looks; longer if a look takes more than a fiftieth of it.
const pollEvery = time.Second

// Follow reports every change to the files until the context ends. A change that is reverted at once may be left out;
// the last one never is.
func (f *Files) Follow(ctx context.Context, tell func([]Change)) error {
	known, err := f.stamps(ctx)
	if err != nil {
		return err
	}
	tell(nil)
	took := time.Duration(0)
	for sleep(ctx, max(pollEvery, 50*took)) == nil {
		began := time.Now()
		now, err := f.stamps(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		took = time.Since(began)
		if changes := compare(known, now); len(changes) > 0 {
			tell(changes)
		}
		known = now
	}
	return nil
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
