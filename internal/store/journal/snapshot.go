package journal

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"unicode/utf8"

	"tend/internal/store"
)

// Every is how many entries there are between snapshots.
const Every = 256

// snapshot is a whole tree after entry N.
type snapshot struct {
	V      int             `json:"v"`
	Agent  string          `json:"agent"`
	N      uint64          `json:"n"`
	Digest string          `json:"digest"` // of entry N
	Files  map[string]file `json:"files"`
}

// file keeps text readable; only what is no text is base64.
type file struct {
	Text string `json:"text,omitempty"`
	Raw  []byte `json:"base64,omitempty"`
}

// Snapshot stores a whole tree, so that clones need not read every entry. It is no
// error if there is one already.
func (j *Journal) Snapshot(ctx context.Context, at Position, x Texts) error {
	s := snapshot{V: 1, Agent: j.Agent, N: at.N, Digest: at.Digest, Files: make(map[string]file, len(x))}
	for p, text := range x {
		if utf8.Valid(text) {
			s.Files[p] = file{Text: string(text)}
		} else {
			s.Files[p] = file{Raw: text}
		}
	}
	body, err := json.Marshal(s)
	if err != nil {
		return err
	}
	err = j.store.Create(ctx, j.key("snapshots", at.N), pack(body))
	if errors.Is(err, store.ErrExists) || errors.Is(err, store.ErrUnclear) {
		return nil // the next one will do as well
	}
	return err
}

// Rebuild reads an agent's files as they are after the newest entry, or after entry
// upto if that is not 0. Each step is checked against what its writer saw.
func (j *Journal) Rebuild(ctx context.Context, upto uint64) (Texts, Position, error) {
	x, at, err := j.latest(ctx, upto)
	if err != nil {
		return nil, at, err
	}
	tree := x.Tree()
	for upto == 0 || at.N < upto {
		e, next, err := j.Next(ctx, at)
		if errors.Is(err, ErrEnd) {
			break
		}
		if err != nil {
			return nil, at, err
		}
		if tree, err = tree.Apply(e); err == nil {
			err = x.apply(e)
		}
		if err != nil {
			return nil, at, j.damaged(j.entryKey(e.N), err)
		}
		at = next
	}
	switch {
	case at.N == 0:
		return nil, at, fmt.Errorf("%s in %s: %w", j.Agent, j.store.Name(), ErrNoAgent)
	case at.N < upto:
		return nil, at, fmt.Errorf("entry %d of %s in %s: %w", upto, j.Agent, j.store.Name(), ErrRemoved)
	}
	return x, at, nil
}

// latest is the newest snapshot, not later than entry upto. It must be the tree that
// the writer of its entry saw.
func (j *Journal) latest(ctx context.Context, upto uint64) (Texts, Position, error) {
	list, err := j.store.List(ctx, path.Join("agents", j.Agent, "snapshots")+"/", "")
	if err != nil {
		return nil, Position{}, err
	}
	for i := len(list) - 1; i >= 0; i-- {
		n, err := strconv.ParseUint(path.Base(list[i].Key), 10, 64)
		if err != nil || upto > 0 && n > upto {
			continue
		}
		x, at, err := j.snapshotAt(ctx, n)
		if err != nil {
			return nil, at, j.damaged(list[i].Key, err)
		}
		return x, at, nil
	}
	return Texts{}, Position{}, nil
}

func (j *Journal) snapshotAt(ctx context.Context, n uint64) (Texts, Position, error) {
	body, err := j.store.Get(ctx, j.key("snapshots", n))
	if err != nil {
		return nil, Position{}, err
	}
	text, err := unpack(body)
	if err != nil {
		return nil, Position{}, err
	}
	var s snapshot
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, Position{}, err
	}
	at := Position{N: s.N, Digest: s.Digest}
	if s.V != 1 || s.Agent != j.Agent || s.N != n {
		return nil, at, fmt.Errorf("it is the snapshot of entry %d of %s in format %d", s.N, s.Agent, s.V)
	}
	x := make(Texts, len(s.Files))
	for p, f := range s.Files {
		if err := CheckPath(p); err != nil {
			return nil, at, err
		}
		x[p] = []byte(f.Text)
		if f.Raw != nil {
			x[p] = f.Raw
		}
	}
	// The entry says what the tree must be.
	raw, err := j.store.Get(ctx, j.entryKey(n))
	if err != nil {
		return nil, at, err
	}
	if digest(raw) != s.Digest {
		return nil, at, errors.New("its entry is another one")
	}
	var e Entry
	if text, err = unpack(raw); err == nil {
		err = json.Unmarshal(text, &e)
	}
	if err == nil && x.Tree().Digest() != e.Tree {
		err = errors.New("its files are not those of its entry")
	}
	return x, at, err
}

// pack compresses what is worth it.
func pack(text []byte) []byte {
	if len(text) < 1<<10 {
		return text
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(text)
	if err := errors.Join(err, z.Close()); err != nil {
		return text // a buffer takes everything
	}
	return b.Bytes()
}

// maxUnpacked bounds what an object may unpack to.
const maxUnpacked = 2 << 30

// unpack is the text that pack was given.
func unpack(body []byte) ([]byte, error) {
	if !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		return body, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, maxUnpacked))
	if err == nil && len(text) == maxUnpacked {
		err = errors.New("it unpacks to more than any object of Tend's")
	}
	return text, err
}
