package cli

import (
	"errors"
	"slices"
	"strings"
	"time"

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
func lookHosts(agents []*fleet.Agent) []diagnosis {
	found := make([][]diagnosis, len(agents))
	parallel(len(agents), probes, func(i int) {
		if agents[i].Workspace.Kind == config.SSH {
			found[i] = lookHost(agents[i])
		}
	})
	var out []diagnosis
	for _, d := range slices.Concat(found...) {
		if !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

func lookHost(ag *fleet.Agent) []diagnosis {
	host := ag.Workspace.Host
	p, err := ag.Probe()
	switch {
	case errors.Is(err, remote.ErrWeak):
		return []diagnosis{broken(hintFor(err), "%v", err)}
	case err != nil:
		return []diagnosis{broken(hintFor(err), "%s: can be read, but not written: %v", ag.Name, err)}
	}
	var out []diagnosis
	for _, w := range p.Weaker {
		out = append(out, worry("use OpenSSH's sftp-server there", "%s: %s", host, w))
	}
	if ahead := p.Ahead.Round(time.Minute); ahead.Abs() > skewed {
		side := "ahead of"
		if ahead < 0 {
			side = "behind"
		}
		out = append(out, worry("set the clocks of both machines", "%s: the clock there is %s %s this one", host, strings.TrimSuffix(ahead.Abs().String(), "0s"), side))
	}
	return out
}
