package fleet

import (
	"time"

	"tend/internal/state/ledger/actid"
)

// Probed is the result of testing an agent's workspace.
type Probed struct {
	Ahead  time.Duration // how far the workspace's clock is ahead of ours
	Weaker []string      // guarantees that are weaker than on this machine, though nothing is at risk
}

// Probe tests whether changes can be made in the workspace.
func (a *Agent) Probe() (Probed, error) {
	var p Probed
	if t, ok := a.ws.(interface{ Safe() error }); ok {
		if err := t.Safe(); err != nil {
			return p, err
		}
	}
	if t, ok := a.ws.(interface{ Weaker() []string }); ok {
		p.Weaker = t.Weaker()
	}
	before := time.Now()
	there, err := a.Vault.Probe(actid.New(before))
	if there.After(time.Now()) {
		p.Ahead = time.Until(there)
	} else if there.Before(before.Truncate(time.Second)) { // SFTP knows whole seconds
		p.Ahead = -before.Sub(there)
	}
	return p, err
}
