package keeper

import (
	"net"
	"strconv"
	"sync"

	"tend/internal/engine/config"
)

// hosts chooses one agent to alert for a failing host, the first that noticed: an unreachable host with a thousand agents
// sends one alert.
type hosts struct {
	mu       sync.Mutex
	alerting map[hostFailure]string
	of       map[string]hostFailure // by agent
}

// hostFailure is a kind of failure of a host.
type hostFailure struct{ host, code string }

func newHosts() *hosts {
	return &hosts{alerting: map[hostFailure]string{}, of: map[string]hostFailure{}}
}

// alertingAgent records an agent's failure and returns the agent that alerts for it.
func (h *hosts) alertingAgent(t hostFailure, agent string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clearFailure(agent, t)
	h.of[agent] = t
	if h.alerting[t] == "" {
		h.alerting[t] = agent
	}
	return h.alerting[t]
}

// recovered records that an agent's host works.
func (h *hosts) recovered(agent string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clearFailure(agent, hostFailure{})
}

// clearFailure removes an agent's failure, unless it is the same as now.
func (h *hosts) clearFailure(agent string, now hostFailure) {
	was, ok := h.of[agent]
	if !ok || was == now {
		return
	}
	delete(h.of, agent)
	if h.alerting[was] == agent {
		delete(h.alerting, was) // the next agent with this failure alerts
	}
}

func hostOf(w config.Workspace) string { return net.JoinHostPort(w.Host, strconv.Itoa(w.Port)) }
