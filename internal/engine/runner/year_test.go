package runner

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tend/internal/engine/past"
	"tend/internal/model/policy"
	"tend/internal/text/layout"
	"tend/internal/text/note"
	"tend/test/light"
)

// TestYear simulates 365 days of an agent and runs the real jobs through the real ledger:
// rotation by day, archiving after midnight, audit, curation and pruning every night and
// once more to check that nothing changes, and the review every week.
func TestYear(t *testing.T) {
	// The disk in memory keeps a year of displaced files; garbage collection is most of the work.
	was := debug.SetGCPercent(400)
	t.Cleanup(func() { debug.SetGCPercent(was) })
	for _, tt := range []struct {
		layout, zone string
		protocol     string
		first        string
		days         int
		seed         uint64
	}{
		{"openclaw@2026.8", "Europe/Berlin", "layered", "2026-01-01", light.Cases(365, 60, 20), 1},
		{"openclaw-v4@1.3", "America/New_York", "v4", "2026-10-20", light.Cases(80, 20, 10), 2}, // clocks and year change
		{"openclaw-v4@4.6", "Pacific/Auckland", "v4", "2026-03-20", light.Cases(40, 20, 10), 3}, // everything waits for the operator
	} {
		t.Run(tt.layout, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, tt.layout, tt.zone, map[string]any{"automation": "curate", "protocol": tt.protocol, "daily.archive_after": "30d"})
			first, err := time.ParseInLocation(time.DateOnly, tt.first, h.cfg.Location)
			must(t, err)
			y := &year{first: first, days: tt.days,
				life: life{home: h, r: rand.New(rand.NewPCG(tt.seed, 0)), facts: map[string]string{}, own: map[string]int{}}}
			y.live()
			y.judge()
		})
	}
}

type year struct {
	life
	first    time.Time
	days     int
	hot      string
	limit    int
	over     int // consecutive nights with the hot file over its limit
	worst    int // most lines the hot file had after a night
	before   int // most it had before one
	outcomes map[string]int
}

func (y *year) live() {
	began := time.Now()
	y.hot, y.limit = y.cfg.Layout.Path(layout.Hot, ""), policy.HotMaxLines.Of(y.cfg.Policy)
	y.outcomes = map[string]int{}
	y.write(y.hot, "# Memory\n")
	for d := range y.days {
		day := y.first.AddDate(0, 0, d)
		idle := d%100 >= 30 && d%100 < 37 || d >= 200 && d < 214
		if d%3 == 0 {
			y.clock(day, 0, 15)
			y.tend("archive")
		}
		if day.Weekday() == time.Monday {
			y.clock(day, 9, 0)
			y.tend("review")
		}
		if !idle {
			y.day(day)
		}
		y.night(day, idle)
	}
	y.t.Logf("%s in %s: %d nights in %.1f s, %d lines written, %d facts, hot file at most %d lines before and %d after a night of %d; %v",
		y.cfg.Layout.Ref(), y.cfg.Location, y.days, time.Since(began).Seconds(), len(y.lines), len(y.facts), y.before,
		y.worst, y.limit, y.outcomes)
}

// clock sets the time of day, also on days that have 23 or 25 hours.
func (y *year) clock(day time.Time, hour, minute int) {
	y.set(time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, y.cfg.Location))
}

func (y *year) tend(job string) Result {
	r := y.run(job)
	y.outcomes[job+" "+string(r.Outcome)]++
	return r
}

// day is some hours of work, with rotations of the buffer in between.
func (y *year) day(day time.Time) {
	for _, hour := range []int{2, 10, 13, 17} { // clocks change at two
		if hour == 2 && y.r.IntN(10) > 0 {
			continue
		}
		y.clock(day, hour, y.r.IntN(60))
		y.finish()
		y.morning()
		for range 1 + y.r.IntN(5) {
			y.work()
		}
		if y.r.IntN(4) == 0 {
			y.buffer()
		}
		if y.r.IntN(3) == 0 {
			y.remember()
		}
		if hour == 2 || hour == 17 {
			y.set(y.now.Add(45 * time.Minute))
			y.tend("rotate")
		}
	}
	if y.r.IntN(5) == 0 {
		y.clock(day, 20, 0)
		y.tend("replay")
	}
}

// night runs the pipeline. Now and then the agent writes between curation and pruning.
func (y *year) night(day time.Time, idle bool) {
	y.before = max(y.before, note.Lines([]byte(y.read(y.hot))))
	y.clock(day, 23, 0)
	if !idle && y.r.IntN(10) == 0 {
		y.tend("curate")
		y.set(y.now.Add(30 * time.Minute))
		y.finish()
		y.buffer()
		y.set(y.now.Add(15 * time.Minute))
	}
	y.tend("nightly")
	once := y.files()
	y.tend("nightly")
	if diff := cmp.Diff(once, y.files()); diff != "" {
		y.t.Fatalf("%s: the second run changed something:\n%s", y.now.Format(time.DateOnly), diff)
	}
	lines := note.Lines([]byte(y.read(y.hot)))
	y.worst = max(y.worst, lines)
	if y.over++; lines <= y.limit {
		y.over = 0
	}
	if y.over > 1 {
		y.t.Fatalf("%s: the hot file is over its limit for %d nights: %d lines\n%s", y.now.Format(time.DateOnly), y.over, lines, y.read(y.hot))
	}
	y.once()
}

// once fails if a tagged fact is in long-term memory more often than the agent itself has
// written it there, plus once for its promotion.
func (y *year) once() {
	seen := map[string][]string{}
	for name, text := range y.files() {
		role, _ := y.cfg.Layout.RoleOf(name)
		if role == layout.Daily || role == layout.Archive || role == layout.Buffer {
			continue
		}
		for line := range strings.Lines(text) {
			for _, id := range numbers(line) {
				seen[id] = append(seen[id], name+": "+line)
			}
		}
	}
	for id, places := range seen {
		if _, tagged := y.facts[id]; tagged && len(places) > 1+y.own[id] {
			y.t.Fatalf("%s: %s is there %d times:\n%s", y.now.Format(time.DateOnly), id, len(places), strings.Join(places, ""))
		}
	}
}

// numbers returns the facts that a line mentions.
func numbers(line string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		if len(w) == 5 && w[0] == 'k' && strings.Trim(w[1:], "0123456789") == "" {
			out = append(out, w)
		}
	}
	return out
}

// judge checks the result at the end.
func (y *year) judge() {
	ctx := context.Background()
	a := y.agent()
	in, err := a.Input(ctx)
	must(y.t, err)
	everything, longTerm := map[string]bool{}, map[string]bool{}
	take := func(text string, known bool) {
		for line := range strings.Lines(text) {
			everything[strings.TrimSpace(line)] = true
			for _, id := range numbers(line) {
				longTerm[id] = longTerm[id] || known
			}
		}
	}
	for _, doc := range in.All() {
		role, _ := in.Layout.RoleOf(string(doc.Path))
		take(string(doc.Data), role != layout.Daily && role != layout.Archive && role != layout.Buffer)
	}
	archives, err := a.Ledger.Archive.List()
	must(y.t, err)
	for _, x := range archives {
		text, err := a.Ledger.Archive.Open(x.Name)
		must(y.t, err)
		take(string(text.Text), false)
	}
	// Archives past their retention, in the trash or in the pack.
	must(y.t, past.Open(a).EachTrashed(context.Background(), func(_ string, text []byte, err error) error {
		if strings.Contains(string(text), "<!-- tend:archive ") {
			take(string(text), false)
		}
		return err
	}))
	lost := 0
	for _, line := range y.lines {
		if s := strings.TrimSpace(line); !everything[s] && !strings.HasPrefix(s, "created: ") && !strings.HasPrefix(s, "last_active: ") {
			if lost++; lost < 10 {
				y.t.Errorf("lost: %q", line)
			}
		}
	}
	var missing []string
	for _, id := range slices.Sorted(maps.Keys(y.facts)) {
		if !longTerm[id] {
			missing = append(missing, fmt.Sprintf("%s [%s]", id, y.facts[id]))
		}
	}
	if proposing := policy.Promotion.Of(y.cfg.Policy) == policy.PromotionPropose; len(missing) > 0 && !proposing {
		y.t.Errorf("%d tagged entries never reached long-term memory: %v", len(missing), missing[:min(10, len(missing))])
	}
	if lost > 0 {
		y.t.Errorf("%d of %d lines are lost", lost, len(y.lines))
	}
}
