package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"tend/internal/app/demo/sample"
	"tend/internal/disk/fsys"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/table"
	"tend/internal/engine/runner"
	"tend/internal/state/findinglog"
	"tend/internal/state/history"
	"tend/internal/state/plan"
)

// Weeks is a fleet with weeks of history: real files, changed by real jobs on a simulated clock. It ends now, with
// something of each kind for its operator to decide.
type Weeks struct {
	Dir string
	// Run runs a Tend command at a time and returns its exit code and output.
	Run func(at time.Time, args ...string) (code int, printed string)

	now       time.Time
	keepFiles bool
}

// NewWeeks makes the folder of a fleet: the one to keep, or a temporary one.
func NewWeeks(keep string, now time.Time) (*Weeks, error) {
	w := &Weeks{now: now.UTC(), keepFiles: keep != ""}
	var err error
	w.Dir, err = demoFolder(keep)
	return w, err
}

// Config returns the path of the fleet's configuration.
func (w *Weeks) Config() string { return filepath.Join(w.Dir, "tend.yaml") }

// Close removes the folder unless it is kept.
func (w *Weeks) Close() error {
	if w.keepFiles {
		return nil
	}
	return os.RemoveAll(w.Dir)
}

// Play builds the fleet and plays its weeks.
func (w *Weeks) Play(ctx context.Context) error {
	if err := writeAll(w.Dir, sample.WeeksFiles()); err != nil {
		return err
	}
	if err := w.runCommand(w.daysAgo(sample.Days), "baseline", "approve", "--all"); err != nil {
		return err
	}
	env, err := config.OSEnv()
	if err != nil {
		return err
	}
	cfg, err := config.Load(w.Config(), env)
	if err != nil {
		return err
	}
	lives := errgroup.Group{}
	for _, m := range sample.Weeks() {
		lives.Go(func() error {
			l := life{Weeks: w, Member: m}
			err := l.liveWeeks(ctx, cfg)
			if err != nil {
				err = fmt.Errorf("%s: %w", m.Name, err)
			}
			return err
		})
	}
	if err := lives.Wait(); err != nil {
		return err
	}
	return w.makeConflict()
}

// runCommand runs a command, which must end well.
func (w *Weeks) runCommand(at time.Time, args ...string) error {
	if code, printed := w.Run(at, args...); code != 0 {
		return fmt.Errorf("%s ended with %d:\n%s", Line(args), code, printed)
	}
	return nil
}

// daysAgo returns the beginning of the day that many days ago.
func (w *Weeks) daysAgo(ago int) time.Time { return w.now.Truncate(24*time.Hour).AddDate(0, 0, -ago) }

// makeConflict lets two machines change the same line of one agent. The keeper finds it with its first sync.
func (w *Weeks) makeConflict() error {
	at := w.now.Add(-50 * time.Minute)
	store, other := filepath.Join(w.Dir, "store"), filepath.Join(w.Dir, "laptop")
	there := filepath.Join(other, "tend.yaml")
	const line = "The newsletter goes out on Friday at 09:00."
	for _, step := range []func() error{
		func() error { return w.runCommand(at, "store", "init", store) },
		func() error { return w.runCommand(at, "store", "push", "herald") },
		func() error { return write(there, "version: 1\nstate_dir: ./state\nagents: {}\n") },
		func() error {
			return w.runCommand(at, "--config", there, "store", "clone", "herald", filepath.Join(other, "herald"), "--store", store)
		},
		func() error {
			return replaceOnce(filepath.Join(other, "herald", "MEMORY.md"), line, "The newsletter goes out on Thursday at 16:00.")
		},
		func() error { return w.runCommand(at.Add(time.Minute), "--config", there, "sync", "herald") },
		func() error {
			return replaceOnce(filepath.Join(w.Dir, "workspaces", "herald", "MEMORY.md"), line, "The newsletter goes out on Friday at 07:30.")
		},
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// life is the weeks of one agent.
type life struct {
	*Weeks
	sample.Member

	a     *fleet.Agent
	f     *fleet.Fleet
	clock atomic.Int64     // Unix nanoseconds
	book  *findinglog.Book // what its jobs found
	err   error
}

func (l *life) liveWeeks(ctx context.Context, cfg *config.Config) (err error) {
	now := func() time.Time { return time.Unix(0, l.clock.Load()).UTC() }
	if l.f, err = fleet.Open(cfg, fleet.Options{Clock: now, Write: true}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.f.Close()) }()
	l.clock.Store(l.daysAgo(sample.Days).UnixNano())
	if l.a, err = l.f.Agent(ctx, l.Name); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.a.Close()) }()
	if l.book, err = findinglog.Read(l.a.State(), l.Name); err != nil {
		return err
	}
	for ago := sample.Days; ago >= 0 && l.err == nil && ctx.Err() == nil; ago-- {
		l.oneDay(ctx, ago)
	}
	l.leaveDecisions(ctx)
	return errors.Join(l.err, ctx.Err(), l.book.Write(l.a.State(), false))
}

// setClock sets the clock, unless that time is in the future.
func (l *life) setClock(t time.Time) bool {
	if l.err != nil || t.After(l.now.Add(-45*time.Minute)) {
		return false
	}
	l.clock.Store(t.UnixNano())
	return true
}

// oneDay is a day of work with the jobs that are due.
func (l *life) oneDay(ctx context.Context, ago int) {
	day := l.daysAgo(ago)
	hour := func(h, m int) bool {
		return l.setClock(day.Add(time.Duration(h)*time.Hour + time.Duration(m)*time.Minute))
	}
	if hour(0, 15) {
		l.runJob(ctx, "archive")
	}
	if day.Weekday() == time.Monday && hour(8, 30) {
		l.runJob(ctx, "compare")
		if hour(9, 0) {
			l.runJob(ctx, "review")
		}
	}
	if l.Log != "" && hour(17, 0) {
		l.writeDailyLog(day, ago)
		l.editByHand(ago)
		l.commitHistory(ctx)
	}
	for part, h := range []int{11, 20} {
		if len(l.Scratch) > 0 && hour(h, 0) {
			l.writeScratch(ctx, ago, part)
		}
		if len(l.Scratch) > 0 && hour(h, 40) {
			l.runJob(ctx, "reset")
		}
	}
	if hour(21, 45) {
		l.runJob(ctx, "check")
	}
	if hour(23, 0) {
		l.runJob(ctx, "nightly")
	}
}

// writeDailyLog writes the day's log, as an agent does.
func (l *life) writeDailyLog(day time.Time, ago int) {
	var text strings.Builder
	text.WriteString("# " + day.Format(time.DateOnly) + "\n\n")
	for _, line := range l.LinesOn(ago) {
		text.WriteString("- " + line + "\n")
	}
	l.write(sample.Dated(l.Log, day), text.String())
}

// writeScratch writes notes below the line.
func (l *life) writeScratch(ctx context.Context, ago, part int) {
	if l.Name == "reviewer" && ago == 2 && part == 1 {
		l.replaceInFile("MEMORY.md", "Never merge your own change.", "Merge your own change when in a hurry.")
	}
	l.add("MEMORY.md", l.Notes(ago, part))
	if part == 0 {
		l.commitHistory(ctx)
	}
}

// editByHand are changes that agents made to their files by hand.
func (l *life) editByHand(ago int) {
	switch {
	case l.Name == "scout" && ago%4 == 0:
		l.write("AGENTS.md", sample.Handbook(120+(sample.Days-ago)*8))
	case l.Name == "concierge" && ago == 12:
		l.add("USER.md", "\n## Garden\n\nTomatoes on the balcony since May; water them every other evening when away.\n")
	case l.Name == "concierge" && ago == 1:
		l.cutSection("USER.md", "## Family\n", "## Habits\n")
	}
}

// leaveDecisions leaves something for the operator to decide.
func (l *life) leaveDecisions(ctx context.Context) {
	last := func(ago time.Duration) {
		if l.err == nil {
			l.clock.Store(l.now.Add(-ago).UnixNano())
		}
	}
	switch l.Name {
	case "reviewer":
		last(44 * time.Minute) // a reset skips an agent that was just at work
		l.add("MEMORY.md", "- [decision] the retry change waits for the load test, its author agreed\n- asked for a cap on the backoff, twice\n"+
			"- two reviews open, none older than a day\n")
		l.commitHistory(ctx)
		last(40 * time.Minute)
		l.runJob(ctx, "reset")
	case "gardener":
		last(30 * time.Minute)
		l.noteError(replaceOnce(filepath.Join(l.Dir, "baselines", "gardener.md"), "- Announce a restart ten minutes ahead.",
			"- Announce a restart an hour ahead, in the channel.\n- Never restart two machines of one group together."))
		l.add("MEMORY.md", l.Notes(0, 2))
	}
	last(20 * time.Minute)
	l.commitHistory(ctx)
}

// runJob runs a job as the keeper would.
func (l *life) runJob(ctx context.Context, name string) {
	row, _ := table.Named(name)
	if l.err != nil || row.Baseline && len(l.Scratch) == 0 {
		return
	}
	r := runner.Do(ctx, l.f, l.Name, name, runner.Options{Who: "keeper", Reason: "schedule", Scheduled: true})
	if r.Outcome == plan.Failed || r.Outcome == plan.Refused || r.Outcome == plan.Locked {
		l.noteError(fmt.Errorf("%s: %s %s", name, r.Summary, r.Error))
	}
	hold, events := findinglog.Split(r.Findings)
	now := l.a.Now()
	l.book.Holds(name, hold, now)
	l.book.Happened(name, events, now)
}

// commitHistory commits what the agent wrote to its history. Without git there is none; what another git process blocks now is
// committed with the next.
func (l *life) commitHistory(ctx context.Context) {
	if l.err != nil {
		return
	}
	if _, _, err := l.a.History.Sync(ctx); err != nil && !errors.Is(err, history.ErrNoGit) && !errors.Is(err, fsys.ErrLocked) {
		l.noteError(err)
	}
}

func (l *life) pathOf(name string) string { return filepath.Join(l.Dir, "workspaces", l.Name, name) }

func (l *life) write(name, text string) {
	l.noteError(write(l.pathOf(name), text))
	l.setFileTime(name)
}

func (l *life) replaceInFile(name, old, new string) {
	l.noteError(replaceOnce(l.pathOf(name), old, new))
	l.setFileTime(name)
}

func (l *life) add(name, text string) {
	old, err := fsys.ReadFile(l.pathOf(name))
	l.noteError(err)
	l.write(name, string(old)+text)
}

// cutSection removes the text from one heading to another.
func (l *life) cutSection(name, from, to string) {
	text, err := fsys.ReadFile(l.pathOf(name))
	l.noteError(err)
	before, rest, _ := strings.Cut(string(text), from)
	_, after, found := strings.Cut(rest, to)
	if !found {
		l.noteError(fmt.Errorf("%s has no %q before %q", name, from, to))
	}
	l.write(name, before+to+after)
}

// setFileTime sets a file's time to the simulated clock.
func (l *life) setFileTime(name string) {
	t := time.Unix(0, l.clock.Load())
	l.noteError(os.Chtimes(l.pathOf(name), t, t))
}

func (l *life) noteError(err error) {
	if l.err == nil {
		l.err = err
	}
}
