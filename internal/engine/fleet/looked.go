package fleet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/state/history"
	"tend/internal/state/ledger"
	"tend/internal/state/pack"
	"tend/internal/state/plan"
	"tend/internal/text/referee"
)

// Both files are derived. lookedFile says how far the observed texts were judged, so that a look reads only what is new.
// quietFile lists the recorded rewrites that lost too little to be looked at again, one key a line: where the texts have to be
// read again, these are not judged again.
const (
	lookedFile = "looked"
	quietFile  = "quiet"
)

// maxQuiet is the size at which the list of quiet rewrites is written anew, without those of earlier months.
const maxQuiet = 256 << 10

// looked is what a look at the observed texts leaves for the next one.
type looked struct {
	Layout string // that chose the files
	Mark   pack.Mark
	Newest map[vault.Path]pair   // the newest observed text of each memory file
	Again  []judged              // the recent changes that may have to be judged again
	Files  map[vault.Path]string // how every file was, in short
}

// pair is an observed change: two texts of a file. Before is nil for the first one.
type pair struct {
	Before *pack.Position `json:",omitempty"`
	After  pack.Position
}

// judged is a change with the verdict of an earlier look. It holds until one of the lost lines stands in a file again.
type judged struct {
	pair
	Says string `json:",omitempty"` // the finding, if it lost a page of text
	Lost []byte `json:",omitempty"` // a key of keySize bytes for each lost line, see [referee.Keys]
}

const (
	keySize = 8
	// maxAgain is how many changes with a verdict are kept, maxLost how many lost lines of each.
	maxAgain, maxLost = 200, 400
)

// look is a look at the observed texts of memory files: the changes to judge, and the newest of each other file without texts.
type look struct {
	looked
	changes []Rewrite
	reader  *pack.Reader
}

// newest returns the newest observed text of each memory file.
func (l *look) newest() map[vault.Path]seenText {
	out := make(map[vault.Path]seenText, len(l.Newest))
	for p, x := range l.Newest {
		out[p] = seenText{x.After, l.reader}
	}
	return out
}

// look reads the observed texts behind those of the last look; all if there was none, or they were written anew. If it
// is quick, verdicts of earlier looks are taken over where they still hold.
func (a *Agent) look(in job.Input, quick bool) (*look, error) {
	l, seen, goesOn, err := a.readOn(in)
	if err != nil {
		return l, err
	}
	since := in.Now.Add(-RecentRewrites)
	if goesOn {
		var back map[uint64]bool // the lines of files that have changed since
		if quick {
			back = l.changedLines(in)
		}
		a.addAgain(l, in.Now, back)
		a.pairUp(l, in, seen, func(r Rewrite) bool { return r.At.Before(since) })
		return l, nil
	}
	quiet, err := a.quietKeys()
	if err != nil {
		return l, err
	}
	a.pairUp(l, in, seen, func(r Rewrite) bool { return quiet[r.key] || r.At.Before(since) })
	return l, nil
}

// readOn returns what the last look left and what was observed since, or a new look and all that was observed.
func (a *Agent) readOn(in job.Input) (l *look, seen []seenText, goesOn bool, err error) {
	l = &look{reader: a.History.Pack(SeenPack).Reader()}
	data, err := a.Cache.Read(lookedFile)
	if err != nil {
		return l, nil, false, err
	}
	if json.Unmarshal(data, &l.looked) == nil && l.Layout == in.Layout.Ref() && l.Mark.Segment != "" {
		seen, next, ok, err := seenSince(l.reader, l.Mark)
		if err != nil || ok && !slices.ContainsFunc(seen, l.early) {
			l.Mark = next
			return l, seen, true, err
		}
	}
	l.looked = looked{Layout: in.Layout.Ref(), Newest: map[vault.Path]pair{}}
	seen, l.Mark, _, err = seenSince(l.reader, pack.Mark{})
	return l, seen, false, err
}

// RecordDisplaced records what an action displaced, if that was an edit which nobody had looked at: no other text tells of it.
func (a *Agent) RecordDisplaced(ctx context.Context, in job.Input, act ledger.Action) error {
	var l *look
	for _, f := range act.Files {
		if f.Skipped || f.Op == plan.Append || !isLongTerm(in.Layout, f.Path) {
			continue
		}
		if l == nil {
			var seen []seenText
			var err error
			if l, seen, _, err = a.readOn(in); err != nil {
				return err
			}
			a.pairUp(l, in, seen, func(Rewrite) bool { return true })
		}
		last, met := l.Newest[f.Path]
		displaced := cmp.Or(f.Was, f.Before)
		if !met || string(displaced) == last.After.SHA256 {
			continue
		}
		if left, err := a.leftBefore(act, f.Path, last.After.Action); err != nil || displaced != left {
			if err == nil {
				_, _, err = a.History.Sync(ctx)
			}
			if errors.Is(err, history.ErrNoGit) || errors.Is(err, fsys.ErrLocked) { // the next who syncs records it
				err = nil
			}
			return err
		}
	}
	return nil
}

// leftBefore returns the version of a file that the last action between two others left, "" if none wrote it.
func (a *Agent) leftBefore(act ledger.Action, p vault.Path, since string) (vault.Version, error) {
	for o, err := range a.Ledger.Actions() {
		if err != nil || o.ID <= since {
			return "", err
		}
		if i := Slot(o, p); i >= 0 && o.ID < act.ID {
			return o.Files[i].After, nil
		}
	}
	return "", nil
}

// early reports whether a text was observed before one that is known already: the clock was set back.
func (l *look) early(e seenText) bool {
	x, ok := l.Newest[vault.Path(e.Name)]
	return ok && inTime(e.Entry, x.After.Entry) < 0
}

// changedLines are the keys of all lines in files that are not as the last look saw them.
func (l *look) changedLines(in job.Input) map[uint64]bool {
	keys := map[uint64]bool{}
	for _, d := range in.All() {
		if l.Files[d.Path] == shortVersion(d) {
			continue
		}
		for _, k := range referee.Keys(d.Data) {
			keys[k] = true
		}
	}
	return keys
}

func shortVersion(d vault.Doc) string { return string(d.Version[:min(len(d.Version), 2*keySize)]) }

// addAgain adds the changes that have a verdict, and the newest one of each file that is not among them without texts. A verdict is
// taken over if back is given and has none of the lost lines, but not that of the file's newest change: a guard acts on it.
func (a *Agent) addAgain(l *look, now time.Time, back map[uint64]bool) {
	was := map[string]bool{}
	add := func(x judged, skip, holds bool) {
		var before seenText
		if x.Before != nil {
			before = seenText{*x.Before, l.reader}
		}
		old := func(r Rewrite) bool { return skip || now.Sub(r.At) > RecentRewrites }
		r, ok := a.change(before, x.Before != nil, seenText{x.After, l.reader}, old)
		if ok && now.Sub(r.At) <= RecentRewrites && !was[r.Ref] {
			was[r.Ref], r.asked = true, now.Sub(r.At) > askedFor
			if holds {
				r.earlier = &x
			}
			l.changes = append(l.changes, r)
		}
	}
	for _, x := range l.Again {
		newest := l.Newest[vault.Path(x.After.Name)].After
		holds := back != nil && (newest.Segment != x.After.Segment || newest.Line != x.After.Line) && !x.isBack(back)
		add(x, holds, holds)
	}
	for _, x := range l.Newest {
		if x.Before != nil {
			add(judged{pair: x}, true, false)
		}
	}
}

// isBack reports whether a line that was lost stands in a text again.
func (x judged) isBack(lines map[uint64]bool) bool {
	for k := range slices.Chunk(x.Lost, keySize) {
		if len(k) == keySize && lines[binary.LittleEndian.Uint64(k)] {
			return true
		}
	}
	return false
}

// judgedOf notes the verdict on a change.
func (a *Agent) judgedOf(r Rewrite) judged {
	x := judged{pair: r.pair}
	if f, ok := r.Finding(a.Location); ok {
		x.Says = f.Text
	}
	for _, s := range r.Verdict.Lost {
		for _, line := range s.Lost {
			for _, k := range referee.Keys([]byte(line.Text)) {
				if len(x.Lost) < maxLost*keySize {
					x.Lost = binary.LittleEndian.AppendUint64(x.Lost, k)
				}
			}
		}
	}
	return x
}

// askedFor is how long it is asked who made a rewrite: what names him is written at about the same time.
const askedFor = 24 * time.Hour

// pairUp adds what was observed since the newest known texts.
func (a *Agent) pairUp(l *look, in job.Input, seen []seenText, skip func(Rewrite) bool) {
	for _, e := range seen {
		p := vault.Path(e.Name)
		if !isLongTerm(in.Layout, p) {
			continue
		}
		x, met := l.Newest[p]
		r, ok := a.change(seenText{x.After, l.reader}, met, e, skip)
		l.Newest[p] = r.pair
		if ok && in.Now.Sub(r.At) <= RecentRewrites {
			l.changes = append(l.changes, r)
		}
	}
}

// rewriteKey names a recorded rewrite by the text that it left.
func rewriteKey(after pack.Entry) string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %s", after.Name, after.At.UnixNano(), after.SHA256)
	return fmt.Sprintf("%016x", h.Sum64())
}

// quietKeys returns the keys of the rewrites that need no second look.
func (a *Agent) quietKeys() (map[string]bool, error) {
	data, err := a.Cache.Read(quietFile)
	out := map[string]bool{}
	for k := range strings.FieldsSeq(string(data)) {
		out[k] = true
	}
	return out, err
}

// saveLook notes how far the observed texts were judged, and which of the changes need no second look.
func (a *Agent) saveLook(in job.Input, l looked, list []Rewrite) error {
	l.Again, l.Files = nil, map[vault.Path]string{}
	for _, d := range in.All() {
		l.Files[d.Path] = shortVersion(d)
	}
	var quiet bytes.Buffer
	for _, r := range list {
		switch {
		case r.earlier != nil:
			l.Again = append(l.Again, *r.earlier)
		case !r.Recorded(), r.skipped:
		case r.suspect:
			l.Again = append(l.Again, a.judgedOf(r))
		default:
			quiet.WriteString(r.key + "\n")
		}
	}
	if quiet.Len() > 0 {
		full, err := a.Cache.Append(quietFile, quiet.Bytes(), maxQuiet)
		if err != nil {
			return err
		}
		if full {
			if err := a.trimQuiet(); err != nil {
				return err
			}
		}
	}
	l.Again = l.Again[max(0, len(l.Again)-maxAgain):]
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if was, err := a.Cache.Read(lookedFile); err == nil && bytes.Equal(bytes.TrimSpace(was), data) {
		return nil
	}
	return a.Cache.Write(lookedFile, data)
}

// trimQuiet drops the older half of the quiet rewrites.
func (a *Agent) trimQuiet() error {
	data, err := a.Cache.Read(quietFile)
	if err != nil {
		return err
	}
	_, newer, _ := bytes.Cut(data[len(data)/2:], []byte("\n"))
	return a.Cache.Write(quietFile, bytes.TrimSpace(newer))
}
