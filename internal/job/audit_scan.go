package job

import (
	"tend/internal/finding"
	"tend/internal/policy"
	"tend/internal/scan"
)

func scansSecrets(l *look) bool { return policy.Secrets.Of(l.Policy) != policy.SecretsOff }

func secretsAtRest(l *look) []finding.Finding { return scanned(l, finding.SecretAtRest, scan.Secret) }

func injectionAtRest(l *look) []finding.Finding {
	return scanned(l, finding.InjectionAtRest, scan.Injection, scan.Exfil)
}

func hiddenText(l *look) []finding.Finding { return scanned(l, finding.HiddenText, scan.Hidden) }

// scanned reports hits of some classes in all files. Orders in the operator's own text
// are what it is for; secrets and hidden characters have no business even there.
func scanned(l *look, k finding.Kind, classes ...scan.Class) []finding.Finding {
	var out []finding.Finding
	for _, d := range l.All() {
		for _, h := range l.hits(d) {
			wanted := false
			for _, c := range classes {
				wanted = wanted || h.Class == c
			}
			operators := h.Class == scan.Injection && h.Start < l.Owned(d)
			if wanted && !operators {
				out = append(out, k.In(string(d.Path), "%s: %s", h.Rule, h.Excerpt).AtLine(h.Line))
			}
		}
	}
	return out
}
