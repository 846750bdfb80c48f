package notice

import (
	"time"

	"tend/internal/fsys"
)

// keptReviews is how long a review is remembered: longer than actions are put before a person.
const keptReviews = 90 * 24 * time.Hour

// Reviewed are the actions of an agent that a person has looked at and accepted, by id.
func Reviewed(state fsys.FS, agent string) (map[string]Ack, error) {
	done := map[string]Ack{}
	return done, readJSON(state, file(agent, "reviewed.json"), &done)
}

// Review notes that a person has accepted actions. The keeper alone calls it.
func Review(state fsys.FS, agent string, actions []string, ack Ack) error {
	done, err := Reviewed(state, agent)
	if err != nil {
		return err
	}
	for _, id := range actions {
		done[id] = ack
	}
	for id, a := range done {
		if ack.At.Sub(a.At) > keptReviews {
			delete(done, id)
		}
	}
	return writeJSON(state, file(agent, "reviewed.json"), done, true)
}
