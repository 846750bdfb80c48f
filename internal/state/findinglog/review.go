package findinglog

import (
	"time"

	"tend/internal/disk/fsys"
)

// reviewsShown is how long a review is remembered: longer than actions are shown for review.
const reviewsShown = 90 * 24 * time.Hour

// Reviewed returns the actions of an agent that someone has reviewed and accepted, by id.
func Reviewed(state fsys.FS, agent string) (map[string]Ack, error) {
	done := map[string]Ack{}
	return done, readJSON(state, fileOf(agent, "reviewed.json"), &done)
}

// Review records that someone has accepted actions. Only the keeper calls it.
func Review(state fsys.FS, agent string, actions []string, ack Ack) error {
	done, err := Reviewed(state, agent)
	if err != nil {
		return err
	}
	for _, id := range actions {
		done[id] = ack
	}
	for id, a := range done {
		if ack.At.Sub(a.At) > reviewsShown {
			delete(done, id)
		}
	}
	return writeJSON(state, fileOf(agent, "reviewed.json"), done, true)
}
