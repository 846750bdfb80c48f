package fleet

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

// ruleset names the rules of the scan as this program has them: what another one found
// clean says nothing.
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

// clean reads which texts the scan has seen nothing in: the ruleset's name, then a line
// for each version.
func (a *Agent) clean() (map[vault.Version]bool, error) {
	data, err := a.hint(cleanFile)
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
func (a *Agent) RecordClean(in job.Input, clean map[vault.Version]bool) error {
	if maps.Equal(clean, in.Facts.Audit.Clean) {
		return nil
	}
	lines := []string{ruleset()}
	for _, v := range slices.Sorted(maps.Keys(clean)) {
		lines = append(lines, string(v))
	}
	return a.keepHint(cleanFile, []byte(strings.Join(lines, "\n")))
}
