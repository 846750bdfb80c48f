package tally

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/job"
	"tend/internal/plan"
	"tend/internal/vault"
)

// The tally is kept as lines of fields, the path last: it is read by every job for every
// agent, and JSON took a tenth of a quiet night.

// encode writes the tally as text.
func (t *Tally) encode() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "upto %s\n", t.Upto)
	packed := make([]byte, 0, 8*len(t.Promoted))
	for _, m := range t.Promoted {
		packed = binary.LittleEndian.AppendUint64(packed, uint64(m))
	}
	if len(packed) > 0 {
		fmt.Fprintf(&b, "promoted %s\n", base64.StdEncoding.EncodeToString(packed))
	}
	for _, day := range slices.Sorted(maps.Keys(t.Days)) {
		fmt.Fprintf(&b, "day %s %d\n", day, t.Days[day])
	}
	for _, d := range t.Gone {
		fmt.Fprintf(&b, "gone %s %d %d %d\n", d.Action, d.At.UnixNano(), d.Removed, d.Moved)
	}
	for _, o := range t.Open {
		fmt.Fprintf(&b, "open %s %s %d %d %s %s\n", o.Action, o.Job, o.From, o.To, o.Hash, o.Path)
	}
	for _, path := range slices.Sorted(maps.Keys(t.Files)) {
		f := t.Files[path]
		fmt.Fprintf(&b, "file %s %d %s %s\n", orDash(string(f.Version)), f.At.UnixNano(), orDash(f.Text), path)
	}
	b.WriteString("end")
	return []byte(b.String())
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// decode reads it back; false if it is not whole.
func decode(text string) (*Tally, bool) {
	t := empty()
	whole := false
	for line := range strings.Lines(text) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		f := strings.SplitN(rest, " ", map[string]int{"upto": 1, "promoted": 1, "day": 2, "gone": 4, "open": 6, "file": 4, "end": 1}[kind])
		r := fields{f: f, ok: true}
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
			t.Files[vault.Path(r.text(3))] = Touched{
				job.Seal{Version: vault.Version(r.text(0)), At: time.Unix(0, r.number(1))}, r.text(2),
			}
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

// fields reads the fields of a line and notes what is not there.
type fields struct {
	f  []string
	ok bool
}

func (r *fields) text(i int) string {
	if i >= len(r.f) {
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
