package cache

import (
	"bytes"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/text/scan"
)

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

// Clean returns the texts in which the scan found nothing: the ruleset on the first line, then one version per line.
func (p Parts) Clean() map[vault.Version]bool {
	name, rest, _ := strings.Cut(string(p[cleanPart]), "\n")
	if name != ruleset() {
		return map[vault.Version]bool{}
	}
	out := make(map[vault.Version]bool, strings.Count(rest, "\n"))
	for line := range strings.Lines(rest) {
		out[vault.Version(strings.TrimSuffix(line, "\n"))] = true
	}
	return out
}

// SetClean records which texts an audit found clean, if they are not those it knew.
func (p Parts) SetClean(in job.Input, clean map[vault.Version]bool) {
	if maps.Equal(clean, in.Facts.Audit.Clean) {
		return
	}
	lines := append(make([]string, 0, len(clean)+2), ruleset())
	for _, v := range slices.Sorted(maps.Keys(clean)) {
		lines = append(lines, string(v))
	}
	p[cleanPart] = []byte(strings.Join(append(lines, ""), "\n"))
}
