// Package keeper is `tend up`: a daemon that maintains the whole fleet. It runs jobs when they are due, guards the
// operator's texts, commits what agents write to history, sends alerts, and serves the agents' memory, an API and the
// dashboard over HTTP.
//
// All its state is on disk: if it is killed, the next one continues.
package keeper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"tend/internal/app/replica"
	"tend/internal/disk/fsys"
	"tend/internal/engine/config"
	"tend/internal/front/keeper/scheduler"
	"tend/internal/front/keeper/watch"
	"tend/internal/front/web"
	"tend/internal/state/findinglog"
	"tend/internal/state/token"
)

// Options configures a keeper.
type Options struct {
	// Load reads and checks the configuration.
	Load    func() (*config.Config, error)
	Log     *slog.Logger
	Clock   func() time.Time
	Version string
	// Notify sends a state to the service manager; may be nil.
	Notify func(state string)
	// Workers is how many jobs run at once, if the configuration does not say.
	Workers int
	// Grace is how long running work may take after a stop.
	Grace time.Duration
	// Hangup triggers a reload; may be nil.
	Hangup <-chan os.Signal
	// Listening, if not nil, is called with the address once the keeper serves.
	Listening func(addr string)

	// Replica serves agents from a shared store; nil if the local files are authoritative.
	Replica *replica.Replica

	made func(*Keeper) // for tests
}

// Keeper maintains a fleet.
type Keeper struct {
	*reporter
	*pulse
	o       Options
	state   fsys.FS
	began   time.Time     // by Options.Clock
	started config.Keeper // the settings it serves with
	read    fileStamp     // the configuration's file when it was first read

	clock    *scheduler.Scheduler
	times    *timetable
	watch    *watch.Watcher
	guards   *guards
	poller   *remotePoller
	store    *storeSide
	history  *historian
	tokens   *token.Checker
	memories *memories
	site     *web.Site

	reloading sync.Mutex
	stale     atomic.Bool // open handles may be of replaced folders
}

// ErrSecond: another keeper uses this state folder.
var ErrSecond = errors.New("another keeper is running on this state folder")

// Run maintains the fleet until the context ends.
func Run(ctx context.Context, o Options) (err error) {
	o.Log = slog.New(newDedupeLog(o.Log.Handler()))
	loading := time.Now()
	cfg, err := o.Load()
	if err != nil {
		return err
	}
	read := stampOf(cfg.Path)
	if o.Replica == nil && loading.Sub(read.mod) < time.Second {
		read = fileStamp{} // it may have changed while it was read: read it again
	}
	if err := fsys.MakeFolder(cfg.StateDir, 0o700); err != nil {
		return fmt.Errorf("make state folder: %w", err)
	}
	state, err := fsys.PrivateDir(cfg.StateDir)
	if err != nil {
		return fmt.Errorf("open state folder: %w", err)
	}
	defer func() { err = errors.Join(err, state.Close()) }()
	lock, err := lockState(state, o.Clock())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	k := &Keeper{o: o, read: read, state: state, began: o.Clock(), tokens: token.NewChecker(state, o.Clock)}
	return k.run(ctx, cfg)
}

func lockState(state fsys.FS, now time.Time) (io.Closer, error) {
	host, _ := os.Hostname()
	lock, err := state.Lock("keeper.lock", fmt.Sprintf("pid %d on %s since %s\n", os.Getpid(), host, now.Format(time.RFC3339)))
	if errors.Is(err, fsys.ErrLocked) {
		return nil, fmt.Errorf("%w: %w", ErrSecond, err)
	}
	return lock, err
}

// run makes the parts of the keeper, starts them, and stops them when the context ends.
func (k *Keeper) run(ctx context.Context, cfg *config.Config) (err error) {
	work, stop := context.WithCancel(context.WithoutCancel(ctx)) // running work outlives ctx, for a while
	defer stop()
	if err := k.makeParts(work, cfg); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.gen.close()) }()
	defer k.site.Close()
	if err := k.readState(cfg); err != nil {
		return err
	}
	if k.o.made != nil {
		k.o.made(k)
	}
	srv, err := k.listen(cfg.Keeper)
	if err != nil {
		return err
	}
	site := cfg.Keeper.Dashboard(srv.addr())
	k.alerts.servedAt(site)
	looked := k.startWatching(cfg)

	var wg sync.WaitGroup
	wg.Go(func() { k.alerts.run(work) })
	wg.Go(func() { k.history.run(work) })
	wg.Go(func() { k.runPeriodic(ctx) })
	wg.Go(func() { k.watchdog(ctx) })
	wg.Go(func() { k.store.run(ctx) })
	k.writeBeat(Alive, srv.addr())
	wg.Go(func() { k.whileAnswering(ctx, beatEvery, func() { k.writeBeat(Alive, srv.addr()) }) })
	srv.start(&wg)
	k.setReady(true)
	k.notify("READY=1\nSTATUS=" + statusText(cfg))
	k.o.Log.Info("keeping", "agents", len(cfg.Agents), "config", cfg.Path, "state", cfg.StateDir, "listen", srv.addr(), "dashboard", site)
	if k.o.Listening != nil {
		k.o.Listening(srv.addr())
	}
	select { // a job must not work on text that is about to be restored, nor delay that
	case <-looked:
	case <-time.After(firstLook):
	case <-ctx.Done():
	}
	left := k.clock.Run(ctx)

	k.setReady(false)
	k.notify("STOPPING=1\nSTATUS=finishing running work")
	err = errors.Join(srv.stop(k.o.Grace), k.watch.Close())
	stop()
	wg.Go(k.guards.wait)
	if !returnsWithin(stopTimeout, wg.Wait) || left > 0 {
		k.gen.abandon()
		err = errors.Join(err, errors.New("some work did not end because a disk or host does not answer; it was abandoned"))
	} else {
		k.memories.close()
	}
	k.writeBeat(Stopped, "")
	k.o.Log.Info("stopped", "after", k.o.Clock().Sub(k.began).Round(time.Second).String())
	return err
}

// makeParts opens the fleet and makes the parts of the keeper. None runs yet. work is the context of their work.
func (k *Keeper) makeParts(work context.Context, cfg *config.Config) error {
	k.started = cfg.Keeper
	k.reporter = &reporter{log: k.o.Log, gen: newGenerations(k.o.Clock), hosts: newHosts()}
	k.metrics = newMetrics(k)
	k.store = &storeSide{reporter: k.reporter, replica: k.o.Replica}
	if k.o.Replica != nil {
		k.gen.shared = k.o.Replica
		k.o.Replica.Hear(k.store.count)
	}
	if err := k.gen.open(cfg); err != nil {
		return err
	}
	k.books = newBooks(k.state, k.o.Clock)
	k.alerts = newAlerter(k.o.Log, k.metrics, k.books)
	k.times = &timetable{reporter: k.reporter, state: k.state, now: k.o.Clock, replica: k.o.Replica}
	k.clock = scheduler.New(scheduler.Options{
		Run: k.runJob, Save: k.times.save, Workers: cmp.Or(cfg.Keeper.Workers, k.o.Workers, runtime.GOMAXPROCS(0)), Grace: k.o.Grace,
		Now: k.o.Clock, Mine: k.store.runsJobsOf,
		Panicked: func(w scheduler.Work, value any) { k.reportPanic(w.Agent, w.Job, value) },
	})
	k.times.clock = k.clock
	k.pulse = &pulse{reporter: k.reporter, o: k.o, state: k.state, born: time.Now(), clock: k.clock}
	k.history = newHistorian(k.reporter)
	k.guards = newGuards(work, k.reporter)
	k.poller = &remotePoller{reporter: k.reporter, clock: k.clock, guards: k.guards, history: k.history, agents: map[string]*remoteAgent{}}
	k.site = web.New(k, web.Options{State: k.state, Tokens: k.tokens, Clock: k.o.Clock, Log: k.o.Log, TLS: cfg.Keeper.TLSCert != "",
		Version: k.o.Version})
	k.changed = k.site.Changed
	k.memories = newMemories(k)
	return nil
}

// readState reads what earlier keepers left in the state folder: what was found, when jobs ran, which alerts wait.
func (k *Keeper) readState(cfg *config.Config) error {
	if err := k.times.readFirst(); err != nil {
		return err
	}
	k.books.set(cfg)
	k.restoreHosts(cfg)
	if err := k.times.set(cfg); err != nil {
		return err
	}
	k.alerts.set(cfg.Alerts)
	return nil
}

func statusText(cfg *config.Config) string { return fmt.Sprintf("keeping %d agents", len(cfg.Agents)) }

// startWatching starts the watcher of the agents' files. looked is closed when the guarded ones were checked once.
func (k *Keeper) startWatching(cfg *config.Config) (looked <-chan struct{}) {
	k.watch = watch.New(watch.Options{
		Guarded: k.guards.schedule, Quieted: k.FilesChanged, Changed: k.site.Changed, Degraded: k.reportUnwatched,
	})
	watched := k.targets(cfg)
	looked = k.guards.await(watched)
	k.watch.Set(watched)
	k.pulse.watch = k.watch
	return looked
}

// firstLook is how long jobs wait after a start until the guarded files were checked.
const firstLook = 10 * time.Second

// targets returns what to watch: nothing on a replica, where only Tend writes.
func (k *Keeper) targets(cfg *config.Config) []watch.Target {
	if k.o.Replica != nil {
		return nil
	}
	return watchTargets(cfg, k.history)
}

// reportUnwatched reports how many folders cannot be watched.
func (k *Keeper) reportUnwatched(folders int, why error) {
	k.report(findinglog.NoAgent, "watch", watchFindings(folders, why), false)
}

// stopTimeout is how long the parts of a keeper may take to stop.
const stopTimeout = 30 * time.Second

// returnsWithin calls do and reports whether it returned in time.
func returnsWithin(d time.Duration, do func()) bool {
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
		return true
	case <-time.After(d):
		return false
	}
}
