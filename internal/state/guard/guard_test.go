package guard_test

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"tend/internal/disk/fsys/memfs"
	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/guard"
	"tend/internal/state/ledger"
)

const minBytes = 1000

// office is an operator's folder and an agent's guard for it.
type office struct {
	*testing.T
	disk  *memfs.Disk
	now   time.Time
	guard *guard.Guard
}

func newOffice(t *testing.T, signers *guard.Signers) *office {
	t.Helper()
	o := &office{T: t, disk: memfs.New(), now: time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)}
	state, err := o.disk.Tree("state")
	o.must(err)
	o.must(o.disk.MkdirAll("op"))
	o.guard = guard.New("ada", state, vault.SyncEach{}, func() time.Time { return o.now }, signers)
	return o
}

func (o *office) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

func (o *office) baseline(name string) guard.Baseline {
	o.Helper()
	tree, err := o.disk.Tree("op")
	o.must(err)
	return guard.Baseline{File: vault.Path(name), Source: "op/" + name, Tree: tree, Name: name}
}

func (o *office) writes(name, text string) { o.Helper(); o.must(o.disk.WriteFile("op/"+name, text)) }

func (o *office) approve(sign func([]byte) (string, error), names ...string) []guard.Approval {
	o.Helper()
	var list []guard.Baseline
	for _, n := range names {
		list = append(list, o.baseline(n))
	}
	made, err := o.guard.Approve(list, "olga", minBytes, sign)
	o.must(err)
	return made
}

// check returns a baseline's text and findings, as a reset does first.
func (o *office) check(name string) (text string, found []finding.Finding) {
	o.Helper()
	approvals, err := o.guard.Approvals()
	o.must(err)
	data, found, err := o.guard.Check(o.baseline(name), approvals, minBytes)
	o.must(err)
	return string(data), found
}

func (o *office) wants(name string, kind finding.Kind) finding.Finding {
	o.Helper()
	_, found := o.check(name)
	if len(found) != 1 || found[0].Code != kind.Code || found[0].Severity != kind.Severity || found[0].File != name || found[0].Remedy == "" {
		o.Fatalf("check: %+v, want %s", found, kind.Code)
	}
	return found[0]
}

func (o *office) fine(name, want string) {
	o.Helper()
	if text, found := o.check(name); text != want || len(found) > 0 {
		o.Errorf("check: %.40q, %v, want %.40q and nothing wrong", text, found, want)
	}
}

func sized(n int) string { return strings.Repeat("x", n-1) + "\n" }

func TestSize(t *testing.T) {
	o := newOffice(t, nil)
	for _, tt := range []struct {
		size int
		ok   bool
	}{{1000, true}, {1001, true}, {999, false}, {1, false}} {
		o.writes("MEMORY.md", sized(tt.size))
		_, err := o.guard.Approve([]guard.Baseline{o.baseline("MEMORY.md")}, "olga", minBytes, nil)
		if (err == nil) != tt.ok || !tt.ok && !errors.Is(err, vault.ErrRefused) {
			t.Errorf("approval of %d bytes: %v", tt.size, err)
		}
		if tt.ok {
			o.fine("MEMORY.md", sized(tt.size))
			continue
		}
		if f := o.wants("MEMORY.md", finding.BaselineSmall); !strings.Contains(f.Text, fmt.Sprint(tt.size)) {
			t.Errorf("it says %q", f.Text)
		}
	}
	o.writes("MEMORY.md", "")
	o.wants("MEMORY.md", finding.BaselineSmall)
}

func TestUnapprovedTamperedMissing(t *testing.T) {
	o := newOffice(t, nil)
	o.writes("MEMORY.md", sized(1200))
	o.wants("MEMORY.md", finding.BaselineUnapproved)
	o.approve(nil, "MEMORY.md")
	o.fine("MEMORY.md", sized(1200))

	o.writes("MEMORY.md", "a new line\n"+sized(1200))
	f := o.wants("MEMORY.md", finding.BaselineTampered)
	if !strings.Contains(f.Text, "differs from the text approved by") || !strings.Contains(f.Text, "olga") ||
		!strings.Contains(f.Diff, "+a new line") {
		t.Errorf("it says %q with the diff %q", f.Text, f.Diff)
	}
	o.must(o.disk.Remove("op/MEMORY.md"))
	o.wants("MEMORY.md", finding.BaselineMissing)

	o.writes("OTHER.md", sized(1200))
	o.wants("OTHER.md", finding.BaselineUnapproved) // an approval is for one file only
}

func TestApproval(t *testing.T) {
	o := newOffice(t, nil)
	o.writes("MEMORY.md", sized(1200))
	o.writes("AGENTS.md", sized(1300))
	made := o.approve(nil, "MEMORY.md", "AGENTS.md")
	a := made[1]
	if text := vault.VersionOf([]byte(sized(1300))); a.File != "AGENTS.md" || a.Size != 1300 || a.Version != text || a.Count != 1 ||
		a.By != "olga" || !a.At.Equal(o.now) {
		t.Errorf("approved %+v", a)
	}
	o.writes("MEMORY.md", sized(1201))
	if again := o.approve(nil, "MEMORY.md"); again[0].Count != 2 {
		t.Errorf("approved again: %+v", again)
	}
	o.fine("MEMORY.md", sized(1201))
	o.fine("AGENTS.md", sized(1300)) // not touched by the other's approval
	for name := range o.disk.Files("state") {
		if strings.Contains(name, vault.TempPrefix) {
			t.Errorf("%s is left", name)
		}
	}
}

// With one bad text among several, none is approved.
func TestApprovalIsAllOrNothing(t *testing.T) {
	o := newOffice(t, nil)
	o.writes("MEMORY.md", sized(1200))
	o.writes("AGENTS.md", sized(10))
	if _, err := o.guard.Approve([]guard.Baseline{o.baseline("MEMORY.md"), o.baseline("AGENTS.md")}, "olga", minBytes, nil); err == nil {
		t.Error("a text of ten bytes was approved")
	}
	o.wants("MEMORY.md", finding.BaselineUnapproved)
}

func TestRestore(t *testing.T) {
	o := newOffice(t, nil)
	good, bad := sized(1200), "the agent is king\n"+sized(1200)
	o.writes("MEMORY.md", good)
	a := o.approve(nil, "MEMORY.md")[0]

	if kept, err := o.guard.Restore(o.baseline("MEMORY.md"), a); err != nil || kept != "" {
		t.Errorf("restore of what is right: %q, %v", kept, err)
	}
	o.writes("MEMORY.md", bad)
	o.must(o.disk.Chmod("op/MEMORY.md", 0o640, 0, 0))
	kept, err := o.guard.Restore(o.baseline("MEMORY.md"), a)
	o.must(err)
	if text, err := o.disk.ReadFile("state/" + kept); err != nil || text != bad {
		t.Errorf("the tampered text is kept as %q, %v", text, err)
	}
	if info, err := o.disk.Stat("op/MEMORY.md"); err != nil || info.Mode.Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode, err)
	}
	o.fine("MEMORY.md", good)

	o.must(o.disk.Remove("op/MEMORY.md"))
	if kept, err := o.guard.Restore(o.baseline("MEMORY.md"), a); err != nil || kept != "" {
		t.Errorf("restore of what was gone: %q, %v", kept, err)
	}
	o.fine("MEMORY.md", good)
}

// Nothing is restored from a missing or changed copy.
func TestRestoreWithoutAGoodCopy(t *testing.T) {
	o := newOffice(t, nil)
	o.writes("MEMORY.md", sized(1200))
	a := o.approve(nil, "MEMORY.md")[0]
	o.writes("MEMORY.md", sized(1300))
	name := "state/" + ledger.BaselineText("ada", a.Version)
	o.must(o.disk.WriteFile(name, sized(1400)))
	if _, err := o.guard.Restore(o.baseline("MEMORY.md"), a); err == nil {
		t.Error("restored from a changed copy")
	}
	o.must(o.disk.Remove(name))
	if _, err := o.guard.Restore(o.baseline("MEMORY.md"), a); err == nil {
		t.Error("restored from no copy")
	}
	if text, err := o.disk.ReadFile("op/MEMORY.md"); err != nil || text != sized(1300) {
		t.Errorf("the baseline is %d bytes, %v", len(text), err)
	}
	if f := o.wants("MEMORY.md", finding.BaselineTampered); f.Diff != "" {
		t.Errorf("a diff to a missing text: %q", f.Diff)
	}
}

// An unreadable file is an error, never "missing".
func TestUnreadable(t *testing.T) {
	o := newOffice(t, nil)
	o.writes("MEMORY.md", sized(1200))
	o.approve(nil, "MEMORY.md")
	approvals, err := o.guard.Approvals()
	o.must(err)
	o.disk.FailOn(func(op memfs.Op) bool { return op.Kind == memfs.Read }, syscall.EIO, memfs.Always)
	if _, found, err := o.guard.Check(o.baseline("MEMORY.md"), approvals, minBytes); !errors.Is(err, syscall.EIO) || len(found) > 0 {
		t.Errorf("check: %v, %v", found, err)
	}
	if _, err := o.guard.Approvals(); !errors.Is(err, syscall.EIO) {
		t.Errorf("approvals: %v", err)
	}
	o.disk.FailOn(nil, nil, 0)
	o.must(o.disk.WriteFile("state/baselines/ada/approvals.json", "[{"))
	if _, err := o.guard.Approvals(); err == nil {
		t.Error("broken approvals were read")
	}
	if _, err := o.guard.Approve([]guard.Baseline{o.baseline("MEMORY.md")}, "olga", minBytes, nil); err == nil {
		t.Error("broken approvals were written over")
	}
}

func TestAdvice(t *testing.T) {
	var whole strings.Builder
	for _, s := range policy.BaselineSections.Of(policy.Policy{}) {
		whole.WriteString("## " + s + "\n\ntext\n\n")
	}
	for _, tt := range []struct {
		name, text, want string
	}{
		{"small", whole.String(), "baseline-size"},
		{"good", whole.String() + sized(15<<10), ""},
		{"between", whole.String() + sized(8<<10), ""},
		{"large", whole.String() + sized(26<<10), "baseline-size"},
		{"no sections", sized(15 << 10), "baseline-sections"},
		{"a line that is not explained", whole.String() + sized(15<<10) + "\n---\n", "baseline-contract"},
		{"a line explained", whole.String() + sized(15<<10) + "\nNotes go below the line and are archived.\n---\n", ""},
		{"case does not matter", strings.ToUpper(whole.String()) + sized(15<<10), ""},
	} {
		var got []string
		for _, f := range guard.Advise("MEMORY.md", []byte(tt.text), policy.Policy{}) {
			got = append(got, f.Code)
			if f.Severity != finding.Info {
				t.Errorf("%s: %s is more than advice", tt.name, f.Code)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %v, want %q", tt.name, got, tt.want)
		}
	}
}
