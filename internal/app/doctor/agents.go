package doctor

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"tend/internal/disk/fsys"
	"tend/internal/disk/remote"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/state/ledger"
)

func lookWorkspaces(ctx context.Context, p *patient) []Diagnosis {
	var out []Diagnosis
	for _, name := range slices.Sorted(maps.Keys(p.shut)) {
		out = append(out, broken(p.Hint(p.shut[name]), "%s: %v", name, p.shut[name]))
	}
	for _, ag := range p.agents {
		if _, err := ag.Vault.List(ctx, ""); err != nil {
			out = append(out, broken(p.Hint(err), "%s: %v", ag.Name, err))
			continue
		}
		out = append(out, p.lookMounts(ctx, ag)...)
		if ag.Workspace.Kind == config.Local && !fsys.Writable(ag.Workspace.Path) {
			out = append(out, broken("run tend as the user who owns it", "%s: %s cannot be written", ag.Name, ag.Workspace.Path))
		}
	}
	out = append(out, p.lookHosts()...)
	if len(out) > 0 {
		return out
	}
	return fine("%s can be read and written", textfmt.Count(len(p.agents), "workspace"))
}

// lookMounts reports mounts over folders and files of the layout.
func (p *patient) lookMounts(ctx context.Context, ag *fleet.Agent) []Diagnosis {
	infos, err := ag.Vault.List(ctx, "")
	if err != nil {
		return []Diagnosis{broken(p.Hint(err), "%s: %v", ag.Name, err)}
	}
	var out []Diagnosis
	for _, i := range infos {
		if !i.Dir {
			continue
		}
		if _, err := ag.Vault.List(ctx, i.Path); errors.Is(err, fsys.ErrMount) {
			out = append(out, warn(p.Hint(err), "%s: %s is a separate mount; nothing below it is read or written", ag.Name, i.Path))
		}
	}
	return out
}

// lookLocks reports who holds locks. A lock that nobody holds is only a file.
func lookLocks(_ context.Context, p *patient) []Diagnosis {
	var out []Diagnosis
	for _, ag := range p.agents {
		holder, held := fsys.LockHolder(filepath.Join(p.cfg.StateDir, filepath.FromSlash(ledger.LockPath(ag.Name))))
		if held {
			out = append(out, note("%s is locked by %s", ag.Name, holder)...)
		}
	}
	if len(out) > 0 {
		return out
	}
	return fine("no agent is locked")
}

func lookBaselines(_ context.Context, p *patient) []Diagnosis {
	var out []Diagnosis
	approved, drafts, without := 0, 0, 0
	for _, ag := range p.agents {
		list, err := ag.Baselines.List()
		if err != nil {
			out = append(out, broken("", "%s: %v", ag.Name, err))
			continue
		}
		if len(list) == 0 {
			without++
			continue
		}
		approvals, err := ag.Guard.Approvals()
		if err != nil {
			out = append(out, broken("", "%s: %v", ag.Name, err))
			continue
		}
		for _, b := range list {
			_, found, err := ag.Guard.Check(b, approvals, policy.BaselineMinBytes.Of(ag.Policy))
			switch {
			case err != nil:
				out = append(out, broken("", "%s: %v", ag.Name, err))
			case finding.Worst(found) == finding.Error:
				out = append(out, broken(found[0].Remedy, "%s: %s: %s", ag.Name, b.File, textfmt.FirstLine(found[0].Text)))
			case approvals[b.File].Version == "":
				drafts++
			default:
				approved++
			}
		}
	}
	switch {
	case len(out) > 0:
		return out
	case drafts > 0:
		return note("%d approved; %s pending approval, without effect until then: `tend baseline list`", approved,
			textfmt.Count(drafts, "draft"))
	case approved == 0:
		return note("no agent has a baseline, so none is guarded or reset")
	case without > 0:
		return fine("%d approved; %s without one", approved, textfmt.Count(without, "agent"))
	}
	return fine("%d approved", approved)
}

func lookLedger(_ context.Context, p *patient) []Diagnosis {
	var out []Diagnosis
	for _, ag := range p.agents {
		breaks, err := ag.Ledger.Verify()
		if err != nil {
			out = append(out, broken("compare it with your backup", "%s: %v", ag.Name, err))
			continue
		}
		if len(breaks) > 0 {
			out = append(out, broken(finding.LedgerBroken.Remedy, "%s: the chain breaks at %s", ag.Name,
				strings.Join(breaks[:min(3, len(breaks))], ", ")))
		}
		if last, err := ag.Ledger.Last(); err == nil && last != nil && last.State == ledger.Intent {
			out = append(out, warn("the next command that writes to it repairs this", "%s: %s (%s) was interrupted", ag.Name, last.Job, last.ID))
		}
	}
	if len(out) > 0 {
		return out
	}
	return fine("the hash chain is intact for %s", textfmt.Count(len(p.agents), "agent"))
}

// skewed is the clock difference above which the quiet time of scheduled resets and file ages are unreliable.
const skewed = time.Minute

// probes is how many workspaces on other hosts are tried at once.
const probes = 32

// lookHosts tests changes on other hosts with a temporary file: permissions, space and the server's features cannot
// be checked in another way. Problems of a host are reported once, not for each of its agents.
func (p *patient) lookHosts() []Diagnosis {
	found := make([][]Diagnosis, len(p.agents))
	var group errgroup.Group
	group.SetLimit(probes)
	for i, ag := range p.agents {
		if ag.Workspace.Kind == config.SSH {
			group.Go(func() error {
				found[i] = p.lookHost(ag)
				return nil
			})
		}
	}
	_ = group.Wait() // what failed is among the diagnoses
	var out []Diagnosis
	for _, d := range slices.Concat(found...) {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

func (p *patient) lookHost(ag *fleet.Agent) []Diagnosis {
	host := ag.Workspace.Host
	probe, err := ag.Probe()
	switch {
	case errors.Is(err, remote.ErrWeak):
		return []Diagnosis{broken(p.Hint(err), "%v", err)}
	case err != nil:
		return []Diagnosis{broken(p.Hint(err), "%s: can be read, but not written: %v", ag.Name, err)}
	}
	var out []Diagnosis
	for _, w := range probe.Weaker {
		out = append(out, warn("use OpenSSH's sftp-server there", "%s: %s", host, w))
	}
	if ahead := probe.Ahead.Round(time.Minute); ahead.Abs() > skewed {
		side := "ahead of"
		if ahead < 0 {
			side = "behind"
		}
		out = append(out, warn("set the clocks of both machines", "%s: the clock there is %s %s this one", host,
			strings.TrimSuffix(ahead.Abs().String(), "0s"), side))
	}
	return out
}

// lookHistory checks the packs, which are authoritative, and the git repositories, which are derived from them.
func lookHistory(ctx context.Context, p *patient) []Diagnosis {
	var out []Diagnosis
	for _, ag := range p.agents {
		if p.Rebuild {
			res, err := ag.History.Rebuild(ctx)
			if err != nil {
				out = append(out, broken("the old one was left in place", "%s: the git history was not rebuilt: %v", ag.Name, err))
				continue
			}
			out = append(out, Diagnosis{Result: OK, Message: ag.Name + ": rebuilt with " + textfmt.Count(res.Commits, "commit") + "; all " +
				textfmt.Count(res.Texts, "text") + " of the old one are readable"})
		}
		for _, f := range slices.Concat(ag.History.Check(), fleet.CheckArchives(ag.Ledger)) {
			d := warn(f.Remedy, "%s: %s", ag.Name, f.Text)
			if f.Severity == finding.Error {
				d = broken(f.Remedy, "%s: %s", ag.Name, f.Text)
			}
			out = append(out, d)
		}
	}
	if len(out) > 0 {
		return out
	}
	return fine("the packs are intact for %s", textfmt.Count(len(p.agents), "agent"))
}
