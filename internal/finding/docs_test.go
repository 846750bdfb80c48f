package finding

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/findings.md anew")

// TestFindingsAreDocumented holds docs/findings.md to the kinds there are, by code with meaning and remedy.
func TestFindingsAreDocumented(t *testing.T) {
	const file = "../../docs/findings.md"
	var b strings.Builder
	b.WriteString("# Findings by code\n\nMade from the program by `go test ./internal/finding -update`. Codes are stable: scripts and monitors may depend on them.\n" +
		"`tend check` orders findings by cost: loss, wrong, late, style.\n\n| code | severity | cost | meaning | what to do |\n|---|---|---|---|---|\n")
	kinds := Kinds()
	slices.SortFunc(kinds, func(x, y Kind) int { return strings.Compare(x.Code, y.Code) })
	for _, k := range kinds {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.Code, k.Severity, CostOf(k.Code), k.Title, strings.ReplaceAll(k.Remedy, "|", "\\|"))
	}
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != b.String() {
		t.Errorf("docs/findings.md does not say what the program does (%v); run with -update", err)
	}
}
