package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/fleet/harness/harnesstest"
	"tend/internal/engine/job"
	"tend/internal/engine/job/write"
	"tend/internal/model/finding"
	"tend/internal/state/plan"
)

// recordedHome is an agent of OpenClaw whose agent wrote files with its own tools.
func recordedHome(t *testing.T, files map[string]string) *home {
	h := newHome(t, "openclaw@2026.9", "UTC", map[string]any{"automation": "curate"})
	h.at(evening)
	h.cfg.Workspace = config.Workspace{Kind: config.Local, Path: filepath.Join(t.TempDir(), "ws")}
	var writes []harnesstest.Write
	for name, text := range files {
		h.write(name, text)
		writes = append(writes, harnesstest.Write{File: name, Text: text, At: h.now.Add(-1e9)})
	}
	harnesstest.OpenClaw(t, h.cfg.Workspace.Path, writes...)
	return h
}

const memoryFile = "# Memory\n\n## Facts\n\n- the port is 8443\n"

// TestNightlyProposesRecorded: a night writes nothing into a file that OpenClaw recorded; the new entry is a proposal.
func TestNightlyProposesRecorded(t *testing.T) {
	h := recordedHome(t, map[string]string{"MEMORY.md": memoryFile})
	h.write("memory/2026-11-15.md", "# 2026-11-15\n\n- 09:00 [decision] the gateway moves to Oslo in March\n")
	h.set(h.now.Add(3 * 3600e9))
	r := h.run("nightly")
	if got := h.read("MEMORY.md"); got != memoryFile {
		t.Errorf("MEMORY.md was written:\n%s", got)
	}
	list, err := h.agent().Proposals.List()
	must(t, err)
	if len(list) != 1 || list[0].Target != "MEMORY.md" || !strings.Contains(list[0].Text, "the gateway moves to Oslo in March") {
		t.Fatalf("proposals: %+v (%s)", list, r.Summary)
	}
	if !has(r.Findings, finding.LeftToAgent) {
		t.Errorf("findings: %v", r.Findings)
	}
	h.write("MEMORY.md", memoryFile+list[0].Text+"\n") // the agent does, with its own tool
	h.run("nightly")
	if list, err = h.agent().Proposals.List(); err != nil || list[0].State != fleet.Approved || list[0].By != "agent:ada" {
		t.Errorf("%v: a proposal that was written is %+v", err, list)
	}
	list[0].State = fleet.Waiting
	must(t, h.agent().Proposals.Change(context.Background(), func([]fleet.Proposal) ([]fleet.Proposal, error) { return list, nil }))
	h.write("MEMORY.md", memoryFile)
	if again := h.run("nightly"); again.Action != "" && h.read("MEMORY.md") != memoryFile {
		t.Errorf("the next night wrote: %+v", again)
	}
	if _, err := Approve(context.Background(), h.agent(), list[0].ID, Options{Who: "test"}); !errors.Is(err, vault.ErrRefused) {
		t.Errorf("approving: %v", err)
	}
	_, err = Approve(context.Background(), h.agent(), list[0].ID, Options{Who: "test", AcceptUnload: true})
	must(t, err)
	if !strings.Contains(h.read("MEMORY.md"), "Oslo") {
		t.Error("an accepted approval wrote nothing")
	}
}

// TestWritesSpareRecorded: requests by hand are refused, unless they restore what the agent wrote or accept the consequence.
func TestWritesSpareRecorded(t *testing.T) {
	h := recordedHome(t, map[string]string{"MEMORY.md": memoryFile})
	ctx := context.Background()
	put := func(text string, o Options) error {
		o.Who = "test"
		_, err := Write(ctx, h.agent(), "MEMORY.md", []byte(text), nil, "restore", o)
		return err
	}
	err := put("other\n", Options{})
	var no *job.Refusal
	if !errors.As(err, &no) || !strings.Contains(no.Try, "--accept-unload") || h.read("MEMORY.md") != memoryFile {
		t.Errorf("a restore: %v", err)
	}
	if err := put("other\n", Options{DryRun: true}); !errors.As(err, &no) {
		t.Errorf("a dry run: %v", err)
	}
	must(t, put("other\n", Options{AcceptUnload: true}))
	if err := put("third\n", Options{}); !errors.As(err, &no) {
		t.Errorf("a changed file is still its agent's: %v", err)
	}
	must(t, put(memoryFile, Options{})) // back to what was recorded: the harness goes on loading it
	if h.read("MEMORY.md") != memoryFile {
		t.Error("not restored")
	}
	_, err = Write(ctx, h.agent(), "SOUL.md", []byte("I\n"), nil, "restore", Options{Who: "test"})
	must(t, err)
}

// TestNotesBesideRecorded: a note goes into a log of its own if the agent writes the day's log itself.
func TestNotesBesideRecorded(t *testing.T) {
	const log = "# 2026-11-15\n\n- the agent's own\n"
	h := recordedHome(t, map[string]string{"memory/2026-11-15.md": log, "memory/working-buffer.md": "# Working Buffer\n"})
	ctx := context.Background()
	for _, text := range []string{"first", "second"} {
		_, err := Note(ctx, h.agent(), write.Request{Text: text}, Options{Who: "test"})
		must(t, err)
	}
	_, ad, err := Checkpoint(ctx, h.agent(), write.Pressure{Used: 70, Window: 100, Request: write.Request{Text: "third"}},
		Options{Who: "test"})
	must(t, err)
	if len(ad.Saved) != 1 || ad.Saved[0] != "memory/2026-11-15-tend.md" {
		t.Errorf("the checkpoint is in %v", ad.Saved)
	}
	if got := h.read("memory/2026-11-15.md"); got != log {
		t.Errorf("the agent's log: %q", got)
	}
	got := h.read("memory/2026-11-15-tend.md")
	for _, text := range []string{"first", "second", "third"} {
		if !strings.Contains(got, text) {
			t.Errorf("%s is not in %q", text, got)
		}
	}
}

// TestPruneLeavesRecorded: what is not an addition stays undone as a whole, with a diff.
func TestPruneLeavesRecorded(t *testing.T) {
	var old strings.Builder
	old.WriteString("# Memory\n")
	for day := range 20 {
		old.WriteString(fmt.Sprintf("\n## 2026-01-%02d\n", day+1) +
			strings.Repeat("- something that happened on that day and was long to tell\n", 20))
	}
	h := recordedHome(t, map[string]string{"MEMORY.md": old.String()})
	h.set(h.now.Add(3 * 3600e9))
	before := h.files()
	r := h.run("prune")
	for name, text := range h.files() {
		if before[name] != text {
			t.Errorf("%s changed", name)
		}
	}
	if r.Outcome == plan.Changed || r.Action != "" {
		t.Errorf("%s %s %s", r.Outcome, r.Action, r.Summary)
	}
	if !has(r.Findings, finding.LeftToAgent) {
		t.Errorf("findings: %v", r.Findings)
	}
	for _, f := range r.Findings {
		if f.Code == finding.LeftToAgent.Code && !strings.Contains(f.Diff, "-- something that happened") {
			t.Errorf("the diff: %q", f.Diff)
		}
	}
}

func has(list []finding.Finding, kind finding.Kind) bool {
	for _, f := range list {
		if f.Code == kind.Code {
			return true
		}
	}
	return false
}
