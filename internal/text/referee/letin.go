package referee

import (
	"bytes"
	"sort"

	"tend/internal/text/scan"
)

// letIn scans the added lines. Their hits are placed in the whole text.
func letIn(after []byte, added []Line) []scan.Hit {
	if len(added) == 0 {
		return nil
	}
	var b bytes.Buffer
	starts := make([]int, len(added)) // of each line in what is scanned
	for i, l := range added {
		starts[i] = b.Len()
		b.Write(after[l.Start:l.End])
		if b.Bytes()[b.Len()-1] != '\n' {
			b.WriteByte('\n')
		}
	}
	hits := scan.Text(b.Bytes(), scan.Options{Incoming: true})
	for i := range hits {
		h := &hits[i]
		at := sort.SearchInts(starts, h.Start+1) - 1
		h.Line = added[at].Number
		h.Start, h.End = h.Start-starts[at]+added[at].Start, h.End-starts[at]+added[at].Start
	}
	return hits
}
