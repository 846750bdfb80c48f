package fleet

import (
	"context"

	"tend/internal/engine/curator"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
)

// maxOffered limits the entries a curator is shown.
const maxOffered = 80

// Ask lets the configured curator pick entries. It does not hold the lock, and the answer
// is only about entries: the job that follows reads the files again. Any error is a
// finding, and then only the rules decide.
func (a *Agent) Ask(ctx context.Context, in job.Input) ([]job.Pick, []finding.Finding) {
	kind := policy.Curator.Of(a.Policy)
	if kind == policy.CuratorRules {
		return nil, nil
	}
	fail := func(err error) ([]job.Pick, []finding.Finding) {
		return nil, []finding.Finding{finding.CuratorFailed.In("", "%s: %v", kind, err)}
	}
	cfg := a.fleet.Config.Curator
	c, err := curator.New(kind, curator.Config{Command: cfg.Command, URL: cfg.URL, Model: cfg.Model, KeyFile: cfg.KeyFile})
	if err != nil {
		return fail(err)
	}
	r := curator.Request{
		Agent: a.Name, Date: in.Today().String(), Tags: policy.TagsEntry.Of(a.Policy),
		Max: policy.CurateMaxPerNight.Of(a.Policy) - in.Facts.Past.Today,
	}
	r.Min = min(policy.CurateMin.Of(a.Policy), r.Max)
	for _, o := range job.Offer(in, maxOffered) {
		e := curator.Entry{ID: o.Ref, File: string(o.Path), Line: o.Line, Day: o.Day.String(), Tags: o.Tags, Text: o.Text}
		r.Entries = append(r.Entries, e)
	}
	if len(r.Entries) == 0 || r.Max <= 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, policy.CurateTimeout.Of(a.Policy).Std())
	defer cancel()
	said, err := c.Ask(ctx, r)
	if err != nil {
		return fail(err)
	}
	good, bad := curator.Check(r, said)
	var picks []job.Pick
	for _, p := range good {
		picks = append(picks, job.Pick{Text: p.Text, Tag: p.Tag, Sources: p.Sources})
	}
	var found []finding.Finding
	for i, b := range bad {
		if i == 5 {
			found = append(found, finding.CuratorRejected.In("", "and %d more", len(bad)-i))
			break
		}
		found = append(found, finding.CuratorRejected.In("", "%s: %.80q", b.Why, b.Pick.Text))
	}
	return picks, found
}
