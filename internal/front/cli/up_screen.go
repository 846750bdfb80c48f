package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/schedule"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
)

// upScreen is what `tend up` shows on a terminal: what runs next, what happened last, and where to look. It is a log
// handler, so that it has everything the log has; each record redraws it.
type upScreen struct {
	slog.Handler // decides which records count
	*upState
}

type upState struct {
	mu      sync.Mutex
	to      io.Writer
	size    func() (width, height int)
	clock   func() time.Time
	cfg     *config.Config
	began   time.Time
	site    string
	ending  bool
	last    []string // events, oldest first
	entries []schedule.Entry
	drawn   int // lines on the screen
}

// maxEvents is how many events are remembered; the screen shows as many as fit.
const maxEvents = 50

func newUpScreen(pr *printer, h slog.Handler, clock func() time.Time) *upScreen {
	size := func() (int, int) {
		width, height, ok := screenOf(pr.errw)
		if !ok {
			return 80, 24
		}
		return width, height
	}
	return &upScreen{h, &upState{to: pr.errw, size: size, clock: clock, cfg: &config.Config{}}}
}

// load records each configuration that the keeper reads.
func (s *upState) load(read func() (*config.Config, error)) func() (*config.Config, error) {
	return func() (*config.Config, error) {
		cfg, err := read()
		if err != nil {
			return cfg, err
		}
		if entries, err := fleet.Entries(cfg); err == nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.cfg, s.entries = cfg, entries
		}
		return cfg, nil
	}
}

// redrawOften redraws now and then, because the times on the screen change. The returned function stops it.
func (s *upState) redrawOften(ctx context.Context) func() {
	ctx, cancel := context.WithCancel(ctx)
	tick := time.NewTicker(20 * time.Second)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				s.mu.Lock()
				s.draw()
				s.mu.Unlock()
			}
		}
	})
	return func() { cancel(); wg.Wait() }
}

// Handle implements slog.Handler.
func (s *upScreen) Handle(_ context.Context, r slog.Record) error {
	attrs := map[string]string{}
	r.Attrs(func(a slog.Attr) bool { attrs[a.Key] = a.Value.String(); return true })
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Message {
	case "keeping":
		s.began, s.site = r.Time, attrs["dashboard"]
	case "stopped":
		s.ending = true
	case "restored the approved text": // its finding says more
	default:
		s.last = append(s.last, r.Time.Format("15:04:05")+"  "+eventWords(r, attrs))
		s.last = s.last[max(0, len(s.last)-maxEvents):]
	}
	s.draw()
	return nil
}

// WithAttrs implements slog.Handler. The keeper's records carry all their attributes.
func (s *upScreen) WithAttrs([]slog.Attr) slog.Handler { return s }

// WithGroup implements slog.Handler.
func (s *upScreen) WithGroup(string) slog.Handler { return s }

// eventWords describes a record in one line.
func eventWords(r slog.Record, attrs map[string]string) string {
	who := cmp.Or(attrs["agent"], "tend")
	text := r.Message
	switch r.Message {
	case "job":
		text = attrs["job"] + ": " + cmp.Or(attrs["error"], attrs["summary"], attrs["outcome"])
	case "finding":
		if attrs["code"] == finding.ZoneRestored.Code {
			text = "put " + attrs["file"] + " back (keep it: tend baseline accept " + who + ")"
			break
		}
		level := strings.ToLower(r.Level.String())
		text = strings.ReplaceAll(level, "warn", "warning") + " [" + attrs["code"] + "] " +
			strings.TrimPrefix(attrs["file"]+": "+attrs["text"], ": ")
	default:
		if more := cmp.Or(attrs["error"], attrs["summary"], attrs["why"], attrs["message"]); more != "" {
			text += ": " + more
		}
	}
	if id := attrs["action"]; id != "" {
		text += " (" + id + ")"
	}
	return who + "  " + textfmt.InLine(text)
}

// draw replaces the screen.
func (s *upState) draw() {
	width, height := s.size()
	lines := s.lines(width, max(12, height-1))
	var b strings.Builder
	if s.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", s.drawn)
	}
	b.WriteString("\r\x1b[J")
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	s.drawn = len(lines)
	_, _ = io.WriteString(s.to, b.String())
}

// printAbove prints something permanent above the screen.
func (s *upState) printAbove(say func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drawn > 0 {
		fmt.Fprintf(s.to, "\x1b[%dA\r\x1b[J", s.drawn)
		s.drawn = 0
	}
	say()
	_, _ = io.WriteString(s.to, "\n")
	s.draw()
}

// lines returns the screen: a limited number of lines, none wider than the terminal.
func (s *upState) lines(width, height int) []string {
	now := s.clock()
	head := "Tend is starting."
	switch {
	case s.ending:
		head = "Tend has stopped."
	case !s.began.IsZero():
		head = fmt.Sprintf("Tend is looking after %s (up %s).", textfmt.Count(len(s.cfg.Agents), "agent"), span(max(0, now.Sub(s.began))))
	}
	list := []string{head, ""}
	if next := nextJobs(s.entries, now, 5); len(next) > 0 && !s.ending {
		list = append(append(append(list, "Next"), next...), "")
	}
	foot := []string{"", "More: tend status, tend findings, tend log. Every log line: tend up --log text"}
	switch {
	case s.ending:
	case s.site != "":
		foot = append(foot, "Dashboard: "+s.site+" (`tend token login` logs in). Ctrl-C stops.")
	default:
		foot = append(foot, "Ctrl-C stops.")
	}
	list = append(list, "Last")
	if len(s.last) == 0 {
		list = append(list, "  nothing yet")
	}
	room := max(1, height-len(list)-len(foot))
	for _, line := range s.last[max(0, len(s.last)-room):] {
		list = append(list, "  "+line)
	}
	list = append(list, foot...)
	for i, line := range list {
		list[i] = cutTo(textfmt.Safe(line), width)
	}
	return list
}

// cutTo shortens a line to a width.
func cutTo(line string, width int) string {
	r := []rune(line)
	if width <= 0 || len(r) <= width {
		return line
	}
	return string(r[:width-1]) + "…"
}

// nextJobs returns when each job runs next, and for how many agents: one line per job, the soonest first.
func nextJobs(entries []schedule.Entry, now time.Time, most int) []string {
	type next struct {
		at     time.Time
		job    string
		agents []string
	}
	var jobs []next
	for _, e := range entries {
		at := e.Next(now)
		if at.IsZero() {
			continue
		}
		i := slices.IndexFunc(jobs, func(n next) bool { return n.job == e.Job })
		if i < 0 {
			i = len(jobs)
			jobs = append(jobs, next{at: at, job: e.Job})
		}
		if at.Before(jobs[i].at) {
			jobs[i].at = at
		}
		jobs[i].agents = append(jobs[i].agents, e.Agent)
	}
	slices.SortStableFunc(jobs, func(a, b next) int { return a.at.Compare(b.at) })
	var list []string
	for _, n := range jobs[:min(most, len(jobs))] {
		who := n.agents[0]
		if len(n.agents) > 1 {
			who = textfmt.Count(len(n.agents), "agent")
		}
		list = append(list, fmt.Sprintf("  %-9s  %-8s %s", momentOf(n.at, now), n.job, who))
	}
	return list
}

// momentOf formats a time of today or of another day.
func momentOf(t, now time.Time) string {
	t = t.In(now.Location())
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04")
	}
	return t.Format("Mon 15:04")
}
