package write

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"tend/internal/finding"
	"tend/internal/job"
	"tend/internal/policy"
	"tend/internal/scan"
	"tend/internal/vault"
)

// Request is a text to be kept.
type Request struct {
	Text string
	Tags []string
	// Allow are rules of the scan the operator waives for this text. Nothing an agent
	// can reach may set it.
	Allow []string
}

// clean brings the text into one form and refuses what is none.
func (w Request) clean(p policy.Policy) (string, error) {
	text := strings.ReplaceAll(w.Text, "\r\n", "\n")
	text = strings.Trim(text, "\n")
	switch {
	case strings.TrimSpace(text) == "":
		return "", &job.Refusal{Why: "there is no text to write", Try: "give it as an argument, or on standard input with --stdin", Usage: true}
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", &job.Refusal{Why: "the text is not UTF-8 text", Try: "memory is plain text; convert it first", Usage: true}
	case len(text) > policy.FileMaxBytes.Of(p):
		return "", &job.Refusal{
			Why: fmt.Sprintf("the text has %d bytes, more than the %d a file may have", len(text), policy.FileMaxBytes.Of(p)),
			Try: "write less, or let the operator raise file.max_bytes", Usage: true,
		}
	}
	return text, nil
}

// screened is what a look at a text came to.
type screened struct {
	findings []finding.Finding
	waived   []string // rules that hit and were waived by the operator
}

// reason tells the record about waived rules.
func (s screened) reason() string {
	if len(s.waived) == 0 {
		return ""
	}
	return "the operator waived " + strings.Join(s.waived, ", ")
}

// screen looks for secrets in a text that is about to be written to a file, after what
// is there already: a secret may come in two halves.
func screen(in job.Input, file vault.Path, text string, before [][]byte, allow []string) (screened, error) {
	var out screened
	mode := policy.Secrets.Of(in.Policy)
	if mode == policy.SecretsOff {
		return out, nil
	}
	only := scan.Options{Classes: []scan.Class{scan.Secret}}
	hits := scan.Text([]byte(text), only)
	for _, s := range scan.Joined(append(slices.Clip(before), []byte(text)), only) {
		if s.Last == len(before) {
			hits = append(hits, s.Hit)
		}
	}
	var refused []scan.Hit
	for _, h := range hits {
		switch {
		case slices.Contains(allow, h.Rule):
			if !slices.Contains(out.waived, h.Rule) {
				out.waived = append(out.waived, h.Rule)
			}
		case mode == policy.SecretsWarn || h.Severity == scan.Low:
			out.findings = append(out.findings, finding.SecretWritten.In(string(file), "%s: %s (%s)", h.Rule, h.What, h.Excerpt))
		default:
			refused = append(refused, h)
		}
	}
	if len(refused) == 0 {
		return out, nil
	}
	h := refused[0]
	r := &job.Refusal{Why: fmt.Sprintf("not written, line %d looks like a secret: %s (%s)", h.Line, h.Rule, h.Excerpt)}
	for _, h := range refused {
		if !slices.Contains(r.Rules, h.Rule) {
			r.Rules = append(r.Rules, h.Rule)
		}
	}
	r.Try = "write where it is kept instead of what it is; only the operator can waive " + strings.Join(r.Rules, ", ")
	return out, r
}
