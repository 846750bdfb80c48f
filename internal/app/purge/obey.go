package purge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"slices"
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

// minObeyed is the length in bytes of the shortest text that is purged because a receipt of another machine says so: a shorter
// one could be chosen to destroy a memory.
const minObeyed = 6

const prime = 1099511628211

// trace returns the moving sum of a text, as findLength computes it.
func trace(text []byte) string {
	var sum uint64
	for _, b := range text {
		sum = sum*prime + uint64(b) + 1
	}
	return strconv.FormatUint(sum, 16)
}

// maxObeyed is how many receipts are carried out at most, the newest ones: anyone who can write to a store can write any number.
const maxObeyed = 1000

// wanted are receipts whose texts are looked for, by length and moving sum.
type wanted map[int]map[uint64][]Receipt

// toObey returns the receipts that are carried out without asking, each text once.
func toObey(list []Receipt) wanted {
	w, known := wanted{}, map[string]bool{}
	for _, r := range slices.Backward(list) {
		sum, err := strconv.ParseUint(r.Trace, 16, 64)
		if err != nil || r.DryRun || r.Bytes < minObeyed || known[r.SHA256] || len(known) == maxObeyed {
			continue
		}
		known[r.SHA256] = true
		if w[r.Bytes] == nil {
			w[r.Bytes] = map[uint64][]Receipt{}
		}
		w[r.Bytes][sum] = append(w[r.Bytes][sum], r)
	}
	return w
}

// drop forgets a receipt.
func (w wanted) drop(r Receipt) {
	for sum, list := range w[r.Bytes] {
		w[r.Bytes][sum] = slices.DeleteFunc(list, func(x Receipt) bool { return x.SHA256 == r.SHA256 })
	}
}

// find returns the first text in data that a receipt is for, and the receipt; nil if there is none.
func (w wanted) find(data []byte) ([]byte, Receipt) {
	for n, sums := range w {
		if part, r := findLength(data, n, sums); part != nil {
			return part, r
		}
	}
	return nil, Receipt{}
}

// findLength is find for receipts of texts of n bytes. It moves a window of that length along data.
func findLength(data []byte, n int, sums map[uint64][]Receipt) ([]byte, Receipt) {
	if len(data) < n {
		return nil, Receipt{}
	}
	var sum, top uint64 = 0, 1
	for range n - 1 {
		top *= prime
	}
	for i, b := range data {
		if i >= n {
			sum -= top * (uint64(data[i-n]) + 1)
		}
		sum = sum*prime + uint64(b) + 1
		if i+1 < n {
			continue
		}
		for _, r := range sums[sum] {
			part := data[i+1-n : i+1]
			if h := sha256.Sum256(part); hex.EncodeToString(h[:]) == r.SHA256 {
				return part, r
			}
		}
	}
	return nil, Receipt{}
}

// Obey removes from an agent the texts that were purged, here or on another machine, if a sync or a restore brought one
// back. It looks for all of them at once, and returns the receipts that were carried out.
func Obey(ctx context.Context, a *fleet.Agent, who string) (done []Receipt, err error) {
	list, err := Receipts(a)
	if err != nil && !errors.Is(err, ErrUnread) {
		return nil, err
	}
	for w := toObey(list); len(w) > 0; {
		text, r, err := search(ctx, a, w)
		if err != nil || text == nil {
			return done, err
		}
		w.drop(r)
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

// search looks for the texts of receipts in everything that is kept of an agent, until it finds one.
func search(ctx context.Context, a *fleet.Agent, w wanted) (text []byte, r Receipt, err error) {
	err = eachText(ctx, a, func(data []byte) error {
		part, of := w.find(data)
		if part == nil {
			return ctx.Err()
		}
		text, r = slices.Clone(part), of
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return text, r, err
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
