package doctor

import (
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"tend/internal/config"
	"tend/internal/fleet"
	"tend/internal/remote"
)

// skewed is a difference of clocks from which on the quiet time of a scheduled reset and the
// age of files mean little.
const skewed = time.Minute

// probes is how many workspaces on other hosts are tried at once.
const probes = 32

// lookHosts tries what changes take on other hosts, with a file of its own that it
// removes again: permissions, space and what a server offers show in no other way.
// What is true of a host is said once, not for each of its agents.
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
		out = append(out, warn("set the clocks of both machines", "%s: the clock there is %s %s this one", host, strings.TrimSuffix(ahead.Abs().String(), "0s"), side))
	}
	return out
}
