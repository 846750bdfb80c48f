package cache

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tend/internal/model/finding"
)

// Found returns what the last chain of jobs found: in how many places, by the findings' keys. nil if none has run.
func (p Parts) Found() map[string]int {
	if _, ok := p[foundPart]; !ok {
		return nil
	}
	out := map[string]int{}
	for line := range strings.Lines(string(p[foundPart])) {
		count, key, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if n, err := strconv.Atoi(count); err == nil {
			out[key] = n
		}
	}
	return out
}

// SetFound records what a chain found, if it is not the same as before.
func (p Parts) SetFound(list []finding.Finding, before map[string]int) {
	now := map[string]int{}
	for _, f := range list {
		if !strings.ContainsAny(f.Key(), "\r\n") { // a file with such a name is reported anew each time
			now[f.Key()] += f.Places()
		}
	}
	if before != nil && maps.Equal(now, before) {
		return
	}
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(now)) {
		fmt.Fprintf(&b, "%d %s\n", now[key], key)
	}
	p[foundPart] = []byte(b.String())
}
