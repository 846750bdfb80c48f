// Package keeper is `tend up`: one process that looks after the whole fleet for
// months. It runs jobs when they are due, watches what is the operator's, takes what
// agents write into history, tells people what they should know, and serves the
// agents' memory and itself over HTTP.
//
// It holds nothing that is not on disk: killed at any moment, the next one goes on
// where it was.
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

	"tend/internal/config"
	"tend/internal/fsys"
	"tend/internal/keeper/clockwork"
	"tend/internal/keeper/watch"
	"tend/internal/notice"
	"tend/internal/replica"
	"tend/internal/schedule"
	"tend/internal/token"
	"tend/internal/web"
)

// Options say how a keeper runs.
type Options struct {
	// Load reads the configuration again and checks it.
	Load    func() (*config.Config, error)
	Log     *slog.Logger
	Clock   func() time.Time
	Version string
	// Notify tells the service manager of a new state; nil tells nobody.
	Notify func(state string)
	// Grace is how long work in hand may take after a stop.
	Grace time.Duration
	// Hangup asks for the configuration to be read again; nil never does.
	Hangup <-chan os.Signal
	// Listening, if not nil, hears the address once the keeper serves.
	Listening func(addr string)

	// Replica is the store that the agents live in; nil if their files here are the truth.
	Replica *replica.Replica

	made func(*Keeper) // for tests
}

// Keeper looks after a fleet.
type Keeper struct {
	o       Options
	state   fsys.FS
	began   time.Time     // by the clock of the schedule
	born    time.Time     // by the machine's
	started config.Keeper // what it serves with
	read    fileStamp     // of the configuration, as it was read first

	gen     *generations
	clock   *clockwork.Clockwork
	watch   *watch.Watcher
	books   *books
	hosts   *hosts
	alerts  *alerter
	history *historian
	metrics *metrics
	tokens  *token.Checker
	doors   *doors
	site    *web.Site

	synced    atomic.Int64 // when all agents in the store were last in step, in Unix nanoseconds
	reloading sync.Mutex
	guarding  sync.Map // agents whose guarded files are about to be looked at
	fights    fights

	mu     sync.Mutex
	ready  bool
	unkept error                // why nothing can be kept in the state folder, if so
	stale  bool                 // handles may lead nowhere
	first  map[string]time.Time // when each agent came under care
	// entries are the timetable, by agent. It is replaced, never changed.
	entries map[string][]schedule.Entry
}

// ErrSecond: another keeper looks after this state.
var ErrSecond = errors.New("another keeper is at work on this state")

// Run keeps the fleet until the context ends.
func Run(ctx context.Context, o Options) (err error) {
	o.Log = slog.New(newDedupeLog(o.Log.Handler()))
	loading := time.Now()
	cfg, err := o.Load()
	if err != nil {
		return err
	}
	read := stampOf(cfg.Path)
	if o.Replica == nil && loading.Sub(read.mod) < time.Second {
		read = fileStamp{} // it may have been changed while it was read: it will be read again
	}
	if err := fsys.MakeFolder(cfg.StateDir, 0o700); err != nil {
		return fmt.Errorf("make state folder: %w", err)
	}
	state, err := fsys.Dir(cfg.StateDir)
	if err != nil {
		return fmt.Errorf("open state folder: %w", err)
	}
	defer func() { err = errors.Join(err, state.Close()) }()
	lock, err := lockState(state, o.Clock())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	k := &Keeper{o: o, read: read, state: state, began: o.Clock(), born: time.Now(), tokens: token.NewChecker(state, o.Clock)}
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

func (k *Keeper) run(ctx context.Context, cfg *config.Config) (err error) {
	k.metrics, k.started = newMetrics(k), cfg.Keeper
	k.gen = newGenerations(k.o.Clock)
	if k.o.Replica != nil {
		k.gen.shared = k.o.Replica
		k.o.Replica.Hear(k.counts)
	}
	if err := k.gen.open(cfg); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.gen.close()) }()
	k.books = newBooks(k.state, k.o.Clock)
	k.alerts = newAlerter(k.o.Log, k.metrics, k.books)
	workers := cfg.Keeper.Workers
	workers = cmp.Or(workers, runtime.GOMAXPROCS(0))
	k.clock = clockwork.New(clockwork.Options{
		Run: k.runJob, Save: k.save, Workers: workers, Grace: k.o.Grace, Now: k.o.Clock, Mine: k.mine,
		Panicked: func(w clockwork.Work, value any) { k.panicked(w.Agent, w.Job, value) },
	})
	k.history = newHistorian(k)
	k.site = web.New(k, web.Options{State: k.state, Tokens: k.tokens, Clock: k.o.Clock, Log: k.o.Log, TLS: cfg.Keeper.TLSCert != "", Version: k.o.Version})
	defer k.site.Close()
	if err := k.readFirst(); err != nil {
		return err
	}
	k.books.set(cfg)
	k.hosts = newHosts()
	k.recallHosts(cfg)
	if err := k.timetable(cfg); err != nil {
		return err
	}
	k.alerts.set(cfg.Alerts)
	if k.o.made != nil {
		k.o.made(k)
	}
	k.doors = newDoors(k)
	srv, err := k.listen(cfg.Keeper)
	if err != nil {
		return err
	}

	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	k.watch = watch.New(watch.Options{Guarded: k.guardLater, Settled: k.Settled, Changed: k.site.Changed, Degraded: k.degraded})
	k.watch.Set(k.targets(cfg))
	wg.Go(func() { k.alerts.run(work) })
	wg.Go(func() { k.history.run(work) })
	wg.Go(func() { k.look(ctx) })
	wg.Go(func() { k.watchdog(ctx) })
	if k.o.Replica == nil {
		wg.Go(func() { k.syncStore(ctx) })
	} else {
		wg.Go(func() { k.o.Replica.Run(ctx, k.storeState) })
	}
	k.beat(Alive, srv.addr())
	wg.Go(func() { k.whileAnswering(ctx, beatEvery, func() { k.beat(Alive, srv.addr()) }) })
	srv.start(&wg)
	k.setReady(true)
	k.notify("READY=1\nSTATUS=" + keeping(cfg))
	k.o.Log.Info("keeping", "agents", len(cfg.Agents), "config", cfg.Path, "state", cfg.StateDir, "listen", srv.addr())
	if k.o.Listening != nil {
		k.o.Listening(srv.addr())
	}
	left := k.clock.Run(ctx)

	k.setReady(false)
	k.notify("STOPPING=1\nSTATUS=finishing what is in hand")
	err = errors.Join(srv.stop(k.o.Grace), k.watch.Close())
	stop()
	if !within(letGo, wg.Wait) || left > 0 {
		k.gen.abandon()
		err = errors.Join(err, errors.New("what was in hand did not end, a disk does not answer: it was left"))
	} else {
		k.doors.close()
	}
	k.beat(Stopped, "")
	k.o.Log.Info("stopped", "after", k.o.Clock().Sub(k.began).Round(time.Second).String())
	return err
}

func (k *Keeper) setReady(is bool) {
	k.mu.Lock()
	k.ready = is
	k.mu.Unlock()
}

// Ready reports whether jobs are being run.
func (k *Keeper) Ready() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ready
}

func (k *Keeper) notify(state string) {
	if k.o.Notify != nil {
		k.o.Notify(state)
	}
}

func keeping(cfg *config.Config) string { return fmt.Sprintf("keeping %d agents", len(cfg.Agents)) }

// degraded hears from the watch how many folders it cannot watch.
func (k *Keeper) degraded(folders int, why error) {
	k.metrics.unwatched.Set(float64(folders))
	k.tell(notice.House, "watch", watchFindings(folders, why), false)
}

// letGo is how long the parts of a keeper may take to end.
const letGo = 30 * time.Second

// within does something and reports whether it ended in time.
func within(d time.Duration, do func()) bool {
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
		return true
	case <-time.After(d):
		return false
	}
}
