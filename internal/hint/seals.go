package hint

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/job"
	"tend/internal/vault"
)

const sealsFile = "logs"

// Seals returns the versions that past logs had when their day was over. The file has one line each: version, time,
// path. Lines that cannot be parsed are ignored.
func (s Store) Seals() (map[vault.Path]job.Seal, error) {
	data, err := s.Read(sealsFile)
	if err != nil {
		return nil, err
	}
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
	return seals, nil
}

// Seal records logs of past days as they are, once, so that the audit notices later changes. Seals older than keep
// are dropped.
func (s Store) Seal(in job.Input, keep time.Duration) error {
	logs := in.Logs()
	if len(logs) == 0 {
		return nil
	}
	seals, err := in.Facts.Audit.Sealed, error(nil)
	if seals == nil {
		if seals, err = s.Seals(); err != nil {
			return err
		}
	}
	changed := false
	for _, log := range logs {
		if _, ok := seals[log.Path]; !ok && log.Day < in.Today() && in.Today().Sub(log.Day) <= int(keep.Hours()/24) {
			seals[log.Path] = job.Seal{Version: log.Version, At: in.Now}
			changed = true
		}
	}
	for p, old := range seals {
		if in.Now.Sub(old.At) > keep {
			delete(seals, p)
			changed = true
		}
	}
	if !changed {
		return nil
	}
	b := make([]byte, 0, 128*len(seals))
	for _, p := range slices.Sorted(maps.Keys(seals)) {
		b = append(append(b, cmp.Or(string(seals[p].Version), "-")...), ' ')
		b = append(strconv.AppendInt(b, seals[p].At.UnixNano(), 10), ' ')
		b = append(append(b, p...), '\n')
	}
	return s.Write(sealsFile, bytes.TrimSuffix(b, []byte("\n")))
}
