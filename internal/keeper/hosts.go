package keeper

import (
	"net"
	"strconv"
	"sync"

	"tend/internal/config"
)

// hosts know who speaks for a host that is in trouble: the first of its agents that
// noticed. A host that is away alerts once, and not once for each of a thousand agents.
type hosts struct {
	mu      sync.Mutex
	speaker map[trouble]string
	of      map[string]trouble // by agent
}

// trouble is one kind of failure of one host.
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
