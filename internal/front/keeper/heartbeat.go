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

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/front/keeper/scheduler"
	"tend/internal/front/keeper/watch"
)

// heartbeatFile is the file of the keeper's heartbeat.
const heartbeatFile = "keeper.alive.json"

// beatEvery is the interval of the heartbeat. After silentAfter without one a keeper counts as hung.
const beatEvery, silentAfter = 5 * time.Second, 30 * time.Second

// State is the state of a keeper.
type State string

// The states of a keeper.
const (
	Never   State = "never"   // none has run here
	Alive   State = "alive"   // it runs
	Hung    State = "hung"    // its process runs, but without a heartbeat
	Dead    State = "dead"    // it ended without being stopped
	Stopped State = "stopped" // it was stopped
)

// Heartbeat is what a keeper writes while it runs.
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

// ReadHeartbeat reads the heartbeat in a state folder. It uses the machine's clock, as the keeper does.
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
	case host == l.Host && !processExists(l.PID):
		l.State = Dead
	case time.Since(*l.Beat) > silentAfter:
		l.State = Hung
	}
	return l
}

// pulse reports that the keeper is alive, in the state folder, to the service manager and over HTTP.
type pulse struct {
	*reporter
	o     Options
	state fsys.FS
	born  time.Time // by the machine's clock
	clock *scheduler.Scheduler
	watch *watch.Watcher

	mu     sync.Mutex
	ready  bool
	unkept error // why the state folder cannot be written, if so

	telling sync.Mutex
	ending  bool // the service manager was told of the stop
}

// writeBeat writes the heartbeat with a state.
func (p *pulse) writeBeat(s State, listen string) {
	host, _ := os.Hostname()
	now := time.Now()
	data, err := json.MarshalIndent(Heartbeat{
		State: s, PID: os.Getpid(), Host: host, Version: p.o.Version, Listen: listen, Agents: len(p.gen.config().Agents), Began: &p.born,
		Beat: &now,
	}, "", "  ")
	if err == nil {
		err = vault.WriteOver(p.state, vault.NoSync{}, heartbeatFile, append(data, '\n'), 0o644)
	}
	p.logError("", "write the heartbeat", err)
	p.mu.Lock()
	p.unkept = err
	p.mu.Unlock()
}

// whileAnswering calls do at each interval, as long as the parts that must never hang answer.
func (p *pulse) whileAnswering(ctx context.Context, every time.Duration, do func()) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if p.partsAnswer(ctx) {
			do()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// partsAnswer waits for the parts that must never hang.
func (p *pulse) partsAnswer(ctx context.Context) bool {
	p.clock.Load()
	return p.watch.Ping(ctx)
}

// reloadingMessage returns the service manager's message for a reload.
func reloadingMessage() string {
	return daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec()
}

// Notify sends a state to systemd, if it started this process.
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

// notify sends a state to the service manager. After STOPPING, a late reload must not report READY again.
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

// Health returns why the keeper cannot work, or nil.
func (p *pulse) Health() error {
	ctx, cancel := context.WithTimeout(context.Background(), healthWait)
	defer cancel()
	if !p.partsAnswer(ctx) {
		return errors.New("the file watcher hangs")
	}
	if _, err := p.state.Lstat("keeper.lock"); err != nil {
		return errors.New("the state folder cannot be read")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unkept != nil {
		return errors.New("the state folder cannot be written: is the disk full?")
	}
	return nil
}
