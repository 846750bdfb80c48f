package job

import (
	"fmt"
	"strings"
	"time"

	"tend/internal/finding"
	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/plan"
	"tend/internal/policy"
)

// Replay uses quiet time: a buffer that was left behind or is full goes to the day's
// log, and outstanding tagged entries are promoted. It does nothing while the agent works.
func Replay(in Input) plan.Plan {
	d := newDraft(in, "replay")
	if idle := policy.ReplayIdle.Of(in.Policy).Std(); idle > 0 {
		if quiet := in.Now.Sub(in.lastWork()); quiet < idle {
			d.pl.Summary = fmt.Sprintf("the agent worked %s ago; it is quiet after %s", quiet.Round(time.Second), idle)
			return d.pl
		}
	}
	did := []string{d.rotate()}
	if Allows(in.Policy, "curate") {
		d.curate("replay")
		did = append(did, d.pl.Summary)
		if cut := d.cutBuffer("replay"); cut != "" {
			did = append(did, cut)
		}
	}
	obs := d.File(d.Sole(layout.Observations))
	if most := policy.ObservationsMaxLines.Of(in.Policy); most > 0 && note.Lines(obs.Data) > most && Allows(in.Policy, "prune") {
		did = append(did, d.pruneObservations())
	} else if most > 0 && note.Lines(obs.Data) > most {
		d.find(finding.ObservationsSize.In(string(obs.Path), "%d lines, the limit is %d", note.Lines(obs.Data), most))
	}
	d.pl.Summary = strings.Join(did, "; ")
	return d.plan()
}

// lastWork is when the agent last touched its log, its buffer or its session. A file's time far ahead of the clock says
// nothing; one a little ahead is that of a host whose clock is.
func (in Input) lastWork() time.Time {
	var last time.Time
	for _, doc := range in.Of(layout.Daily, layout.Buffer, layout.Session) {
		if doc.ModTime.After(last) && !doc.ModTime.After(in.Now.Add(quietBuffer)) {
			last = doc.ModTime
		}
		if b := note.ParseBuffer(doc.Data, in.Now.Location()); b.LastActive.After(last) && !b.LastActive.After(in.Now) {
			last = b.LastActive
		}
	}
	return last
}
