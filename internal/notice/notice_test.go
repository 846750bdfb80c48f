package notice

import (
	"testing"
	"time"

	"tend/internal/finding"
	"tend/internal/fsys"
)

func TestOnceThenDaily(t *testing.T) {
	state, err := fsys.Dir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer state.Close()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	over := []finding.Finding{finding.Oversize.In("MEMORY.md", "61 lines")}
	b, err := Read(state, "a")
	if err != nil {
		t.Fatal(err)
	}
	told := func() int { return len(b.ToTell(finding.Warning, 24*time.Hour, now)) }
	b.Holds("audit", over, now)
	if got := told(); got != 1 {
		t.Fatalf("told %d at first, want 1", got)
	}
	now = now.Add(time.Hour)
	over[0].Text = "62 lines"
	b.Holds("audit", over, now)
	if got := told(); got != 0 {
		t.Errorf("told %d an hour later, want 0", got)
	}
	if err := b.Write(state); err != nil {
		t.Fatal(err)
	}
	if b, err = Read(state, "a"); err != nil {
		t.Fatal(err)
	}
	now = now.Add(24 * time.Hour)
	if got := told(); got != 1 {
		t.Errorf("told %d a day later, after a restart, want 1", got)
	}
	n := b.List()[0]
	if !n.First.Before(n.Last) || n.Times != 2 || n.Text != "62 lines" {
		t.Errorf("got %+v", n)
	}
	if err := b.Write(state); err != nil {
		t.Fatal(err)
	}
	if done, err := Acknowledge(state, "a", []string{n.ID}, Ack{By: "x", At: now}); err != nil || len(done) != 1 {
		t.Fatalf("acknowledged %v, %v", done, err)
	}
	if err := b.ReadAcks(state); err != nil {
		t.Fatal(err)
	}
	now = now.Add(48 * time.Hour)
	if got := told(); got != 0 {
		t.Errorf("told %d of an acknowledged finding, want 0", got)
	}
	if b.Holds("audit", nil, now); b.Len() != 0 {
		t.Errorf("%d findings after it was over, want none", b.Len())
	}
	b.Holds("audit", over, now)
	if got := told(); got != 1 {
		t.Errorf("told %d when it came back, want 1: the acknowledgement was of the one before", got)
	}
}

func TestEventsStay(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	b := &Book{Agent: "a", notes: map[string]*Notice{}}
	tampered := []finding.Finding{finding.BaselineRestored.In("MEMORY.md", "tampered")}
	b.Happened("watch", tampered, now)
	b.Holds("watch", nil, now)
	if b.Len() != 1 {
		t.Fatal("an event went because nothing holds")
	}
	b.ToTell(finding.Warning, time.Hour, now)
	b.Happened("watch", tampered, now.Add(time.Minute))
	if got := len(b.ToTell(finding.Warning, time.Hour, now.Add(time.Minute))); got != 1 {
		t.Errorf("told %d of a second event, want 1", got)
	}
	if b.Tidy(now.Add(31 * 24 * time.Hour)); b.Len() != 0 {
		t.Error("an event of last month is still there")
	}
}
