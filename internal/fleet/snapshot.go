package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"tend/internal/fsys"
	"tend/internal/job"
	"tend/internal/layout"
	"tend/internal/plan"
	"tend/internal/policy"
	"tend/internal/vault"
)

// Snapshot is what a request is planned on.
type Snapshot struct {
	job.Input
	// Newest is when the newest of the files changed that the request is about.
	Newest time.Time

	facts *past // what the ledger came to; nil if it was not asked
}

// Empty is an input without files.
func (a *Agent) Empty() job.Input {
	in := job.Input{Layout: a.Layout, Policy: a.Policy}
	in.Snapshot = plan.Snapshot{Agent: a.Name, Now: a.Now(), Files: map[vault.Path]vault.Doc{}}
	return in
}

// Input gathers what a job may know of an agent.
func (a *Agent) Input(ctx context.Context) (job.Input, error) {
	s, err := a.Snapshot(ctx)
	return s.Input, err
}

// Snapshot reads an agent's memory files, its baselines, and what the ledger remembers.
func (a *Agent) Snapshot(ctx context.Context) (Snapshot, error) {
	in, known, err := a.input(ctx)
	return Snapshot{Input: in, facts: known}, err
}

// Settle remembers what a request saw and did. Everything here is a hint: without it more is read the next time.
func (a *Agent) Settle(s Snapshot, job string) error {
	if s.facts == nil {
		return nil
	}
	errs := []error{a.remember(s.Input, s.facts), a.Hints.Seal(s.Input, remembered), a.keepHome(s.Input)}
	if job == "prune" {
		errs = append(errs, a.Hints.RecordSeen(s.Input))
	}
	return errors.Join(errs...)
}

// Glance reads some files only, for what must be quick in any workspace.
func (a *Agent) Glance(ctx context.Context, paths []vault.Path) (Snapshot, error) {
	in := a.Empty()
	for _, p := range paths {
		doc, err := a.Vault.Read(ctx, p)
		if errors.Is(err, vault.ErrAbsent) {
			continue
		}
		if err != nil {
			return Snapshot{}, err
		}
		in.Files[p] = doc
	}
	var err error
	in.Baselines, err = a.Baselines.Approved()
	return Snapshot{Input: in}, err
}

// input is the whole input, with what was read of the past.
func (a *Agent) input(ctx context.Context) (job.Input, *past, error) {
	in := a.Empty()
	in.Facts.Unread, in.Facts.Heads = map[vault.Path]string{}, map[vault.Path]vault.Doc{}
	in.Facts.Audit.Others, in.Facts.Audit.Left = map[vault.Path]bool{}, map[vault.Path]job.Seal{}
	err := a.read(ctx, "", 0, &in)
	if err != nil && a.ws != fsys.Missing { // then only the records were asked for
		return in, nil, cmp.Or(a.ends(ctx, err), err)
	}
	for _, p := range job.Others(a.Layout) {
		if !in.Facts.Audit.Others[p] {
			continue
		}
		doc, err := a.Vault.Read(ctx, p)
		if errors.Is(err, vault.ErrUnreachable) {
			return in, nil, err
		}
		if err == nil {
			in.Files[p] = doc
		}
	}
	if in.Baselines, err = a.Baselines.Approved(); err != nil {
		return in, nil, err
	}
	for p, baseline := range in.Baselines {
		if _, unread := in.Facts.Unread[p]; !unread || baseline == nil {
			continue
		}
		if doc, err := a.Vault.Head(ctx, p, headOf(baseline)); err == nil { // otherwise it stays unread
			in.Facts.Heads[p] = doc
		}
	}
	p, err := a.past()
	if err != nil {
		return in, nil, err
	}
	err = a.facts(&in, p)
	return in.Indexed(), p, err
}

// read takes in every markdown file of the workspace, within the policy's limits.
func (a *Agent) read(ctx context.Context, dir vault.Path, depth int, in *job.Input) error {
	infos, err := a.Vault.List(ctx, dir)
	if err != nil {
		return err
	}
	for _, i := range infos {
		switch {
		case strings.HasPrefix(i.Path.Base(), ".") && i.Path.Base() != ".learnings":
			if !i.Dir {
				in.Facts.Audit.Others[i.Path] = true
			}
		case i.Dir:
			if depth >= policy.PathMaxDepth.Of(a.Policy) || i.Path.Base() == "node_modules" {
				in.Facts.Unread[i.Path] = "lies too deep"
				continue
			}
			if err := a.read(ctx, i.Path, depth+1, in); err != nil {
				if end := a.ends(ctx, err); end != nil {
					return end
				}
				in.Facts.Unread[i.Path] = err.Error()
			}
		case i.Special:
			in.Facts.Unread[i.Path] = "is not a file in the workspace"
		case !strings.EqualFold(path.Ext(string(i.Path)), ".md"):
			in.Facts.Audit.Others[i.Path] = true
		case policy.FileMaxBytes.Of(a.Policy) > 0 && i.Size > int64(policy.FileMaxBytes.Of(a.Policy)):
			in.Facts.Unread[i.Path] = "is larger than file.max_bytes"
		case policy.FilesMaxCount.Of(a.Policy) > 0 && len(in.Files) >= policy.FilesMaxCount.Of(a.Policy):
			in.Facts.Unread[i.Path] = "is beyond files.max_count"
		default:
			doc, err := a.Vault.Read(ctx, i.Path)
			if err != nil {
				if end := a.ends(ctx, err); end != nil {
					return end
				}
				in.Facts.Unread[i.Path] = err.Error()
				continue
			}
			in.Files[i.Path] = doc
		}
	}
	return nil
}

var errVanished = errors.New("the workspace has vanished")

// ends tells an error of one file from one that ends the reading: half a view would be
// acted upon as if it were the whole, and a workspace that went away must not be taken
// for an agent that has deleted all its notes.
func (a *Agent) ends(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, vault.ErrUnreachable), errors.Is(err, errVanished):
		return err
	case errors.Is(err, vault.ErrAbsent):
		if _, gone := a.Vault.List(ctx, ""); gone != nil {
			return fmt.Errorf("%w: %s: %w", errVanished, a.Workspace, gone)
		}
	}
	return nil
}

// remembered is how far back jobs look in the ledger.
const remembered = 62 * 24 * time.Hour

func (a *Agent) facts(in *job.Input, p *past) error {
	f := &in.Facts
	f.Runs, f.Fired, f.Known = map[string]time.Time{}, map[string]int{}, map[vault.Path][]byte{}
	p.tell(in)
	var err error
	if f.Past.Seen, err = a.Hints.Seen(); err != nil {
		return err
	}
	proposed, err := a.Proposals()
	if err != nil {
		return err
	}
	f.Past.Proposed = make(map[string]bool, len(proposed))
	for _, x := range proposed {
		f.Past.Proposed[x.ID] = true
		if x.Job != "review" && x.Job != job.ByAgent && x.At.In(in.Now.Location()).Format(time.DateOnly) == in.Today().String() {
			f.Past.Today++ // what waits counts against the night as what was written does
		}
	}
	hot := in.Sole(layout.Hot)
	if left, ok := p.Files[hot]; ok && in.Now.Sub(left.At) <= remembered && left.Version != in.File(hot).Version {
		if text, ok := a.textLeft(p, hot); ok {
			f.Known[hot] = text
		}
	}
	runs, err := a.Hints.Runs()
	if err != nil {
		return err
	}
	f.Audit.Errors, f.Audit.Due = map[string]string{}, map[string]time.Time{}
	for name, r := range runs {
		f.Runs[name] = r.Last
		if r.Outcome == job.Failed {
			f.Audit.Errors[name] = r.Error
		}
		if r.Next != nil {
			f.Audit.Due[name] = *r.Next
		}
		for _, t := range r.Recent {
			if in.Now.Sub(t) < 24*time.Hour {
				f.Fired[name]++
			}
		}
	}
	return nil
}
