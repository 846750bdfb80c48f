package cli

import (
	"context"
	"sync"

	"tend/internal/fleet"
	"tend/internal/memory"
)

// reopening is an agent's memory in a process that outlives the workspace: when the operator has recreated the folder, it
// is opened again, so that nobody has to restart the harness.
type reopening struct {
	agent *fleet.Agent // as it is now; the first one belongs to the caller
	open  func(*fleet.Agent) *memory.Service

	mu     sync.Mutex
	memory *memory.Service
	past   []func() // close what was opened; calls may be using it until the end
}

// now is the memory to use. A folder that may not be opened, such as one whose pin the operator has not confirmed, leaves the
// old one in use, whose answers say that the folder is gone.
func (r *reopening) now(ctx context.Context) *memory.Service {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.memory != nil {
		again, err := r.agent.Reopened(ctx)
		if err != nil || again == nil {
			return r.memory
		}
		r.agent = again
		r.past = append(r.past, func() { _ = again.Close() })
	}
	m := r.open(r.agent)
	r.memory = m
	r.past = append(r.past, func() { _ = m.Close() })
	return m
}

func (r *reopening) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.past) - 1; i >= 0; i-- {
		r.past[i]()
	}
}
