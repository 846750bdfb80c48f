package doctor

import (
	"context"
	"time"

	"tend/internal/app/replica"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
)

// storeWait is how long the store may take to answer.
const storeWait = 15 * time.Second

// lookStore tests the shared store, if there is one, and reports how far behind agents are.
func lookStore(ctx context.Context, p *patient) []Diagnosis {
	if p.cfg.Store.URL == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	s, err := replica.Connect(ctx, p.cfg)
	if err != nil {
		return []Diagnosis{broken(usererr.HintOf(err), "%v", err)}
	}
	defer s.Close()
	if err := s.Check(ctx); err != nil {
		err = replica.Explain(err)
		return []Diagnosis{broken(usererr.HintOf(err), "%v", err)}
	}
	rows := fine("%s gives the guarantees Tend needs", s.Name())
	if !s.Sealed {
		rows = append(rows, note("it is not encrypted: anyone who can read the bucket or folder can read the memory (`tend store "+
			"key` encrypts a new store)")...)
	}
	if p.fleet == nil {
		return rows
	}
	agents, err := replica.Status(ctx, p.fleet, s)
	if err != nil {
		return append(rows, broken(usererr.HintOf(err), "%v", err))
	}
	for _, a := range agents {
		if len(a.Foreign) > 0 {
			rows = append(rows, warn("`tend store status` lists them; remove them, and find out what else writes to the store",
				"%s: none of the store's machines wrote %s", a.Agent, a.Foreign[0]))
		}
		switch {
		case a.Unrelated:
			rows = append(rows, warn("set store.url to the store it belongs to", "%s belongs to another store", a.Agent))
		case a.Behind > 0:
			rows = append(rows, warn("run `tend sync`, or let `tend up` do it", "%s is %s behind the store", a.Agent,
				textfmt.Count(int(a.Behind), "entry")))
		case a.Here:
			rows = append(rows, fine("%s is up to date at entry %d", a.Agent, a.At)...)
		}
	}
	return rows
}
