package keeper

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"tend/internal/fsys"
	"tend/internal/vault"
)

// lifeFile is where a keeper says that it lives.
const lifeFile = "keeper.alive.json"

// beatEvery is how often a keeper says so, and silentAfter when nobody believes it any more.
const beatEvery, silentAfter = 5 * time.Second, 30 * time.Second

// State is what is known of the keeper of a state folder.
type State string

// The states of a keeper.
const (
	Never   State = "never"   // none has run here
	Alive   State = "alive"   // it looks after the fleet
	Hung    State = "hung"    // its process is there and gives no sign of life
	Dead    State = "dead"    // it ended without having been stopped
	Stopped State = "stopped" // somebody stopped it
)

// Life is a keeper's sign of life.
type Life struct {
	State   State      `json:"state"`
	PID     int        `json:"pid,omitempty"`
	Host    string     `json:"host,omitempty"`
	Version string     `json:"version,omitempty"`
	Listen  string     `json:"listen,omitempty"`
	Agents  int        `json:"agents,omitempty"`
	Began   *time.Time `json:"began,omitempty"`
	Beat    *time.Time `json:"last_beat,omitempty"`
	Age     float64    `json:"beat_age_seconds,omitempty"`
}

// Tends reports whether somebody is known to look after the fleet, or nobody ever did.
func (l Life) Tends() bool { return l.State != Dead && l.State != Hung }

// LifeOf looks at the sign of life in a state folder. It goes by the machine's own clock,
// as the keeper does.
func LifeOf(state fsys.FS) Life {
	l := Life{State: Never}
	data, err := vault.ReadFile(state, lifeFile)
	if err != nil || json.Unmarshal(data, &l) != nil || l.Beat == nil {
		return Life{State: Never}
	}
	l.Age = time.Since(*l.Beat).Round(time.Millisecond).Seconds()
	host, _ := os.Hostname()
	switch {
	case l.State == Stopped:
	case host == l.Host && !running(l.PID):
		l.State = Dead
	case time.Since(*l.Beat) > silentAfter:
		l.State = Hung
	}
	return l
}

// beat says that the keeper lives, or that it was stopped.
func (k *Keeper) beat(s State, listen string) {
	host, _ := os.Hostname()
	now := time.Now()
	data, err := json.MarshalIndent(Life{
		State: s, PID: os.Getpid(), Host: host, Version: k.o.Version, Listen: listen, Agents: len(k.gen.config().Agents), Began: &k.born, Beat: &now,
	}, "", "  ")
	if err == nil {
		err = vault.WriteOver(k.state, vault.Unsynced{}, lifeFile, append(data, '\n'), 0o644)
	}
	k.failed("", "give a sign of life", err)
	k.mu.Lock()
	k.unkept = err
	k.mu.Unlock()
}

// live gives signs of life while the clockwork and the watch answer.
func (k *Keeper) live(ctx context.Context, listen string) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		if k.answers(ctx) {
			k.beat(Alive, listen)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// answers waits for the parts that must never hang.
func (k *Keeper) answers(ctx context.Context) bool {
	k.clock.Load()
	return k.watch.Ping(ctx)
}
