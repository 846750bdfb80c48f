// Package syncfolder keeps an agent's journal in a folder that a program copies between machines: Syncthing, iCloud,
// Dropbox. There two machines can create the same name at the same time. So each machine writes its own journal, and
// every machine merges all of them into one tree.
//
// The tree depends only on the entries, not on when or in which order they arrived: they are applied in the order of
// their logical clock, then of the machine's name. An entry that arrives late is merged in where it belongs, and the
// result is the same on all machines.
package syncfolder

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/sync/journal"
	"tend/internal/sync/store"
)

// Seen counts the entries of each machine in a tree.
type Seen map[string]uint64

// Position returns the position in the merged journal with exactly these entries.
func (s Seen) Position() journal.Position {
	if len(s) == 0 {
		return journal.Position{}
	}
	h, n := sha256.New(), uint64(0)
	for _, m := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(h, "%s %d\n", m, s[m])
		n += s[m]
	}
	return journal.Position{N: n, Digest: hex.EncodeToString(h.Sum(nil))}
}

// includes reports whether s has everything other has.
func (s Seen) includes(other Seen) bool {
	for m, n := range other {
		if s[m] < n {
			return false
		}
	}
	return true
}

// With returns s with one more entry of a machine.
func (s Seen) With(machine string) Seen {
	next := maps.Clone(s)
	if next == nil {
		next = Seen{}
	}
	next[machine]++
	return next
}

// Entry is a change by one machine, with the entries it knew at that time.
type Entry struct {
	V       int          `json:"v"`
	Agent   string       `json:"agent"`
	Machine string       `json:"machine"`
	N       uint64       `json:"n"`
	Prev    string       `json:"prev,omitempty"` // digest of the machine's entry N-1
	Clock   uint64       `json:"clock"`          // larger than that of every entry in Seen
	Seen    Seen         `json:"seen,omitempty"`
	Nonce   string       `json:"nonce"`
	Writer  string       `json:"writer"`
	At      time.Time    `json:"at"`
	Kind    journal.Kind `json:"kind"`
	Actions []string     `json:"actions,omitempty"`
	Changes []Change     `json:"changes"`
}

// Change is one file's part of an entry.
type Change struct {
	Path   string        `json:"path"`
	Before vault.Version `json:"before,omitempty"` // "" if there was none
	After  vault.Version `json:"after,omitempty"`  // "" if it is removed
	// Base is the text before, omitted if this machine was the last to write it.
	Base []byte `json:"base,omitempty"`
	// Edit turns the text before into the text after. For ledgers and packs it has what is new.
	Edit *ledger.Edit `json:"edit,omitempty"`
	// Log: both sides of a conflict stay. The writer decides, because readers may have another layout.
	Log bool `json:"log,omitempty"`
}

// NewMachine returns a new name for a machine. Names are never reused, so that a machine restored from a backup
// cannot overwrite what it wrote before.
func NewMachine(host string) string {
	slug := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		}
		return -1
	}, strings.ToLower(host))
	return strings.Trim(slug[:min(len(slug), 20)]+"-"+strings.ToLower(rand.Text()[:10]), "-")
}

// Journal is the journal of one agent, of all machines.
type Journal struct {
	Agent string
	store store.Store
	dir   string
}

// New returns an agent's journal in a store.
func New(s store.Store, agent string) *Journal {
	return &Journal{Agent: agent, store: s, dir: path.Join("agents", agent)}
}

// Folder is the part of a key above the machines' journals.
const Folder = "machines"

func (j *Journal) key(machine string, n uint64) string {
	return path.Join(j.dir, Folder, machine, fmt.Sprintf("%012d", n))
}

// All is the part of an agent's journals that has arrived here.
type All struct {
	journal *Journal
	entries map[string][]stored
	// Listing identifies this state of the folder.
	Listing string
	// Waiting are the objects that are incomplete, or wait for another.
	Waiting []string
	// Foreign are names that Tend does not write, such as those of conflicted copies, and entries that do not chain
	// to the one before.
	Foreign []string
}

type stored struct {
	Entry
	digest string
}

// ErrMixed: the folder has a journal of a store in which only one machine can create a name.
var ErrMixed error = mixed{}

// mixed is a type because fmt.Errorf here would delay the start of every command.
type mixed struct{}

func (mixed) Error() string {
	return "it has a journal of the other kind, for stores that are not copied between machines: " + journal.ErrDamaged.Error()
}

func (mixed) Unwrap() error { return journal.ErrDamaged }

// Listing describes the folder without reading it.
func (j *Journal) Listing(ctx context.Context) (string, error) {
	list, err := j.store.List(ctx, j.dir+"/")
	return listing(list), err
}

func listing(list []store.Object) string {
	h := sha256.New()
	for _, o := range list {
		fmt.Fprintf(h, "%s %d\n", o.Key, o.Size)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Read reads every entry that has arrived. Incomplete ones are skipped.
func (j *Journal) Read(ctx context.Context) (*All, error) {
	list, err := j.store.List(ctx, j.dir+"/")
	if err != nil {
		return nil, err
	}
	all := &All{journal: j, entries: map[string][]stored{}, Listing: listing(list)}
	for _, o := range list {
		parts := strings.Split(strings.TrimPrefix(o.Key, j.dir+"/"), "/")
		if len(parts) > 0 && (parts[0] == "journal" || parts[0] == "snapshots") {
			return nil, fmt.Errorf("%s in %s: %w", o.Key, j.store.Name(), ErrMixed)
		}
		n, err := strconv.ParseUint(path.Base(o.Key), 10, 64)
		if err != nil || len(parts) != 3 || parts[0] != Folder || o.Key != j.key(parts[1], n) || store.CheckKey(o.Key) != nil {
			all.Foreign = append(all.Foreign, o.Key)
			continue
		}
		if err := all.add(ctx, o.Key, parts[1], n); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// add reads an entry. Entries come in order.
func (a *All) add(ctx context.Context, key, machine string, n uint64) error {
	had := a.entries[machine]
	if uint64(len(had))+1 != n {
		a.Waiting = append(a.Waiting, key)
		return nil
	}
	body, err := a.journal.store.Get(ctx, key)
	if errors.Is(err, store.ErrUnreachable) || errors.Is(err, store.ErrDenied) || ctx.Err() != nil {
		return err
	}
	var e Entry
	if err == nil {
		e, err = a.journal.decode(body)
	}
	prev := "" // digest of the entry before
	if n > 1 {
		prev = had[n-2].digest
	}
	switch {
	case err != nil: // incomplete, or removed again
		a.Waiting = append(a.Waiting, key)
		return nil
	case e.Machine != machine || e.N != n || e.Prev != prev || e.Seen[machine] != n-1:
		a.Foreign = append(a.Foreign, key)
		return nil
	}
	a.entries[machine] = append(had, stored{e, digestOf(body)})
	return nil
}

// mark begins an object; the digest of the rest follows it, so that an incomplete file is detected.
const mark = "tend-machine-entry-1 "

func digestOf(body []byte) string { return string(vault.VersionOf(body)) }

func encode(e Entry) ([]byte, error) {
	text, err := json.Marshal(e)
	body := journal.Compress(text)
	return slices.Concat([]byte(mark), []byte(digestOf(body)), []byte("\n"), body), err
}

var errPart = errors.New("it is incomplete")

func (j *Journal) decode(object []byte) (e Entry, err error) {
	head, body, ok := bytes.Cut(object, []byte("\n"))
	if !ok || string(head) != mark+digestOf(body) {
		return e, errPart
	}
	text, err := journal.Decompress(body)
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	switch {
	case err != nil:
		return e, err
	case e.V != 1 || e.Agent != j.Agent:
		return e, fmt.Errorf("it is an entry of %s in format %d", e.Agent, e.V)
	}
	return e, nil
}

// Commit writes a machine's next entry, which knew the entries in seen.
func (a *All) Commit(ctx context.Context, machine string, seen Seen, e Entry) (Seen, error) {
	j := a.journal
	e.V, e.Agent, e.Machine, e.N, e.Seen = 1, j.Agent, machine, seen[machine]+1, seen
	own := a.entries[machine]
	if uint64(len(own)) != seen[machine] {
		return seen, fmt.Errorf("%s in %s: %w: this machine did not write it", j.key(machine, uint64(len(own))),
			j.store.Name(), journal.ErrConflict)
	}
	if len(own) > 0 {
		e.Prev = own[len(own)-1].digest
	}
	for m, n := range seen {
		if n > 0 {
			e.Clock = max(e.Clock, a.entries[m][n-1].Clock)
		}
	}
	e.Clock++
	for i := range e.Changes {
		if c := &e.Changes[i]; c.Base != nil && a.lastBy(machine, c.Path) == c.Before {
			c.Base = nil
		}
	}
	body, err := encode(e)
	if err != nil {
		return seen, err
	}
	key := j.key(machine, e.N)
	switch there, err := j.store.Get(ctx, key); {
	case err == nil && bytes.Equal(there, body):
	case err == nil:
		return seen, fmt.Errorf("%s in %s: %w: this machine did not write it", key, j.store.Name(), journal.ErrConflict)
	case !errors.Is(err, store.ErrAbsent):
		return seen, err
	default:
		if err := j.store.Put(ctx, key, body); err != nil {
			return seen, err
		}
	}
	a.entries[machine] = append(own, stored{e, digestOf(body)})
	return seen.With(machine), nil
}

// lastBy returns the version that a machine's last change of a file left.
func (a *All) lastBy(machine, name string) vault.Version {
	for _, e := range slices.Backward(a.entries[machine]) {
		for _, c := range e.Changes {
			if c.Path == name {
				return c.After
			}
		}
	}
	return ""
}
