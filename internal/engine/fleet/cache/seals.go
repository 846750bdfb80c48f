package cache

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
)

// Seals returns the versions that past logs had when their day was over, one line each: version, time, path. Lines that
// cannot be parsed are ignored.
func (p Parts) Seals() map[vault.Path]job.Seal {
	data := p[sealsPart]
	seals := make(map[vault.Path]job.Seal, bytes.Count(data, []byte{'\n'}))
	for line := range strings.Lines(string(data)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		if len(f) < 3 {
			continue
		}
		at, err := strconv.ParseInt(f[1], 10, 64)
		if err == nil {
			seals[vault.Path(f[2])] = job.Seal{Version: vault.Version(strings.TrimPrefix(f[0], "-")), At: time.Unix(0, at)}
		}
	}
	return seals
}

// Seal adds the logs of past days as they are to the seals, once, so that the audit notices later changes, and drops seals older
// than keep. It records them if that changed any.
func (p Parts) Seal(in job.Input, seals map[vault.Path]job.Seal, keep time.Duration) {
	logs := in.Logs()
	if len(logs) == 0 {
		return
	}
	changed := false
	for _, log := range logs {
		if _, ok := seals[log.Path]; !ok && log.Day < in.Today() && in.Today().Sub(log.Day) <= int(keep.Hours()/24) {
			seals[log.Path] = job.Seal{Version: log.Version, At: in.Now}
			changed = true
		}
	}
	for path, old := range seals {
		if in.Now.Sub(old.At) > keep {
			delete(seals, path)
			changed = true
		}
	}
	if !changed {
		return
	}
	b := make([]byte, 0, 128*len(seals))
	for _, path := range slices.Sorted(maps.Keys(seals)) {
		b = append(append(b, cmp.Or(string(seals[path].Version), "-")...), ' ')
		b = append(strconv.AppendInt(b, seals[path].At.UnixNano(), 10), ' ')
		b = append(append(b, path...), '\n')
	}
	p[sealsPart] = b
}
