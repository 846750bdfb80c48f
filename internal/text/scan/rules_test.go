package scan

import (
	"regexp"
	"strings"
	"testing"
)

func TestRulesAreExplained(t *testing.T) {
	code := regexp.MustCompile(`^(secret|inject|exfil|hidden)\.[a-z0-9]+(-[a-z0-9]+)*$`)
	prefix := map[Class]string{Secret: "secret.", Injection: "inject.", Exfil: "exfil.", Hidden: "hidden."}
	seen := map[string]bool{}
	for _, r := range Rules() {
		if !code.MatchString(r.Rule) || !strings.HasPrefix(r.Rule, prefix[r.Class]) {
			t.Errorf("%s: not a code of class %s", r.Rule, r.Class)
		}
		if seen[r.Rule] {
			t.Errorf("%s: duplicate", r.Rule)
		}
		seen[r.Rule] = true
		if r.Severity != Low && r.Severity != Medium && r.Severity != High {
			t.Errorf("%s: severity %s", r.Rule, r.Severity)
		}
		if !strings.HasSuffix(r.What, ".") || !strings.HasSuffix(r.Remedy, ".") {
			t.Errorf("%s: not explained in sentences: %q %q", r.Rule, r.What, r.Remedy)
		}
	}
}

func TestEveryPatternRuns(t *testing.T) {
	s := all()
	for id, p := range s.patterns {
		p.try([]byte("   key word   "), 3, 6) // compiles its expression, which panics on a mistake
		if s.rules[p.rank].Class == Hidden {
			t.Errorf("pattern %d belongs to no rule of rules.txt", id)
		}
	}
	for _, k := range s.keys {
		if n := len(k); n < 1 || n > longestKey {
			t.Errorf("key %q has %d bytes", k, n)
		}
	}
	for name, list := range words() {
		if len(list) == 0 {
			t.Errorf("no words in %q", name)
		}
	}
}
