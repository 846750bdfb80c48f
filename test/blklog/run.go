//go:build linux

package blklog

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Run explores the crash states of w and fails the test if any of them fails
// its check. It ends before the test times out, so that the test can say why.
func Run(tb testing.TB, cfg Config, w Workload) Report {
	tb.Helper()
	if cfg.Log == nil {
		cfg.Log = tb.Logf
	}
	ctx := tb.Context()
	if t, ok := tb.(interface{ Deadline() (time.Time, bool) }); ok {
		if deadline, ok := t.Deadline(); ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, deadline.Add(-5*time.Second))
			defer cancel()
		}
	}
	report, err := Explore(ctx, cfg, w)
	if err != nil {
		tb.Fatal(err)
	}
	if len(report.Failures) > 0 {
		tb.Errorf("crash states: %s", report.describe())
	}
	return report
}

// Explore records w and checks the crash states. Failures of checks are in the
// report; an error says that the run itself did not work, by the workload or by
// the machinery. When ctx ends the disk does too: the workload's calls fail.
func Explore(ctx context.Context, cfg Config, w Workload) (report Report, err error) {
	if err := Available(); err != nil {
		return Report{}, err
	}
	cfg = cfg.withDefaults()
	dir, err := newRunDir()
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, release(dir.path)) }()
	base, err := newBase(dir, cfg, w.Setup)
	if err != nil {
		return Report{}, err
	}
	defer base.Close()
	helper, err := startHelper(dir, base)
	if err != nil {
		return Report{}, err
	}
	defer func() { err = errors.Join(err, helper.stop()) }()

	begin := time.Now()
	events, err := record(ctx, dir, cfg, helper, w.Run)
	if err != nil {
		return Report{}, err
	}
	report = count(events)
	report.Recording = time.Since(begin)

	begin = time.Now()
	im, err := readImage(base, cfg.Size)
	if err != nil {
		return report, err
	}
	p := makePlan(im, events, cfg)
	report.States, report.Duplicates, report.Dropped = len(p.points), p.duplicates, p.dropped
	cfg.Log("recorded %d writes, %d flushes, %d acks; %d states planned in %v", report.Writes, report.Flushes, report.Acks,
		report.States, time.Since(begin).Round(time.Millisecond))
	report.Failures, err = checkAll(ctx, dir, cfg, im, events, p.points, w.Check)
	report.Checking = time.Since(begin)
	if err != nil {
		return report, err
	}
	cfg.Log("%s", report)
	return report, nil
}

func count(events []event) Report {
	var r Report
	for _, e := range events {
		switch e.Kind {
		case beginEvent:
			r = Report{}
		case writeEvent:
			r.Writes++
		case flushEvent:
			r.Flushes++
		case ackEvent:
			r.Acks++
		}
	}
	return r
}
