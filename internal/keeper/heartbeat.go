package keeper

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"tend/internal/fsys"
	"tend/internal/keeper/clockwork"
	"tend/internal/keeper/watch"
	"tend/internal/vault"
)

// heartbeatFile is where a keeper writes its heartbeat.
const heartbeatFile = "keeper.alive.json"

// beatEvery is how often it does, and silentAfter when a silent keeper counts as hung.
const beatEvery, silentAfter = 5 * time.Second, 30 * time.Second

// State is what is known of the keeper of a state folder.
type State string

// The states of a keeper.
const (
	Never   State = "never"   // none has run here
	Alive   State = "alive"   // it looks after the fleet
	Hung    State = "hung"    // its process runs and has no heartbeat
	Dead    State = "dead"    // it ended without having been stopped
	Stopped State = "stopped" // somebody stopped it
)

// Heartbeat is what a keeper writes down while it runs.
type Heartbeat struct {
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
func (l Heartbeat) Tends() bool { return l.State != Dead && l.State != Hung }

// ReadHeartbeat reads the heartbeat in a state folder. It goes by the machine's own clock,
// as the keeper does.
func ReadHeartbeat(state fsys.FS) Heartbeat {
	l := Heartbeat{State: Never}
	data, err := vault.ReadFile(state, heartbeatFile)
	if err != nil || json.Unmarshal(data, &l) != nil || l.Beat == nil {
		return Heartbeat{State: Never}
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

// pulse reports that the keeper is alive: in the state folder, to the service manager, and over HTTP.
type pulse struct {
	*reporter
	o     Options
	state fsys.FS
	born  time.Time // by the machine's clock
	clock *clockwork.Clockwork
	watch *watch.Watcher

	mu     sync.Mutex
	ready  bool
	unkept error // why nothing can be kept in the state folder, if so

	telling sync.Mutex
	ending  bool // the service manager knows that the keeper stops
}

// beat writes the heartbeat, or that the keeper was stopped.
func (p *pulse) beat(s State, listen string) {
	host, _ := os.Hostname()
	now := time.Now()
	data, err := json.MarshalIndent(Heartbeat{
		State: s, PID: os.Getpid(), Host: host, Version: p.o.Version, Listen: listen, Agents: len(p.gen.config().Agents), Began: &p.born, Beat: &now,
	}, "", "  ")
	if err == nil {
		err = vault.WriteOver(p.state, vault.Unsynced{}, heartbeatFile, append(data, '\n'), 0o644)
	}
	p.failed("", "write the heartbeat", err)
	p.mu.Lock()
	p.unkept = err
	p.mu.Unlock()
}

// whileAnswering does something again and again, as long as the parts that must never hang answer.
func (p *pulse) whileAnswering(ctx context.Context, every time.Duration, do func()) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if p.answers(ctx) {
			do()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// answers waits for the parts that must never hang.
func (p *pulse) answers(ctx context.Context) bool {
	p.clock.Load()
	return p.watch.Ping(ctx)
}

// reloading is the message for the service manager.
func reloading() string { return daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec() }

// Notify tells systemd, if it started us.
func Notify(state string) { _, _ = daemon.SdNotify(false, state) }

// watchdog tells the service manager that the keeper still works.
func (p *pulse) watchdog(ctx context.Context) {
	if every, err := daemon.SdWatchdogEnabled(false); err == nil && every > 0 {
		p.whileAnswering(ctx, every/3, func() { p.notify(daemon.SdNotifyWatchdog) })
	}
}

func (p *pulse) setReady(is bool) {
	p.mu.Lock()
	p.ready = is
	p.mu.Unlock()
}

// Ready reports whether jobs are being run.
func (p *pulse) Ready() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ready
}

// notify tells the service manager. Once the keeper stops, a reload that ends late must not call it ready again.
func (p *pulse) notify(state string) {
	if p.o.Notify == nil {
		return
	}
	p.telling.Lock()
	defer p.telling.Unlock()
	if p.ending && state != daemon.SdNotifyWatchdog {
		return
	}
	p.ending = p.ending || strings.HasPrefix(state, daemon.SdNotifyStopping)
	p.o.Notify(state)
}

// Health is nil while the keeper can do its work.
func (p *pulse) Health() error {
	ctx, cancel := context.WithTimeout(context.Background(), healthWait)
	defer cancel()
	if !p.answers(ctx) {
		return errors.New("the watch hangs")
	}
	if _, err := p.state.Lstat("keeper.lock"); err != nil {
		return errors.New("the state folder cannot be read")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unkept != nil {
		return errors.New("nothing can be kept in the state folder: is the disk full?")
	}
	return nil
}
