package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet/harness"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
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

// AllowsPull refuses a pull that would change a file which the harness then stops loading.
func (f *Files) AllowsPull(pl plan.Plan) error {
	recordable := func(c plan.Change) bool { return harness.CanRecord(c.Path) }
	if !slices.ContainsFunc(pl.Changes, recordable) {
		return nil
	}
	records, unreadable := f.Recorded()
	for _, c := range pl.Changes {
		if recordable(c) && f.Guards(c.Path, c.New, records, unreadable) {
			return &job.Refusal{
				Why:     fmt.Sprintf("%s was changed on another machine, and OpenClaw here would stop loading it after a change from outside", c.Path),
				OwnTool: true,
				Try: "have the agent delete the file with its own tool (apply_patch), then sync again: " +
					"OpenClaw forgets its record, and the text of the other machine comes",
			}
		}
	}
	return nil
}

// Log returns today's log to write to, "" if the layout has none.
func (f *Files) Log() vault.Path {
	log, _ := f.writableLog(f.now().Format(time.DateOnly))
	return log
}

// Logs returns the files for text of a day, the first one first: the day's log unless the harness recorded it as its agent's,
// and the files beside it that take what has no room there.
func (f *Files) Logs(day string) ([]vault.Path, error) {
	p := vault.Path(f.agent.Layout.Path(layout.Daily, day))
	if p == "" {
		return nil, nil
	}
	records, err := f.Recorded()
	if err != nil {
		return nil, err
	}
	const maxBeside = 9
	var out []vault.Path
	for n := range maxBeside + 1 {
		log := p
		if n > 0 {
			log = job.Beside(p, n)
		}
		if !f.Guards(log, nil, records, nil) {
			out = append(out, log)
		}
	}
	return out, nil
}

// writableLog returns the day's log to write to, which is the layout's unless the harness recorded it as its agent's, and
// whether it recorded the buffer.
func (f *Files) writableLog(day string) (log vault.Path, bufferRecorded bool) {
	p, buffer := vault.Path(f.agent.Layout.Path(layout.Daily, day)), vault.Path(f.agent.Layout.Path(layout.Buffer, day))
	if !harness.CanRecord(p) && !harness.CanRecord(buffer) {
		return p, false
	}
	records, err := f.Recorded()
	log = p
	const maxBeside = 100 // more than an agent writes in a day
	for n := 1; n < maxBeside && err == nil && f.Guards(log, nil, records, nil); n++ {
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

// markExcluded marks the files that the harness does not load by its own records.
func markExcluded(files []loadview.File, records map[vault.Path]job.Recorded, l layout.Layout) {
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
func ShownIn(root string, l layout.Layout) ([]loadview.File, error) {
	files, _, err := harness.Shown(root, l, int64(policy.FileMaxRead.Of(policy.Policy{})))
	if err != nil {
		return nil, err
	}
	records, err := harness.Recorded(root)
	markExcluded(files, records, l)
	return files, err
}
