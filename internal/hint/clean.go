package hint

import (
	"bytes"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"tend/internal/job"
	"tend/internal/scan"
	"tend/internal/vault"
)

const cleanFile = "clean"

// ruleset identifies the scan rules of this program: results of other rules do not count.
var ruleset = sync.OnceValue(func() string {
	var b bytes.Buffer
	for _, r := range scan.Rules() {
		fmt.Fprintf(&b, "%+v\n", r)
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(&b, info.Main.Version, info.Settings)
	}
	return string(vault.VersionOf(b.Bytes()))
})

// Clean returns the texts in which the scan found nothing. The file has the ruleset on its first line, then one
// version per line.
func (s Store) Clean() (map[vault.Version]bool, error) {
	data, err := s.Read(cleanFile)
	if err != nil {
		return nil, err
	}
	out := map[vault.Version]bool{}
	name, rest, _ := strings.Cut(string(data), "\n")
	if name != ruleset() {
		return out, nil
	}
	for line := range strings.Lines(rest) {
		out[vault.Version(strings.TrimSuffix(line, "\n"))] = true
	}
	return out, nil
}

// RecordClean saves which texts an audit found clean.
func (s Store) RecordClean(in job.Input, clean map[vault.Version]bool) error {
	if maps.Equal(clean, in.Facts.Audit.Clean) {
		return nil
	}
	lines := []string{ruleset()}
	for _, v := range slices.Sorted(maps.Keys(clean)) {
		lines = append(lines, string(v))
	}
	return s.Write(cleanFile, []byte(strings.Join(lines, "\n")))
}
