package cache

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/engine/job"
	"tend/internal/text/layout"
)

// Seen returns since when each entry has been in the loaded files: one line each, the entry's mark and the second.
func (p Parts) Seen() map[job.Mark]time.Time {
	data := p[seenPart]
	out := make(map[job.Mark]time.Time, bytes.Count(data, []byte{'\n'}))
	for line := range strings.Lines(string(data)) {
		mark, second, _ := strings.Cut(strings.TrimSpace(line), " ")
		m, err1 := strconv.ParseUint(mark, 16, 64)
		s, err2 := strconv.ParseInt(second, 10, 64)
		if err1 == nil && err2 == nil {
			out[job.Mark(m)] = time.Unix(s, 0)
		}
	}
	return out
}

// SetSeen records which entries are in the hot file and among the observations now. Known ones keep their time;
// missing ones are dropped.
func (p Parts) SetSeen(in job.Input) {
	was, now := in.Facts.Remembered.Seen, map[job.Mark]time.Time{}
	for _, role := range []layout.Role{layout.Hot, layout.Observations} {
		for _, e := range in.Parse(in.File(in.Sole(role))).Entries(0) {
			m := job.MarkOf(e.Normal())
			if t, ok := was[m]; ok {
				now[m] = t
			} else if _, ok := now[m]; !ok {
				now[m] = in.Now.Truncate(time.Second)
			}
		}
	}
	if maps.EqualFunc(was, now, time.Time.Equal) {
		return
	}
	var b bytes.Buffer
	for _, m := range slices.Sorted(maps.Keys(now)) {
		fmt.Fprintf(&b, "%016x %d\n", uint64(m), now[m].Unix())
	}
	p[seenPart] = b.Bytes()
}
