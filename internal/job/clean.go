package job

import (
	"tend/internal/finding"
	"tend/internal/policy"
	"tend/internal/vault"
)

// CleanTexts are the texts in which an audit's scan saw nothing, so that they need not be scanned again. Files with a
// baseline are left out: what the scan forgives in the operator's text it does not forgive in the agent's.
func CleanTexts(in Input, audit Report) map[vault.Version]bool {
	clean := map[vault.Version]bool{}
	if policy.Secrets.Of(in.Policy) == policy.SecretsOff {
		return clean // nobody looked for them
	}
	for p, d := range in.Files {
		if _, guarded := in.Baselines[p]; !guarded {
			clean[d.Version] = true
		}
	}
	for _, v := range audit {
		switch v.Check {
		case finding.SecretAtRest.Code, finding.InjectionAtRest.Code, finding.HiddenText.Code:
			for _, f := range v.Findings {
				delete(clean, in.File(vault.Path(f.File)).Version)
			}
		}
	}
	return clean
}
