package keeper

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestLogIsBounded(t *testing.T) {
	var out bytes.Buffer
	h := newDedupeLog(slog.NewTextHandler(&out, nil))
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	say := func(msg string) {
		if err := h.WithAttrs([]slog.Attr{slog.String("agent", "a")}).
			Handle(context.Background(), slog.NewRecord(now, slog.LevelError, msg, 0)); err != nil {
			t.Fatal(err)
		}
	}
	for range 1000 {
		say("save findings")
		say("finding")
	}
	say("something else")
	if n := strings.Count(out.String(), `msg="save findings"`); n != maxPerMinute {
		t.Errorf("written %d times in a minute, want %d", n, maxPerMinute)
	}
	if n := strings.Count(out.String(), "msg=finding"); n != 1000 {
		t.Errorf("%d findings written, want all 1000", n)
	}
	now = now.Add(time.Minute)
	say("something else")
	if got := out.String(); !strings.Contains(got, `message="save findings" times=970`) || strings.Count(got, `msg="something else"`) != 2 {
		t.Errorf("the log does not say how many were left out:\n%s", got[len(got)-300:])
	}
}
