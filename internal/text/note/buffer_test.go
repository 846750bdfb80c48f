package note

import (
	"testing"
	"time"
)

func TestBuffer(t *testing.T) {
	const head = "# Working Buffer\ncreated: 2026-11-15T08:00:00Z\nlast_active: 2026-11-15T09:30:00Z\n\n"
	tests := []struct {
		name, text string
		valid      bool
		body       string
		active     int
	}{
		{"fresh", head, true, "", 0},
		{"without its last blank line", head[:len(head)-1], true, "", 0},
		{"tasks", head + "## Active Task: x\n- a\n  - nested\n- b\n- [x] c\n\n## Notes\n- d\n", true,
			"## Active Task: x\n- a\n  - nested\n- b\n- [x] c\n\n## Notes\n- d\n", 2},
		{"no heading", head + "- a\n- b", true, "- a\n- b", 2},
		{"CRLF", "# Working Buffer\r\ncreated: 2026-11-15T08:00:00Z\r\nlast_active: 2026-11-15T09:30:00Z\r\n\r\n- a\r\n", true, "- a\r\n", 1},
		{"BOM", utf8BOM + head + "- a\n", true, "- a\n", 1},
		{"no head", "- a\n", false, "- a\n", 1},
		{"empty", "", false, "", 0},
		{"title only", "# Working Buffer\n\n- a\n", false, "- a\n", 1},
		{"broken time", "# Working Buffer\ncreated: soon\nlast_active: 2026-11-15T09:30:00Z\n\n- a\n", false,
			"created: soon\nlast_active: 2026-11-15T09:30:00Z\n\n- a\n", 1},
		{"no blank line", head[:len(head)-1] + "- a\n", false, "- a\n", 1},
		{"wrong title", "# Buffer\ncreated: 2026-11-15T08:00:00Z\n", false, "# Buffer\ncreated: 2026-11-15T08:00:00Z\n", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := ParseBuffer([]byte(tt.text), time.UTC)
			if b.Valid != tt.valid {
				t.Errorf("valid: got %v, want %v", b.Valid, tt.valid)
			}
			if got := string(b.Notes()); got != tt.body {
				t.Errorf("body: got %q, want %q", got, tt.body)
			}
			if got := b.Active(); got != tt.active {
				t.Errorf("active: got %d, want %d", got, tt.active)
			}
			if got, want := b.Empty(), isBlank([]byte(tt.body)); got != want {
				t.Errorf("empty: got %v, want %v", got, want)
			}
			if tt.valid && !b.LastActive.Equal(time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)) {
				t.Errorf("last active: got %v", b.LastActive)
			}
		})
	}
}

func TestHeartbeat(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	fresh := NewBuffer(now, now)
	if b := ParseBuffer([]byte(fresh), time.UTC); !b.Valid || !b.Empty() || !b.Created.Equal(now) || !b.LastActive.Equal(now) {
		t.Errorf("fresh buffer: got %+v", b)
	}
	later := now.Add(time.Hour)
	for text, want := range map[string]string{
		fresh + "- a\n": NewBuffer(now, later) + "- a\n",
		"":              NewBuffer(later, later),
		"- a\n":         NewBuffer(later, later) + "- a\n",
		"- a\r\n":       "# Working Buffer\r\ncreated: 2026-11-15T13:00:00Z\r\nlast_active: 2026-11-15T13:00:00Z\r\n\r\n- a\r\n",
		"# Working Buffer\ncreated: 2026-11-15T12:00:00Z\nlast_active: soon\n\n- a": NewBuffer(now, later) + "- a",
		"# Working Buffer\ncreated: 2026-11-15T12:00:00Z\nlast_active:\n\n- a":      NewBuffer(now, later) + "- a",
		"# Working Buffer\ncreated: 2026-11-15T12:00:00Z\n\n- a\n":                  NewBuffer(now, later) + "- a\n",
		"# Working Buffer\n- a\n": NewBuffer(later, later) + "- a\n",
	} {
		b := ParseBuffer([]byte(text), time.UTC)
		if got := apply(t, text, b.Heartbeat(later)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestOnlyAFileInTheFormatIsABuffer(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                true,
		"\n\n":                            true,
		NewBuffer(time.Now(), time.Now()): true,
		"# Working Buffer\nlast_active: 2026-11-15T09:30:00Z\n- a\n": true,
		"# Working Buffer\n": false,
		"# Working Buffer\n\nWrite here when the context is nearly full.\n":             false,
		"# Working Buffer (log)\n\n**Status:** ready\n**Started:** 2026-11-15\n\n---\n": false,
		"- step one is done\n": false,
		"# Working Buffer - 2026-11-15\ncreated: 2026-11-15\nlast_active: 2026-11-15\n\n- a": false,
	} {
		if got := ParseBuffer([]byte(text), time.UTC).Ours; got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
