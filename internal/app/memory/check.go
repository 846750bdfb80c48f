package memory

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// checkSize enforces the policy's largest file size. A text that was already larger may shrink.
func checkSize(before vault.Doc, after []byte, p policy.Policy) error {
	most := policy.FileMaxBytes.Of(p)
	if len(after) <= most || len(after) < len(before.Data) {
		return nil
	}
	return toolerr.New(toolerr.TooLarge, "%s would have %d bytes, more than the %d a memory file may have.", before.Path, len(after), most).
		Try("Split it into files of one topic each.")
}

// checkText refuses bytes that are not text: how they look depends on the reader.
func checkText(p vault.Path, text string) error {
	switch {
	case !utf8.ValidString(text):
		return toolerr.New(toolerr.BadInput, "The text for %s is not valid UTF-8.", p)
	case strings.IndexByte(text, 0) >= 0:
		return toolerr.New(toolerr.BadInput, "The text for %s contains a NUL byte.", p)
	}
	return nil
}

// near is how much text around an edit is scanned with it, so that a secret written in two halves is found when they
// are joined.
const near = 256

// scanAdded scans the added text. It returns notes for the agent, or a refusal.
func scanAdded(path vault.Path, before, after []byte, p policy.Policy) (warnings []string, err error) {
	e := note.Trim(before, after)
	if e.Text == "" && e.Cut == 0 {
		return nil, nil
	}
	from, to := e.At, e.At+len(e.Text)
	lo, hi := max(0, from-near), min(len(after), to+near)
	if i := bytes.LastIndexByte(after[:lo], '\n'); lo > 0 && lo-i < 4*near {
		lo = i + 1
	}
	if i := bytes.IndexByte(after[hi:], '\n'); i >= 0 && i < 4*near {
		hi += i
	}
	first := note.LineAt(after, lo)
	hidden := 0
	for _, h := range scan.Text(after[lo:hi], scan.Options{Incoming: true}) {
		if lo+h.End <= from || lo+h.Start >= to && to > from {
			continue // was there before
		}
		line := first + h.Line - 1
		switch h.Class {
		case scan.Secret:
			if h.Severity == scan.Low {
				continue
			}
			switch policy.Secrets.Of(p) {
			case policy.SecretsRefuse:
				return nil, toolerr.New(toolerr.Secret, "Not written: line %d of %s looks like a secret (%s: %s).", line, path, h.Rule,
					strings.TrimSuffix(h.What, ".")).
					Try("Leave the value out and write where it is stored. Only the operator can allow it.")
			case policy.SecretsWarn:
				warnings = append(warnings, fmt.Sprintf("Line %d looks like a secret (%s): remove it unless it must be there.", line, h.Rule))
			}
		case scan.Hidden:
			if hidden++; hidden == 1 {
				warnings = append(warnings, fmt.Sprintf("Line %d: %s.", line, strings.TrimSuffix(h.What, ".")))
			}
		}
	}
	return warnings, nil
}
