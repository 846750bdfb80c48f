package fleet

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet/harness"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/text/layout"
	"tend/internal/text/layout/inject"
)

// Recorded returns what the agent's harness recorded of its own writes, by file.
func (f *Files) Recorded() (map[vault.Path]job.Recorded, error) {
	if f.agent.Workspace.Kind != config.Local {
		return nil, nil
	}
	r, err := harness.Recorded(f.agent.Workspace.Path)
	if err != nil && !strings.HasPrefix(f.agent.Layout.Name, "openclaw") {
		return nil, nil // of another program
	}
	return r, err
}

// Guards reports whether the harness would exclude a file if Tend changed it to this text; nil text is a removed file. If its
// records cannot be read, it might.
func (f *Files) Guards(p vault.Path, text []byte, records map[vault.Path]job.Recorded, unreadable error) bool {
	if unreadable != nil {
		return harness.CanRecord(p)
	}
	r, ok := records[p]
	return ok && (text == nil || !r.Holds(text))
}

// spare refuses a text from another machine for a file that the harness would then stop loading.
func (f *Files) spare(p vault.Path, text []byte) error {
	if !harness.CanRecord(p) {
		return nil
	}
	records, err := f.Recorded()
	if !f.Guards(p, text, records, err) {
		return nil
	}
	return &job.Refusal{
		Why: fmt.Sprintf("%s was changed on another machine, and OpenClaw here would stop loading it after a change from outside", p), OwnTool: true,
		Try: "have the agent delete the file with its own tool (apply_patch), then sync again: OpenClaw forgets its record, and the text of the other machine comes",
	}
}

// Log returns today's log to write to, "" if the layout has none.
func (f *Files) Log() vault.Path {
	log, _ := f.writable(f.now().Format(time.DateOnly))
	return log
}

// writable returns the day's log to write to, which is the layout's unless the harness recorded it as its agent's, and
// whether it recorded the buffer.
func (f *Files) writable(day string) (log vault.Path, bufferRecorded bool) {
	p, buffer := vault.Path(f.agent.Layout.Path(layout.Daily, day)), vault.Path(f.agent.Layout.Path(layout.Buffer, day))
	if !harness.CanRecord(p) && !harness.CanRecord(buffer) {
		return p, false
	}
	records, err := f.Recorded()
	log = p
	for n := 1; n < 100 && err == nil && f.Guards(log, nil, records, nil); n++ {
		log = job.Beside(p, n)
	}
	return log, f.Guards(buffer, nil, records, err)
}

// RecordedFindings says which files the harness does not load, or will not.
func (a *Agent) RecordedFindings(ctx context.Context) []finding.Finding {
	records, err := a.Files.Recorded()
	if err != nil {
		return []finding.Finding{finding.CannotLook.In("", "%v", err)}
	}
	var out []finding.Finding
	for p, r := range records {
		doc, _ := a.Vault.Read(ctx, p) // one that cannot be read has its own finding
		doc.Path = p
		if f, ok := r.Finding(doc, a.Now()); ok && f.Code != finding.HarnessDistrusts.Code {
			out = append(out, f)
		}
	}
	finding.Rank(out)
	return out
}

// exclude marks the files that the harness does not load by its own records.
func exclude(files []inject.File, records map[vault.Path]job.Recorded, l layout.Layout) {
	if !strings.HasPrefix(l.Name, "openclaw") {
		return
	}
	for i, f := range files {
		if r, ok := records[vault.Path(f.Name)]; ok && r.Excluded {
			files[i].Excluded = r.At
		}
	}
}

// ShownIn reads the files that a harness with this layout shows, in a folder that need not be configured.
func ShownIn(root string, l layout.Layout) ([]inject.File, error) {
	files, _, err := harness.Shown(root, l, int64(policy.FileMaxRead.Of(policy.Policy{})))
	if err != nil {
		return nil, err
	}
	records, err := harness.Recorded(root)
	exclude(files, records, l)
	return files, err
}
