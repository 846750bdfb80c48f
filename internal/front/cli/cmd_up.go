package cli

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/app/baseline"
	"tend/internal/app/replica"
	"tend/internal/disk/fsys"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/front/keeper"
	"tend/internal/front/keeper/httpapi"
	"tend/internal/model/usererr"
	"tend/internal/state/token"
)

// upReplica serves the agents of a store.
func upReplica(ctx context.Context, o upOptions, ko keeper.Options) (err error) {
	if err := makeAbsolute(&o.store); err != nil {
		return err
	}
	r, err := replica.Start(ctx, replica.Options{
		Settings: replica.Settings(o.store), Cache: o.cache, FleetAt: o.fleetAt, Version: version, Log: ko.Log,
		Beat: o.beat, Silent: 5 * o.beat,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	ko.Replica, ko.Listening = r, nil // a login link would need a token of the store
	ko.Load = func() (*config.Config, error) {
		cfg := r.Load()
		o.overrideListen(cfg)
		return cfg, nil
	}
	return keeper.Run(ctx, ko)
}

type upOptions struct {
	logFormat string
	verbose   bool
	grace     time.Duration
	listen    string
	check     bool
	mute      bool // no log
	store     config.Store
	cache     string
	fleetAt   uint64
	beat      time.Duration
}

func newUpCommand(a *app) *cobra.Command {
	var o upOptions
	cmd := a.command("up", func(ctx context.Context, _ []string) error {
		if o.check {
			return showTimetable(a)
		}
		a.endsItself() // --grace says how long
		return runUp(ctx, a, o)
	})
	cmd.Flags().StringVar(&o.logFormat, "log", "",
		"log to standard error as `FORMAT`: text or json (default: text, and a summary on a terminal)")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "log every job, even if it changed nothing")
	cmd.Flags().DurationVar(&o.grace, "grace", 20*time.Second, "how long running work may take after a stop")
	cmd.Flags().StringVar(&o.listen, "listen", "", "serve on this `ADDRESS` instead of keeper.listen; off for none")
	cmd.Flags().BoolVar(&o.check, "check", false, "print the timetable and exit")
	cmd.Flags().StringVar(&o.store.URL, "store", "", "serve every agent of the store at this `URL`; no tend.yaml is needed")
	cmd.Flags().StringVar(&o.cache, "cache", "", "`FOLDER` for copies of the store's agents; it may be deleted")
	storeFlags(cmd.Flags(), &o.store)
	cmd.Flags().Uint64Var(&o.fleetAt, "fleet-at", 0, "with --store, refuse a store whose fleet is before this `ENTRY`")
	cmd.Flags().DurationVar(&o.beat, "beat", 0, "how often a replica sends a heartbeat (for tests)")
	_ = cmd.Flags().MarkHidden("beat")
	_ = cmd.RegisterFlagCompletionFunc("log", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runUp(ctx context.Context, a *app, o upOptions) error {
	log, err := newLogger(&a.printer, o)
	if err != nil {
		return err
	}
	load, aside := func() (*config.Config, error) { return readAgain(a, o) }, func(say func()) { say() }
	if o.logFormat == "" && !o.mute && isTerminal(a.errw) && os.Getenv("TERM") != "dumb" {
		screen := newUpScreen(&a.printer, log.Handler(), a.now)
		log, load, aside = slog.New(screen), screen.load(load), screen.printAbove
		defer screen.redrawOften(ctx)()
	}
	// A second signal ends the process at once, as without a handler.
	go func() {
		<-ctx.Done()
		signal.Reset(os.Interrupt, syscall.SIGTERM)
	}()
	// Two threads more than jobs may use: what guards the operator's texts then finds one that is free.
	workers := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(workers + 2))
	ko := keeper.Options{
		Workers: workers, Load: load, Log: log, Clock: a.now, Version: version,
		Notify: keeper.Notify, Grace: o.grace, Hangup: hangupSignals(),
		Listening: func(addr string) { aside(func() { sayDashboard(a, o, addr, a.now()) }) },
	}
	if o.store.URL != "" {
		err = upReplica(ctx, o, ko)
	} else {
		err = keeper.Run(ctx, ko)
	}
	switch {
	case errors.Is(err, keeper.ErrSecond):
		return &usererr.Error{Code: usererr.CodeLocked, Err: err, Hint: "there is one keeper for a state folder; `tend service status` shows it"}
	case errors.Is(err, httpapi.ErrOpen):
		return &usererr.Error{Code: usererr.CodeRefused, Err: err}
	}
	return err
}

// sayDashboard prints where the dashboard is, with a login link. A service's output ends up in a log that others may
// read, so there it prints only the address.
func sayDashboard(a *app, o upOptions, addr string, now time.Time) {
	if addr == "" || a.quiet {
		return
	}
	cfg, err := readAgain(a, o)
	if err != nil {
		return
	}
	if os.Getenv("INVOCATION_ID") != "" {
		a.printf("Dashboard: %s (`tend token login` prints a link that logs in)\n", cfg.Keeper.Dashboard(addr))
		return
	}
	err = a.withState(func(state fsys.FS) error {
		link, err := loginLink(state, cfg.Keeper, addr, token.Login{Name: baseline.OperatorName()}, now)
		if err == nil {
			a.printf("Dashboard: %s\nThe link works once, within %.0f minutes; `tend token login` makes another.\n",
				link, token.LoginValid.Minutes())
		}
		return err
	})
	if err != nil {
		a.errorf("No login link for the dashboard: %v\n", err)
	}
}

// hangupSignals returns a channel of SIGHUPs.
func hangupSignals() <-chan os.Signal {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP)
	return c
}

// readAgain reads the configuration as it is on disk now.
func readAgain(a *app, o upOptions) (*config.Config, error) {
	b := *a
	b.cfg = nil
	cfg, err := b.config()
	if err != nil {
		return cfg, err
	}
	o.overrideListen(cfg)
	return cfg, nil
}

// overrideListen lets --listen override the file.
func (o upOptions) overrideListen(cfg *config.Config) {
	switch o.listen {
	case "":
	case "off":
		cfg.Keeper.Listen = ""
	default:
		cfg.Keeper.Listen = o.listen
	}
}

func newLogger(pr *printer, o upOptions) (*slog.Logger, error) {
	opts := &slog.HandlerOptions{Level: slog.LevelInfo}
	switch {
	case o.mute:
		return slog.New(slog.DiscardHandler), nil
	case o.verbose:
		opts.Level = slog.LevelDebug
	case pr.quiet:
		opts.Level = slog.LevelWarn
	}
	switch o.logFormat {
	case "", "text":
		return slog.New(slog.NewTextHandler(pr.errw, opts)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(pr.errw, opts)), nil
	}
	return nil, usererr.Usagef("use text or json", "%s", "--log "+o.logFormat)
}

// plannedJob is a line of the timetable.
type plannedJob struct {
	Agent string    `json:"agent"`
	Job   string    `json:"job"`
	Spec  string    `json:"schedule"`
	Next  time.Time `json:"next"`
}

func showTimetable(a *app) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	entries, err := fleet.Entries(cfg)
	if err != nil {
		return usererr.Usage(err)
	}
	list := []plannedJob{}
	var rows [][]cell
	for _, e := range entries {
		p := plannedJob{e.Agent, e.Job, e.Spec, e.Next(a.now())}
		list = append(list, p)
		rows = append(rows, []cell{{p.Agent, bold}, {p.Job, ""}, {p.Spec, ""}, {p.Next.Format("2006-01-02 15:04:05 MST"), ""}})
	}
	return a.emit(list, func() {
		a.table([]string{"agent", "job", "schedule", "next"}, rows)
	})
}
