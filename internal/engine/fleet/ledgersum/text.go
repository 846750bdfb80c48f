package ledgersum

import (
	"encoding/base64"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/state/plan"
)

// The tally is saved as lines of fields, the path last: every job of every agent reads it,
// and JSON took a tenth of a quiet night.

// encode writes the tally as text.
func (t *Tally) encode() []byte {
	b := make([]byte, 0, 1024+12*len(t.Promoted)+256*(len(t.Open)+len(t.Files)))
	line := func(kind string, fields ...string) {
		b = append(b, kind...)
		for _, f := range fields {
			b = append(append(b, ' '), f...)
		}
		b = append(b, '\n')
	}
	line("upto", t.Upto)
	packed := make([]byte, 0, 8*len(t.Promoted))
	for _, m := range t.Promoted {
		packed = binary.LittleEndian.AppendUint64(packed, uint64(m))
	}
	if len(packed) > 0 {
		line("promoted", base64.StdEncoding.EncodeToString(packed))
	}
	for _, day := range slices.Sorted(maps.Keys(t.Days)) {
		line("day", day, strconv.Itoa(t.Days[day]))
	}
	for _, d := range t.Gone {
		line("gone", d.Action, strconv.FormatInt(d.At.UnixNano(), 10), strconv.Itoa(d.Removed), strconv.Itoa(d.Moved))
	}
	for _, o := range t.Open {
		line("open", o.Action, o.Job, strconv.Itoa(o.From), strconv.Itoa(o.To), string(o.Hash), string(o.Path))
	}
	for _, path := range slices.Sorted(maps.Keys(t.Files)) {
		f := t.Files[path]
		line("file", orDash(string(f.Version)), strconv.FormatInt(f.At.UnixNano(), 10), string(path))
	}
	return append(b, "end\n"...)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// fieldCount is how many fields each kind of line has.
var fieldCount = map[string]int{"upto": 1, "promoted": 1, "day": 2, "gone": 4, "open": 6, "file": 3, "end": 1}

// decode parses it; false if it is incomplete.
func decode(text string) (*Tally, bool) {
	t := empty()
	t.Open = make([]openReceipt, 0, strings.Count(text, "\nopen "))
	whole := false
	for line := range strings.Lines(text) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		r := fieldsOf(rest, fieldCount[kind])
		switch kind {
		case "upto":
			t.Upto = r.text(0)
		case "promoted":
			packed, err := base64.StdEncoding.DecodeString(r.text(0))
			if err != nil || len(packed)%8 != 0 {
				return nil, false
			}
			t.Promoted = make(job.Marks, 0, len(packed)/8)
			for ; len(packed) > 0; packed = packed[8:] {
				t.Promoted = append(t.Promoted, job.Mark(binary.LittleEndian.Uint64(packed)))
			}
		case "day":
			t.Days[r.text(0)] = int(r.number(1))
		case "gone":
			t.Gone = append(t.Gone, departure{r.text(0), time.Unix(0, r.number(1)), int(r.number(2)), int(r.number(3))})
		case "open":
			t.Open = append(t.Open, openReceipt{r.text(0), plan.Receipt{
				Job: r.text(1), From: int(r.number(2)), To: int(r.number(3)), Hash: vault.Version(r.text(4)), Path: vault.Path(r.text(5)),
			}})
		case "file":
			t.Files[vault.Path(r.text(2))] = job.Seal{Version: vault.Version(r.text(0)), At: time.Unix(0, r.number(1))}
		case "end":
			whole = true
		default:
			return nil, false
		}
		if !r.ok {
			return nil, false
		}
	}
	return t, whole
}

// fields parses the fields of a line and records missing ones.
type fields struct {
	f  [6]string
	n  int
	ok bool
}

// fieldsOf splits a line into at most so many fields; the last one may have blanks.
func fieldsOf(line string, most int) fields {
	r := fields{ok: true}
	for more := true; more && r.n < most; r.n++ {
		if r.n == most-1 {
			r.f[r.n], more = line, false
			continue
		}
		r.f[r.n], line, more = strings.Cut(line, " ")
	}
	return r
}

func (r *fields) text(i int) string {
	if i >= r.n {
		r.ok = false
		return ""
	}
	if r.f[i] == "-" {
		return ""
	}
	return r.f[i]
}

func (r *fields) number(i int) int64 {
	n, err := strconv.ParseInt(r.text(i), 10, 64)
	r.ok = r.ok && err == nil
	return n
}
