package purge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"strconv"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/state/ledger"
	"tend/internal/state/pack"
)

// A receipt is also a tombstone: it goes to the other machines of a store with the agent's records, and each removes the
// text when it has it. They know the text only by its digest, so every run of as many bytes is compared: first by a sum
// that moves along a text in one step, then by SHA-256.

// obeyed is the length from which a receipt of another machine is carried out without asking: a shorter text could be
// chosen to take a memory apart.
const obeyed = 6

const prime = 1099511628211

// trace returns the moving sum of a text.
func trace(text []byte) string {
	var sum uint64
	for _, b := range text {
		sum = sum*prime + uint64(b) + 1
	}
	return strconv.FormatUint(sum, 16)
}

// find returns the text of a receipt if data contains it.
func (r Receipt) find(data []byte) []byte {
	want, err := strconv.ParseUint(r.Trace, 16, 64)
	if err != nil || r.Bytes <= 0 || len(data) < r.Bytes {
		return nil
	}
	var sum, top uint64 = 0, 1
	for range r.Bytes - 1 {
		top *= prime
	}
	for i, b := range data {
		if i >= r.Bytes {
			sum -= top * (uint64(data[i-r.Bytes]) + 1)
		}
		sum = sum*prime + uint64(b) + 1
		if i+1 < r.Bytes || sum != want {
			continue
		}
		part := data[i+1-r.Bytes : i+1]
		if h := sha256.Sum256(part); hex.EncodeToString(h[:]) == r.SHA256 {
			return part
		}
	}
	return nil
}

// Obey removes from an agent the texts that were purged, here or on another machine, if a sync or a restore brought one
// back. It returns the receipts that were carried out.
func Obey(ctx context.Context, a *fleet.Agent, who string) (done []Receipt, err error) {
	list, err := Receipts(a)
	if err != nil && !errors.Is(err, ErrUnread) {
		return nil, err
	}
	for _, r := range list {
		if r.DryRun || r.Bytes < obeyed || r.Trace == "" {
			continue
		}
		text, err := search(ctx, a, r)
		if err != nil {
			return done, err
		}
		if text == nil {
			continue
		}
		again := Receipt{ID: r.ID, Agent: a.Name, SHA256: r.SHA256, Bytes: r.Bytes, Memory: []vault.Path{}, Other: []string{}}
		if err := clean(ctx, a, text, Options{Who: who, Reason: r.Reason}, &again); err != nil {
			return done, err
		}
		done = append(done, again)
	}
	return done, nil
}

// errFound ends a search.
var errFound = errors.New("found")

// search looks for the text of a receipt in everything that is kept of an agent.
func search(ctx context.Context, a *fleet.Agent, r Receipt) (text []byte, err error) {
	look := func(data []byte) error {
		if part := r.find(data); part != nil {
			text = append([]byte{}, part...)
			return errFound
		}
		return nil
	}
	err = eachText(ctx, a, look)
	if errors.Is(err, errFound) {
		err = nil
	}
	return text, err
}

// eachText yields every text of an agent.
func eachText(ctx context.Context, a *fleet.Agent, look func([]byte) error) error {
	in, err := a.Input(ctx)
	if err != nil {
		return err
	}
	for _, doc := range in.Files {
		if err := errors.Join(ctx.Err(), look(doc.Data)); err != nil {
			return err
		}
	}
	for _, kind := range []string{fleet.TrashPack, fleet.SeenPack} {
		err := a.History.Pack(kind).Each(func(e pack.Entry, err error) error {
			if err != nil {
				return nil // a damaged line is reported elsewhere
			}
			return look(e.Text)
		})
		if err != nil {
			return err
		}
	}
	for _, at := range []struct {
		tree fsys.FS
		dir  string
	}{{a.State(), ledger.TrashPath(a.Name)}, {a.Ledger.Archive.Tree, a.Ledger.Archive.Dir},
		{a.State(), path.Join("agents", a.Name, "store", "base")}} {
		if err := eachFile(at.tree, at.dir, look); err != nil {
			return err
		}
	}
	return eachRecord(a, look)
}

func eachFile(tree fsys.FS, dir string, look func([]byte) error) error {
	infos, err := tree.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, i := range infos {
		if !i.Mode.IsRegular() {
			continue
		}
		data, err := vault.ReadFile(tree, path.Join(dir, i.Name))
		if err != nil {
			return err
		}
		if err := look(data); err != nil {
			return err
		}
	}
	return err
}

func eachRecord(a *fleet.Agent, look func([]byte) error) error {
	for act, err := range a.Ledger.Actions() {
		if err != nil {
			return err
		}
		if err := look([]byte(act.Reason + "\n" + act.Summary)); err != nil {
			return err
		}
		for _, f := range act.Files {
			if f.Edit != nil {
				if err := look(f.Edit.Text); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
