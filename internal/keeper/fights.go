package keeper

import (
	"sync"
	"time"
)

// fights slow the guard down for an agent that changes the operator's text again as soon as it is restored: each round
// writes to the state folder, and without an end to it one agent fills the disk.
type fights struct {
	mu sync.Mutex
	by map[string]*fight
}

type fight struct {
	rounds []time.Time // restores of the last minute
	until  time.Time   // no look before
	asked  bool        // a look is due then
}

const (
	fightSpan  = time.Minute
	fightFair  = 5 // restores in that time that are not a fight yet
	fightPause = time.Second
	fightLong  = 5 * time.Minute
)

// restored notes that an agent's text was brought back. It returns how often that was in the last minute, and how long
// to leave the agent alone if it is a fight.
func (f *fights) restored(agent string, now time.Time) (rounds int, pause time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.by == nil {
		f.by = map[string]*fight{}
	}
	x := f.by[agent]
	if x == nil {
		x = &fight{}
		f.by[agent] = x
	}
	recent := x.rounds[:0]
	for _, t := range x.rounds {
		if now.Sub(t) < fightSpan+pauseAfter(len(x.rounds)) {
			recent = append(recent, t)
		}
	}
	x.rounds = append(recent, now)
	pause = pauseAfter(len(x.rounds))
	x.until = now.Add(pause)
	return len(x.rounds), pause
}

// pauseAfter doubles with each round beyond those that are fair.
func pauseAfter(rounds int) time.Duration {
	if rounds <= fightFair {
		return 0
	}
	return min(fightPause<<min(rounds-fightFair-1, 16), fightLong)
}

// wait is how long the guard must still leave an agent alone. first tells that nobody has asked for a look after that.
func (f *fights) wait(agent string, now time.Time) (left time.Duration, first bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	x := f.by[agent]
	if x == nil || !now.Before(x.until) {
		if x != nil {
			x.asked = false
		}
		return 0, false
	}
	first = !x.asked
	x.asked = true
	return x.until.Sub(now), first
}
