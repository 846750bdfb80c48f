package keeper

import (
	"net"
	"strconv"
	"sync"

	"tend/internal/config"
	"tend/internal/finding"
)

// hosts know who speaks for a host that is in trouble: the first of its agents that
// noticed. A host that is away alerts once, and not once for each of a thousand agents.
type hosts struct {
	mu      sync.Mutex
	speaker map[trouble]string
	of      map[string]trouble // by agent
}

// trouble is one kind of it with one host.
type trouble struct{ host, code string }

func newHosts() *hosts {
	return &hosts{speaker: map[trouble]string{}, of: map[string]trouble{}}
}

// speaks returns which agent speaks for a trouble that this one has too.
func (h *hosts) speaks(t trouble, agent string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leave(agent, t)
	h.of[agent] = t
	if h.speaker[t] == "" {
		h.speaker[t] = agent
	}
	return h.speaker[t]
}

// well notes that an agent's host is in no trouble.
func (h *hosts) well(agent string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leave(agent, trouble{})
}

// leave ends an agent's trouble, unless it is the one of now.
func (h *hosts) leave(agent string, now trouble) {
	was, ok := h.of[agent]
	if !ok || was == now {
		return
	}
	delete(h.of, agent)
	if h.speaker[was] == agent {
		delete(h.speaker, was) // the next that has it speaks
	}
}

func hostOf(w config.Workspace) string { return net.JoinHostPort(w.Host, strconv.Itoa(w.Port)) }

// hostTrouble is a finding that every agent on a host has, and one of them speaks of.
func (k *Keeper) hostTrouble(agent string, f finding.Finding) finding.Finding {
	a, err := k.gen.config().Agent(agent)
	if err != nil || a.Workspace.Kind == config.Local {
		return f
	}
	if by := k.hosts.speaks(trouble{hostOf(a.Workspace), f.Code}, agent); by != agent {
		f.With = by
	}
	return f
}

// recallHosts takes up from the books who spoke for which host before a restart.
func (k *Keeper) recallHosts(cfg *config.Config) {
	for _, a := range cfg.Agents {
		if a.Workspace.Kind == config.Local {
			continue
		}
		for _, n := range k.books.list(a.Name) {
			if n.Source == hostSource && n.With == "" && n.Over == nil {
				k.hosts.speaks(trouble{hostOf(a.Workspace), n.Code}, a.Name)
			}
		}
	}
}
