package scheduler

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tend/internal/engine/schedule"
)

// keep runs a scheduler in a bubble until the returned function is called.
func keep(t *testing.T, c *Scheduler) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { c.Run(ctx) })
	return func() { cancel(); wg.Wait() }
}

func only(entries []schedule.Entry, job string) []schedule.Entry {
	var out []schedule.Entry
	for _, e := range entries {
		if e.Job == job {
			out = append(out, e)
		}
	}
	return out
}

func TestDeferredIsRetried(t *testing.T) {
	entries := only(timetable(t, 1, []*time.Location{time.UTC}, map[string]any{"reset.every": "1h", "reset.retry": "1m"}), "reset")
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var ran []time.Time
		busyUntil := entries[0].Next(start).Add(7 * time.Minute)
		m := newMemory()
		o := m.options(nil)
		o.Run = func(_ context.Context, w Work) schedule.End {
			ran = append(ran, time.Now())
			if time.Now().Before(busyUntil) {
				return schedule.Deferred
			}
			return schedule.Over
		}
		c := New(o)
		c.Set(entries, m.state(start))
		stop := keep(t, c)
		time.Sleep(busyUntil.Add(2 * time.Minute).Sub(start))
		stop()
		if len(ran) != 8 { // on time, six retries, then successfully
			t.Errorf("tried %d times, want 8: %v", len(ran), ran)
		}
		if p := m.pasts["agent-0000 reset"]; !p.Slot.Equal(entries[0].Next(start)) || !p.Deferred.IsZero() {
			t.Errorf("remembered %+v, want the slot it was deferred from", p)
		}
	})
}

// TestClockIsSet sets the wall clock while a scheduler runs.
func TestClockIsSet(t *testing.T) {
	entries := only(timetable(t, 1, []*time.Location{time.UTC}, map[string]any{"schedule.rotate": "@every 15m"}), "rotate")
	for _, c := range []struct {
		name string
		by   time.Duration
		want int // in the hour after the change
	}{
		{"an hour back", -time.Hour, 4}, {"a day back", -24 * time.Hour, 4}, {"ten years back", -10 * 365 * 24 * time.Hour, 4},
		{"an hour ahead", time.Hour, 5}, {"a day ahead", 24 * time.Hour, 5}, {"not at all", 0, 4}, {"a minute back", -time.Minute, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				offset := time.Duration(0)
				runs := 0
				m := newMemory()
				o := m.options(nil)
				o.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return time.Now().Add(offset) }
				o.Run = func(context.Context, Work) schedule.End { mu.Lock(); runs++; mu.Unlock(); return schedule.Over }
				cw := New(o)
				cw.Set(entries, m.state(time.Now()))
				stop := keep(t, cw)
				defer stop()
				time.Sleep(10*time.Hour + 3*time.Minute)
				mu.Lock()
				runs, offset = 0, c.by
				mu.Unlock()
				time.Sleep(time.Hour)
				mu.Lock()
				defer mu.Unlock()
				if d := runs - c.want; d < -1 || d > 1 {
					t.Errorf("ran %d times in the hour after, want about %d", runs, c.want)
				}
			})
		})
	}
}

func TestUrgentWorkDoesNotWaitForABurst(t *testing.T) {
	entries := only(timetable(t, 500, []*time.Location{time.UTC}, map[string]any{"schedule.jitter": "1s"}), "check")
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		m := newMemory()
		o := m.options(nil)
		o.Workers = 2
		var mu sync.Mutex
		started := map[string]bool{}
		o.Run = func(_ context.Context, w Work) schedule.End {
			mu.Lock()
			started[w.Agent] = true
			mu.Unlock()
			time.Sleep(10 * time.Second)
			return schedule.Over
		}
		c := New(o)
		c.Set(entries, m.state(start))
		stop := keep(t, c)
		// In the middle of the burst, between the moments at which a piece of work ends.
		time.Sleep(entries[0].Next(start).Add(65 * time.Second).Sub(start))
		mu.Lock()
		waiting := slices.IndexFunc(entries, func(e schedule.Entry) bool { return !started[e.Agent] })
		mu.Unlock()
		began := time.Now()
		post(t.Context(), c, Work{Agent: entries[waiting].Agent, Job: "guard"}, func(context.Context) {})
		if took := time.Since(began); took > time.Second {
			t.Errorf("urgent work waited %s", took)
		}
		stop()
	})
}

func TestScheduleDoesNotWaitForAFlood(t *testing.T) {
	entries := only(timetable(t, 50, []*time.Location{time.UTC}, map[string]any{"schedule.rotate": "@every 1h"}), "rotate")
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		m := newMemory()
		o := m.options(nil)
		o.Workers = 2
		c := New(o)
		c.Set(entries, m.state(start))
		stop := keep(t, c)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for i := range 40 { // agents that are guarded all the time
			wg.Go(func() {
				for ctx.Err() == nil {
					post(ctx, c, Work{Agent: fmt.Sprintf("agent-%04d", i), Job: "guard"}, func(context.Context) { time.Sleep(time.Second) })
				}
			})
		}
		time.Sleep(3 * time.Hour)
		cancel()
		wg.Wait()
		stop()
		for _, e := range entries[40:] { // the others
			if got := len(m.runs[e.Agent+" rotate"]); got < 2 {
				t.Errorf("%s was rotated %d times in three hours", e.Agent, got)
			}
		}
	})
}

func TestStopIsBounded(t *testing.T) {
	entries := only(timetable(t, 1, []*time.Location{time.UTC}, nil), "rotate")
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		o := m.options(nil)
		o.Grace = 30 * time.Second
		o.Run = func(ctx context.Context, _ Work) schedule.End { <-ctx.Done(); return schedule.Failed } // only when cancelled
		c := New(o)
		c.Set(entries, m.state(time.Now()))
		stop := keep(t, c)
		time.Sleep(time.Hour)
		began := time.Now()
		stop()
		if took := time.Since(began); took != o.Grace {
			t.Errorf("stopped after %s, want %s", took, o.Grace)
		}
		if c.Post(Work{Agent: "agent-0000"}, func(context.Context) {}, nil) {
			t.Error("work was accepted after the stop")
		}
	})
}

// TestWorkThatHangs: hanging work delays others only briefly, and a stop not forever.
func TestWorkThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		var mu sync.Mutex
		ran := map[string]int{}
		c := New(Options{
			Run: func(_ context.Context, w Work) schedule.End {
				if w.Agent < "agent-0004" {
					<-hang // ignores its context
				}
				mu.Lock()
				ran[w.Agent]++
				mu.Unlock()
				return schedule.Over
			},
			Save: func(schedule.Entry, schedule.RunState, time.Time) {}, Workers: 2, Grace: time.Minute,
		})
		m := newMemory()
		c.Set(only(timetable(t, 12, []*time.Location{time.UTC}, map[string]any{"schedule.rotate": "@every 10m"}), "rotate"), m.state(time.Now()))
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan int)
		go func() { left <- c.Run(ctx) }()
		time.Sleep(time.Hour)
		mu.Lock()
		for i := 4; i < 12; i++ {
			if n := ran[fmt.Sprintf("agent-%04d", i)]; n < 5 {
				t.Errorf("agent %d ran %d times in an hour, want 6", i, n)
			}
		}
		mu.Unlock()
		if slow := c.Slow(); len(slow) != 4 {
			t.Errorf("%d are reported as slow, want 4", len(slow))
		}
		cancel()
		if n := <-left; n != 4 {
			t.Errorf("%d did not end, want 4", n)
		}
		close(hang)
		synctest.Wait()
	})
}

// TestZoneChanges moves an agent to another time zone while the scheduler runs: no slot is skipped or run twice.
func TestZoneChanges(t *testing.T) {
	zone := func(name string) []*time.Location {
		loc, err := time.LoadLocation(name)
		must(t, err)
		return []*time.Location{loc}
	}
	settings := map[string]any{"schedule.audit": "0 22 * * *", "schedule.jitter": "0s"}
	berlin, york := only(timetable(t, 1, zone("Europe/Berlin"), settings),
		"audit"), only(timetable(t, 1, zone("America/New_York"), settings), "audit")
	synctest.Test(t, func(t *testing.T) {
		var ran []string
		m := newMemory()
		o := m.options(nil)
		o.Run = func(_ context.Context, w Work) schedule.End {
			ran = append(ran, w.Slot.UTC().Format("02 15:04"))
			return schedule.Over
		}
		c := New(o)
		c.Set(berlin, m.state(time.Now())) // the bubble begins on the first of January 2000, UTC
		stop := keep(t, c)
		time.Sleep(30 * time.Hour)
		c.Set(york, m.state(time.Now()))
		time.Sleep(48 * time.Hour)
		c.Set(berlin, m.state(time.Now()))
		time.Sleep(24 * time.Hour)
		stop()
		// 22:00 in Berlin is 21:00 UTC, in New York 03:00 of the next day.
		if got, want := fmt.Sprint(ran), "[01 21:00 02 03:00 03 03:00 04 03:00 04 21:00]"; got != want {
			t.Errorf("slots %s, want %s", got, want)
		}
	})
}

// post runs posted work and waits until it is done or dropped.
func post(ctx context.Context, c *Scheduler, w Work, do func(context.Context)) {
	over := make(chan struct{})
	if !c.Post(w, do, func() { close(over) }) {
		return
	}
	select {
	case <-over:
	case <-ctx.Done():
	}
}
