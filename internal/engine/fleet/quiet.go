package fleet

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"tend/internal/state/pack"
)

// quietFile lists the recorded rewrites that lost too little to be looked at again, one key a line. It is derived: without it they
// are judged once more.
const quietFile = "quiet"

// rewriteKey names a recorded rewrite by the text that it left.
func rewriteKey(after pack.Entry) string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %s", after.Name, after.At.UnixNano(), after.SHA256)
	return fmt.Sprintf("%016x", h.Sum64())
}

// quietKeys returns the keys of the rewrites that need no second look.
func (a *Agent) quietKeys() (map[string]bool, error) {
	data, err := a.Cache.Read(quietFile)
	out := map[string]bool{}
	for k := range strings.FieldsSeq(string(data)) {
		out[k] = true
	}
	return out, err
}

// saveQuiet notes which of the recent rewrites need no second look.
func (a *Agent) saveQuiet(list []Rewrite) error {
	keys := map[string]bool{}
	for _, r := range list {
		if r.Recorded() && !r.suspect {
			keys[r.key] = true
		}
	}
	before, err := a.quietKeys()
	if err != nil || maps.Equal(before, keys) {
		return err
	}
	var b bytes.Buffer
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		b.WriteString(k + "\n")
	}
	return a.Cache.Write(quietFile, b.Bytes())
}
