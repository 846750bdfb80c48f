// Package finding defines what Tend reports: a stable code, a severity, one line
// of text and a remedy.
package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tend/internal/model/textfmt"
)

// Severity orders findings by urgency.
type Severity int

// The severities, mildest first.
const (
	Info Severity = iota
	Warning
	Error
)

var severityNames = [...]string{"info", "warning", "error"}

func (s Severity) String() string { return severityNames[s] }

// MarshalText writes the severity as a word.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the word back.
func (s *Severity) UnmarshalText(b []byte) error {
	for i, n := range severityNames {
		if n == string(b) {
			*s = Severity(i)
			return nil
		}
	}
	return fmt.Errorf("unknown severity %q", b)
}

// Kind is a type of finding. Codes are stable: monitors and scripts depend on them.
type Kind struct {
	Code     string
	Severity Severity
	Title    string // the meaning in a few words
	Remedy   string // what to do next
}

// Finding is one thing found.
type Finding struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	Agent    string   `json:"agent,omitempty"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`  // the first, if there are several
	Lines    []int    `json:"lines,omitempty"` // all of them, if one finding stands for several places
	Text     string   `json:"text"`
	Remedy   string   `json:"remedy,omitempty"`
	Diff     string   `json:"diff,omitempty"` // the change, if the finding is about one
	// With names the agent whose finding has the same cause and is reported for all of them.
	With string `json:"with,omitempty"`
	// Known is set if the same was found the last time the job ran.
	Known bool `json:"seen_before,omitempty"`
}

// Same reports whether two findings say the same about the same place.
func (f Finding) Same(g Finding) bool {
	return f.Code == g.Code && f.Agent == g.Agent && f.File == g.File && f.Line == g.Line && f.Text == g.Text
}

// Key identifies what a finding is about from one run to the next, however its text changes meanwhile.
func (f Finding) Key() string { return f.Code + " " + f.File }

// Places is how many places a finding stands for.
func (f Finding) Places() int { return max(1, len(f.Lines)) }

// NeedsPerson reports whether a person must do something about a finding that a job has just made: it is more than
// information, it is new, and neither a later job nor the agent puts it right.
func (f Finding) NeedsPerson() bool {
	return f.Severity > Info && !f.Known && !slices.Contains(passingCodes(), f.Code)
}

// passingCodes are the codes of what jobs and agents put right by themselves, and of what is only worth knowing.
func passingCodes() []string {
	var codes []string
	for _, k := range []Kind{
		SessionAge, DailyLog, MemoryAge, BufferLeft, BufferSize, WALOrphans, ObservationsSize, LogCount,
		ProposalMade, CuratorRejected, CuratorFailed,
	} {
		codes = append(codes, k.Code)
	}
	return codes
}

// In returns a finding of this kind about a file, with a formatted text.
func (k Kind) In(file, format string, args ...any) Finding {
	return Finding{Code: k.Code, Severity: k.Severity, File: file, Text: textfmt.InLine(fmt.Sprintf(format, args...)), Remedy: k.Remedy}
}

// Advice is the remedy with the finding's agent and file in place of AGENT and FILE in its commands.
func (f Finding) Advice() string { return Advised(f.Remedy, f.Agent, f.File) }

// Advised puts an agent and a file in place of AGENT and FILE in the commands of a remedy. What is empty is left as it is.
func Advised(remedy, agent, file string) string {
	parts := strings.Split(remedy, "`")
	for i := 1; i < len(parts); i += 2 {
		words := strings.Fields(parts[i])
		for k, w := range words {
			switch {
			case w == "AGENT" && agent != "":
				words[k] = agent
			case w == "FILE" && file != "":
				words[k] = textfmt.ShellQuote(file)
			}
		}
		parts[i] = strings.Join(words, " ")
	}
	return strings.Join(parts, "`")
}

// AtLine returns f with a line number.
func (f Finding) AtLine(n int) Finding {
	f.Line = n
	return f
}

// WithDiff returns f with a diff of the change.
func (f Finding) WithDiff(d string) Finding {
	f.Diff = d
	return f
}

// Worst returns the highest severity in a list, Info if it is empty.
func Worst(list []Finding) Severity {
	worst := Info
	for _, f := range list {
		worst = max(worst, f.Severity)
	}
	return worst
}

// Sort puts the most severe first, then by file and line.
func Sort(list []Finding) {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
}
