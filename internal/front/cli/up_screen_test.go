package cli

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tend/internal/engine/config"
)

// TestUpScreen feeds the keeper's log to the screen and checks what a person would see.
func TestUpScreen(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	env, err := config.OSEnv()
	must(t, err)
	cfg, err := config.Parse("/x/tend.yaml",
		[]byte("version: 1\nagents:\n  scout: {workspace: /x/a, layout: openclaw, timezone: UTC}\n"+
			"  mail: {workspace: /x/b, layout: openclaw, timezone: UTC}\n"), env)
	must(t, err)
	var out bytes.Buffer
	s := &upScreen{slog.NewTextHandler(&out, nil),
		&upState{to: &out, size: func() (int, int) { return 80, 24 }, clock: func() time.Time { return now }}}
	if _, err := s.load(func() (*config.Config, error) { return cfg, nil })(); err != nil {
		t.Fatal(err)
	}
	log := slog.New(s)
	log.Info("keeping", "agents", 2, "dashboard", "http://127.0.0.1:7433/")
	log.Info("job", "agent", "scout", "job", "nightly", "outcome", "changed", "action", "1r9ay8h441", "summary", "2 entries promoted")
	log.Warn("finding", "agent", "mail", "code", "drift", "file", "SOUL.md", "text",
		"it differs; "+strings.Repeat("from the approved text ", 5))
	log.Warn("restored the approved text", "agent", "mail", "summary", "twice")
	log.Warn("finding", "agent", "mail", "code", "zone-restored", "file", "SOUL.md", "text", "it was changed")
	log.Warn("refused", "agent", "mail", "why", "an escape \x1b[2J sequence")
	_ = s.Handle(context.Background(), slog.NewRecord(now, slog.LevelDebug, "job", 0))

	lines := s.lines(80, 24)
	screen := strings.Join(lines, "\n")
	for _, want := range []string{
		"Tend is looking after 2 agents",
		"\n  23:00      nightly  2 agents\n",
		"scout  nightly: 2 entries promoted (1r9ay8h441)",
		"mail  warning [drift] SOUL.md: it differs",
		"mail  put SOUL.md back (keep it: tend baseline accept mail)\n",
		"Dashboard: http://127.0.0.1:7433/",
	} {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is missing in\n%s", want, screen)
		}
	}
	if strings.Contains(screen, "twice") {
		t.Errorf("one event has two lines:\n%s", screen)
	}
	for _, line := range lines {
		if utf8.RuneCountInString(line) > 80 || strings.Contains(line, "\x1b") {
			t.Errorf("not fit for a screen: %q", line)
		}
	}
	if n := len(s.lines(80, 12)); n > 20 {
		t.Errorf("a small terminal gets %d lines", n)
	}
	log.Info("stopped")
	if screen := strings.Join(s.lines(80, 24), "\n"); !strings.HasPrefix(screen, "Tend has stopped.") || strings.Contains(screen, "Next") {
		t.Errorf("after the end:\n%s", screen)
	}
}
