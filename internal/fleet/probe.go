package fleet

import (
	"time"

	"tend/internal/ledger/actid"
)

// Probed is what a trial of an agent's workspace came to.
type Probed struct {
	Ahead  time.Duration // how far the clock is ahead over there
	Weaker []string      // what is not as it is on this machine, though nothing is at risk
}

// Probe tries whether the workspace can be written to in the way changes are made.
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
