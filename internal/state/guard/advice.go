package guard

import (
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/text/note"
)

// Advise reviews a baseline: its size, the sections that agents need, and whether it tells them about the line. Its
// findings are only advice.
func Advise(file vault.Path, text []byte, p policy.Policy) []finding.Finding {
	var found []finding.Finding
	size := func(format string, args ...any) {
		found = append(found, finding.BaselineSize.In(string(file), format, args...))
	}
	kb := func(n int) float64 { return float64(n) / 1024 }
	small, from := policy.BaselineSizeSmall.Of(p), policy.BaselineSizeGoodFrom.Of(p)
	to, large := policy.BaselineSizeGoodTo.Of(p), policy.BaselineSizeLarge.Of(p)
	switch n := len(text); {
	case n < small:
		size("%.1f KB is small: under %.0f KB an agent that lost everything else knows too little (%.0f to %.0f KB works well)",
			kb(n), kb(small), kb(from), kb(to))
	case n > large:
		size("%.1f KB is large: over %.0f KB it crowds out the notes (%.0f to %.0f KB works well)", kb(n), kb(large), kb(from), kb(to))
	}
	doc := note.Parse(text)
	var missing []string
	for _, want := range policy.BaselineSections.Of(p) {
		if _, ok := doc.Section(want); !ok {
			missing = append(missing, want)
		}
	}
	if len(missing) > 0 {
		found = append(found, finding.BaselineSections.In(string(file), "no section named %s", strings.Join(missing, ", ")))
	}
	if _, _, marked := note.FindLine(text, policy.BaselineSeparator.Of(p)); marked && !mentionsLine(text) {
		found = append(found, finding.BaselineContract.In(string(file), "nothing in it says that notes go below the line and are archived"))
	}
	return found
}
