package findinglog

import (
	"testing"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/model/finding"
	"tend/test/require"
)

var must = require.NoError

func TestOnceThenDaily(t *testing.T) {
	state, err := fsys.Dir(t.TempDir())
	must(t, err)
	defer state.Close()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	over := []finding.Finding{finding.Oversize.In("MEMORY.md", "61 lines")}
	b, err := Read(state, "a")
	must(t, err)
	alerted := func() int { return len(b.DueAlerts(finding.Warning, 24*time.Hour, nil, now)) }
	b.Holds("audit", over, now)
	if got := alerted(); got != 1 {
		t.Fatalf("told %d at first, want 1", got)
	}
	now = now.Add(time.Hour)
	over[0].Text = "62 lines"
	b.Holds("audit", over, now)
	if got := alerted(); got != 0 {
		t.Errorf("told %d an hour later, want 0", got)
	}
	must(t, b.Write(state, true))
	if b, err = Read(state, "a"); err != nil {
		t.Fatal(err)
	}
	now = now.Add(24 * time.Hour)
	if got := alerted(); got != 1 {
		t.Errorf("told %d a day later, after a restart, want 1", got)
	}
	n := b.List()[0]
	if !n.First.Before(n.Last) || n.Times != 2 || n.Text != "62 lines" {
		t.Errorf("got %+v", n)
	}
	must(t, b.Write(state, true))
	if done, err := Acknowledge(state, "a", []string{n.ID}, Ack{By: "x", At: now}); err != nil || len(done) != 1 {
		t.Fatalf("acknowledged %v, %v", done, err)
	}
	must(t, b.ReadAcks(state))
	now = now.Add(48 * time.Hour)
	if got := alerted(); got != 0 {
		t.Errorf("told %d of an acknowledged finding, want 0", got)
	}
	if b.Holds("audit", nil, now); b.Len() != 0 {
		t.Errorf("%d findings after it was over, want none", b.Len())
	}
	b.Holds("audit", over, now)
	if got := alerted(); got != 1 {
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
	b.DueAlerts(finding.Warning, time.Hour, nil, now)
	b.Happened("watch", tampered, now.Add(time.Minute))
	if got := len(b.DueAlerts(finding.Warning, time.Hour, nil, now.Add(time.Minute))); got != 1 {
		t.Errorf("told %d of a second event, want 1", got)
	}
	if b.Tidy(now.Add(31 * 24 * time.Hour)); b.Len() != 0 {
		t.Error("an event of last month is still there")
	}
}

// TestOwedUntilDelivered: an alert is not forgotten between being raised and arriving, even if
// the condition is over meanwhile.
func TestOwedUntilDelivered(t *testing.T) {
	state, err := fsys.Dir(t.TempDir())
	must(t, err)
	defer state.Close()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	b, err := Read(state, "a")
	must(t, err)
	b.Holds("audit", []finding.Finding{finding.Oversize.In("MEMORY.md", "61 lines")}, now)
	n := b.DueAlerts(finding.Warning, time.Hour, []string{"webhook", "command"}, now)[0]
	if more := b.Delivered(n.ID, "command", now); more {
		t.Error("a command owes more than it was told")
	}
	b.Holds("audit", nil, now)
	must(t, b.Write(state, false))
	if b, err = Read(state, "a"); err != nil {
		t.Fatal(err)
	}
	if got := b.List(); len(got) != 0 {
		t.Errorf("over, and still listed: %+v", got)
	}
	if _, still := b.PendingOn(n.ID, "command"); still {
		t.Error("owed by a way it arrived by")
	}
	got, still := b.PendingOn(n.ID, "webhook")
	if !still || got.Over == nil || len(b.Pending()) != 1 {
		t.Fatalf("after a restart nobody owes it: %+v", b.Pending())
	}
	// Raised again while the first is on its way: delivering that one does not count for the second.
	later := now.Add(2 * time.Hour)
	b.Holds("audit", []finding.Finding{finding.Oversize.In("MEMORY.md", "62 lines")}, later)
	b.DueAlerts(finding.Warning, time.Hour, []string{"webhook"}, later)
	if more := b.Delivered(n.ID, "webhook", now); !more {
		t.Error("the older alert counts for the newer")
	}
	b.Holds("audit", nil, later)
	if b.Delivered(n.ID, "webhook", later); b.Len() != 0 {
		t.Errorf("over and delivered, and still there: %+v", b.sortedNotices())
	}
}

// TestAcknowledgedEventHappensAgain alerts again: the acknowledgement was for the one before.
func TestAcknowledgedEventHappensAgain(t *testing.T) {
	state, err := fsys.Dir(t.TempDir())
	must(t, err)
	defer state.Close()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	tampered := []finding.Finding{finding.BaselineRestored.In("MEMORY.md", "tampered")}
	b, err := Read(state, "a")
	must(t, err)
	b.Happened("guard", tampered, now)
	b.DueAlerts(finding.Warning, time.Hour, nil, now)
	must(t, b.Write(state, true))
	if _, err := Acknowledge(state, "a", nil, Ack{By: "x", At: now.Add(time.Minute)}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{1, 0, 0, 1} { // again; a second and half a minute later; then once for both
		at := now.Add(2*time.Minute + []time.Duration{0, time.Second, 30 * time.Second, 2 * time.Minute}[i])
		if i < 3 {
			b.Happened("guard", tampered, at)
		}
		must(t, b.ReadAcks(state))
		if got := len(b.DueAlerts(finding.Warning, time.Hour, nil, at)); got != want {
			t.Errorf("%s: told %d, want %d", at.Format("15:04:05"), got, want)
		}
	}
}

func TestForeseen(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	found := []finding.Finding{finding.BaselineRestored.In("MEMORY.md", "is being brought back")}
	b := &Book{Agent: "a", notes: map[string]*Notice{}}
	b.Announce("guard", found, now)
	if got := b.List(); len(got) != 1 || !got[0].Announced {
		t.Fatalf("what is about to be done is not noted: %+v", got)
	}
	if b.Withdraw("guard"); b.Len() != 0 {
		t.Error("what did not come about is still there")
	}
	b.Announce("guard", found, now)
	b.Happened("guard", found, now)
	if b.Withdraw("guard"); b.Len() != 1 || b.List()[0].Times != 1 || b.List()[0].Announced {
		t.Errorf("what came about: %+v", b.List())
	}
}

// TestHostOnce: a host that several jobs cannot reach is one finding, however each of them words it.
func TestHostOnce(t *testing.T) {
	state, err := fsys.Dir(t.TempDir())
	must(t, err)
	defer state.Close()
	b, err := Read(state, "far")
	must(t, err)
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	alerted := 0
	for _, text := range []string{"reset of far: the connection was lost", "workspace of far: no route to host"} {
		b.Holds(Host, []finding.Finding{finding.Unreachable.In("", "%s", text)}, now)
		alerted += len(b.DueAlerts(finding.Warning, 24*time.Hour, nil, now))
		now = now.Add(time.Second)
	}
	if alerted != 1 {
		t.Errorf("told %d times, want once", alerted)
	}
}

// TestWhatWasUndoneIsNewWhenItIsBack: though nothing looked between.
func TestWhatWasUndoneIsNewWhenItIsBack(t *testing.T) {
	state, err := fsys.Dir(t.TempDir())
	must(t, err)
	defer state.Close()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	drift := []finding.Finding{finding.Drift.In("MEMORY.md", "it differs")}
	b, err := Read(state, "a")
	must(t, err)
	b.Holds("zone", drift, now)
	must(t, b.Write(state, true))
	_, err = Acknowledge(state, "a", nil, Ack{By: "x", At: now.Add(time.Minute), Undone: true})
	must(t, err)
	must(t, b.ReadAcks(state))
	if open := Open(b.List()); len(open) != 0 {
		t.Fatalf("%v is open, want nothing", open)
	}
	b.Holds("zone", drift, now.Add(time.Hour))
	must(t, b.ReadAcks(state))
	if open := Open(b.List()); len(open) != 1 {
		t.Errorf("%d findings are open once it is back, want 1", len(open))
	}
}
