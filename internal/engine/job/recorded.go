package job

import (
	"fmt"
	"path"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
)

// Recorded is what a harness recorded of the last write of its own tools to a memory file. OpenClaw does so from 2026.8 on:
// if the text was changed by anyone else before its agent's next write, it excludes the file from then on.
type Recorded struct {
	Text     vault.Version // what was written
	Excluded bool          // the harness does not load the file
	At       time.Time     // of the write
}

// Holds reports whether a text is the one that was recorded.
func (r Recorded) Holds(text []byte) bool { return vault.VersionOf(text) == r.Text }

// Finding says what the harness does with the file now, or will do.
func (r Recorded) Finding(doc vault.Doc, now time.Time) (finding.Finding, bool) {
	when := r.At.In(now.Location()).Format(textfmt.Minute)
	switch {
	case doc.Version == vault.Absent:
	case r.Excluded && LoadedByHarness(doc.Path):
		return finding.HarnessExcludes.In(string(doc.Path), "OpenClaw has not loaded this file since %s", when), true
	case r.Excluded:
		return finding.HarnessDistrusts.In(string(doc.Path), "OpenClaw has treated this file as untrusted since %s", when), true
	case LoadedByHarness(doc.Path) && !r.Holds(doc.Data):
		return finding.HarnessWillExclude.In(string(doc.Path),
			"it was changed from outside after its agent wrote it (%s); at the agent's next write OpenClaw stops loading it", when), true
	}
	return finding.Finding{}, false
}

// LoadedByHarness reports whether OpenClaw puts a memory file into every session by itself.
func LoadedByHarness(p vault.Path) bool { return p == "MEMORY.md" || p.Base() == "USER.md" }

// Beside returns the file in which Tend writes when the harness has recorded a log: OpenClaw reads logs with a word after
// their date like any other.
func Beside(log vault.Path, n int) vault.Path {
	ext := path.Ext(string(log))
	name := strings.TrimSuffix(string(log), ext) + "-tend"
	if n > 1 {
		name += fmt.Sprintf("-%d", n)
	}
	return vault.Path(name + ext)
}
