package write

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
	"tend/internal/text/scan"
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

// prepared is a text that may be written to the file of a role.
type prepared struct {
	doc    vault.Doc
	text   string
	tags   []string
	recent []note.Entry // the last entries of a log or buffer
}

// prepare checks a request and its text for secrets; what it finds goes into the plan.
func (w Request) prepare(in job.Input, r layout.Role, pl *plan.Plan) (p prepared, err error) {
	path, err := RoleFile(in, r)
	if err != nil {
		return p, err
	}
	if p.tags, err = entryTags(in, w.Tags); err != nil {
		return p, err
	}
	if p.text, err = w.clean(in.Policy); err != nil {
		return p, err
	}
	if p.doc = in.File(path); r != layout.Session { // which is replaced
		p.recent = lastEntries(in, p.doc)
	}
	return p, screen(in, path, p.text, w.Allow, pl)
}

// screen looks for secrets in a text that is about to be written to a file.
func screen(in job.Input, file vault.Path, text string, allow []string, pl *plan.Plan) error {
	mode := policy.Secrets.Of(in.Policy)
	if mode == policy.SecretsOff {
		return nil
	}
	hits := scan.Text([]byte(text), scan.Options{Classes: []scan.Class{scan.Secret}})
	var refused []scan.Hit
	var waived []string // rules that hit and were waived by the operator
	for _, h := range hits {
		switch {
		case slices.Contains(allow, h.Rule):
			if !slices.Contains(waived, h.Rule) {
				waived = append(waived, h.Rule)
			}
		case mode == policy.SecretsWarn || h.Severity == scan.Low:
			pl.Findings = append(pl.Findings, finding.SecretWritten.In(string(file), "%s: %s (%s)", h.Rule, h.What, h.Excerpt))
		default:
			refused = append(refused, h)
		}
	}
	if len(waived) > 0 {
		pl.Reason = "the operator waived " + strings.Join(waived, ", ")
	}
	if len(refused) == 0 {
		return nil
	}
	h := refused[0]
	r := &job.Refusal{Why: fmt.Sprintf("not written, line %d looks like a secret: %s (%s)", h.Line, h.Rule, h.Excerpt)}
	for _, h := range refused {
		if !slices.Contains(r.Rules, h.Rule) {
			r.Rules = append(r.Rules, h.Rule)
		}
	}
	r.Try = "write where it is kept instead of what it is; only the operator can waive " + strings.Join(r.Rules, ", ")
	return r
}
