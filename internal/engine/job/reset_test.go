package job_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/state/ledger"
	"tend/internal/state/plan"
	"tend/test/require"
)

var must = require.NoError

const (
	resetBase    = "# Who I am\n\nI keep the books.\n\n---\n"
	resetScratch = resetBase + "## Scratch\n"
)

// guarded is a memory file with its baseline; "-" is a file that is not there.
func guarded(name, text, baseline string) job.Guarded {
	doc := vault.Doc{Path: vault.Path(name)}
	if text != "-" {
		doc.Data, doc.Version = []byte(text), vault.VersionOf([]byte(text))
	}
	return job.Guarded{Doc: doc, Baseline: []byte(baseline), From: ledger.FromBaseline(vault.VersionOf([]byte(baseline)))}
}

// Each defect of the tools before that was about dividing a file has its line here.
func TestResetDividesAtTheLine(t *testing.T) {
	for _, tt := range []struct {
		name     string // the defect's number where there is one
		baseline string
		file     string
		sep      string
		outcome  job.Outcome
		kind     string // of the archive; "" is none
		archived string
	}{
		{name: "equal", baseline: resetBase, file: resetBase, outcome: job.Unchanged},
		{name: "not there", baseline: resetBase, file: "-", outcome: job.Created},
		{name: "empty", baseline: resetBase, file: "", outcome: job.Drifted, kind: "full"},
		{name: "notes", baseline: resetBase, file: resetBase + "- a\n- b\n", outcome: job.WasReset, kind: "notes", archived: "- a\n- b\n"},
		{name: "only blanks", baseline: resetBase, file: resetBase + "\n  \n\n", outcome: job.WasReset},

		{name: "rules in the notes", baseline: resetBase, file: resetBase + "- a\n\n---\n\n- b\n", outcome: job.WasReset, kind: "notes",
			archived: "- a\n\n---\n\n- b\n"},
		{name: "front matter in the notes", baseline: resetBase, file: resetBase + "---\nk: v\n---\n- b\n", outcome: job.WasReset,
			kind: "notes", archived: "---\nk: v\n---\n- b\n"},
		{name: "a fence in the notes", baseline: resetBase, file: resetBase + "```yaml\na: 1\n---\nb: 2\n```\n- c\n",
			outcome: job.WasReset, kind: "notes", archived: "```yaml\na: 1\n---\nb: 2\n```\n- c\n"},
		{name: "drift and rules in the notes", baseline: resetBase, file: "# I am king\n\n---\n- a\n---\n- b\n", outcome: job.Drifted,
			kind: "drift", archived: "# I am king\n\n---\n- a\n---\n- b\n"},
		{name: "a rule in the baseline", baseline: "a\n---\nb\n---\n", file: "a\n---\nb\n---\n- n\n", outcome: job.WasReset,
			kind: "notes", archived: "- n\n"},

		{name: "one note, no newline", baseline: resetBase, file: resetBase + "x", outcome: job.WasReset, kind: "notes", archived: "x"},
		{name: "a note on the separator's line", baseline: "a\n---", file: "a\n---x", outcome: job.WasReset, kind: "notes", archived: "x"},
		{name: "blanks, then a note", baseline: resetBase, file: resetBase + "\n\nx", outcome: job.WasReset,
			kind: "notes", archived: "\n\nx"},

		{name: "the separator is no pattern", baseline: "a\nabc\n...\n", file: "a\nabc\n...\nxyz\n- n\n", sep: "...",
			outcome: job.WasReset, kind: "notes", archived: "xyz\n- n\n"},
		{name: "nor is any other", baseline: "a\n[x]*\n", file: "a\n[x]*\nx\n- n\n", sep: "[x]*", outcome: job.WasReset,
			kind: "notes", archived: "x\n- n\n"},

		{name: "blanks after the separator", baseline: resetBase, file: strings.Replace(resetBase, "---", "---  \t", 1) + "- a\n",
			outcome: job.WasReset, kind: "notes", archived: "- a\n"},
		{name: "crlf after the separator", baseline: resetBase, file: strings.Replace(resetBase, "---\n", "---\r\n", 1) + "- a\r\n",
			outcome: job.WasReset, kind: "notes", archived: "- a\r\n"},
		{name: "blanks in the baseline", baseline: "a\n---  \n", file: "a\n---\n- a\n", outcome: job.WasReset,
			kind: "notes", archived: "- a\n"},
		{name: "all of it crlf", baseline: resetBase, file: strings.ReplaceAll(resetBase, "\n", "\r\n") + "- a\r\n",
			outcome: job.Drifted, kind: "drift",
			archived: strings.ReplaceAll(resetBase, "\n", "\r\n") + "- a\r\n"},
		{name: "a byte order mark", baseline: resetBase, file: "\ufeff" + resetBase + "- a\n", outcome: job.WasReset,
			kind: "notes", archived: "- a\n"},

		{name: "blank lines stay", baseline: resetScratch, file: resetScratch + "\n- a\n\n\n    code\n\n", outcome: job.WasReset,
			kind: "notes", archived: "\n- a\n\n\n    code\n\n"},
		{name: "headings like the scratch heading stay", baseline: resetScratch,
			file: resetScratch + "- a\n## Scratch\n## Scratch of today\n", outcome: job.WasReset, kind: "notes",
			archived: "- a\n## Scratch\n## Scratch of today\n"},
		{name: "the scratch heading changed", baseline: resetScratch, file: resetBase + "## Mine\n- a\n", outcome: job.WasReset,
			kind: "notes", archived: "## Mine\n- a\n"},

		{name: "a rule changed", baseline: resetBase, file: strings.Replace(resetBase, "books", "crown", 1) + "- a\n",
			outcome: job.Drifted, kind: "drift",
			archived: strings.Replace(resetBase, "books", "crown", 1) + "- a\n"},
		{name: "a rule added", baseline: resetBase, file: "- obey\n" + resetBase, outcome: job.Drifted, kind: "drift",
			archived: "- obey\n" + resetBase},
		{name: "the line taken out", baseline: resetBase, file: "# Who I am\n\n- a\n", outcome: job.Drifted, kind: "full",
			archived: "# Who I am\n\n- a\n"},
		{name: "the line in a fence only", baseline: resetBase, file: "# Who I am\n```\n---\n```\n- a\n", outcome: job.Drifted,
			kind: "full", archived: "# Who I am\n```\n---\n```\n- a\n"},

		{name: "no line in the baseline, unchanged", baseline: "all mine\n", file: "all mine\n", outcome: job.Unchanged},
		{name: "no line in the baseline, changed", baseline: "all mine\n", file: "all mine\n- a\n", outcome: job.Drifted, kind: "full",
			archived: "all mine\n- a\n"},
		{name: "no line in the baseline, one in the file", baseline: "all mine\n", file: "all mine\n---\n- a\n", outcome: job.Drifted,
			kind: "full", archived: "all mine\n---\n- a\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p policy.Policy
			if tt.sep != "" {
				var err error
				if p, err = p.With("test", map[string]any{"baseline.separator": tt.sep}); err != nil {
					t.Fatal(err)
				}
			}
			g := guarded("MEMORY.md", tt.file, tt.baseline)
			pl, err := job.Reset(job.Input{Guarded: []job.Guarded{g}, Policy: p})
			must(t, err)
			outcome := pl.Outcome
			if outcome != tt.outcome {
				t.Errorf("outcome %s, want %s", outcome, tt.outcome)
			}
			checkChange(t, pl, g, tt.outcome)
			switch {
			case tt.kind == "" && len(pl.Archives) > 0:
				t.Errorf("archives %q", pl.Archives)
			case tt.kind != "" && (len(pl.Archives) != 1 || pl.Archives[0].Kind != tt.kind || string(pl.Archives[0].Text) != tt.archived ||
				pl.Archives[0].File != "MEMORY.md"):
				t.Errorf("archives %q, want %s %q", pl.Archives, tt.kind, tt.archived)
			}
			checkDrift(t, pl, tt.outcome)
			conserved(t, pl, g)
		})
	}
}

// checkChange: a file that is not right becomes the baseline, and no other is touched.
func checkChange(t *testing.T, pl plan.Plan, g job.Guarded, outcome job.Outcome) {
	t.Helper()
	if outcome == job.Unchanged {
		if !pl.Empty() {
			t.Errorf("changes %+v, want none", pl.Changes)
		}
		return
	}
	if len(pl.Changes) != 1 {
		t.Fatalf("%d changes, want 1", len(pl.Changes))
	}
	c := pl.Changes[0]
	if c.Path != g.Doc.Path || c.Op != plan.Write || c.Before != g.Doc.Version || !bytes.Equal(c.New, g.Baseline) || c.From != g.From {
		t.Errorf("change %+v", c)
	}
	// A file that is not there must not be forced: who made it meanwhile keeps it.
	if !c.Force { // also where it is made: what is no file may stand there
		t.Errorf("forced: %v", c.Force)
	}
}

// checkDrift checks that drift, and only drift, is reported with a diff.
func checkDrift(t *testing.T, pl plan.Plan, outcome job.Outcome) {
	t.Helper()
	if (outcome == job.Drifted) != (len(pl.Findings) == 1) {
		t.Fatalf("findings %v with outcome %s", pl.Findings, outcome)
	}
	if outcome == job.Drifted && (pl.Findings[0].Code != finding.Drift.Code || pl.Findings[0].File == "") {
		t.Errorf("finding %+v", pl.Findings[0])
	}
}

// conserved: every line that is not the baseline's is in an archive.
func conserved(t *testing.T, pl plan.Plan, g job.Guarded) {
	t.Helper()
	kept := bytes.Clone(g.Baseline)
	for _, a := range pl.Archives {
		kept = append(append(kept, '\n'), a.Text...)
	}
	if len(pl.Changes) == 0 {
		return
	}
	for line := range strings.Lines(string(g.Doc.Data)) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		line = strings.TrimPrefix(line, "---") // on whose line a note may stand
		if !strings.Contains(string(kept), line) {
			t.Errorf("%q is in no archive", line)
		}
	}
}

func TestResetShowsTheDrift(t *testing.T) {
	g := guarded("MEMORY.md", strings.Replace(resetBase, "books", "crown", 1)+"- a\n", resetBase)
	pl, _ := job.Reset(job.Input{Guarded: []job.Guarded{g}, Policy: policy.Policy{}})
	for _, diff := range []string{pl.Findings[0].Diff, pl.Archives[0].Diff} {
		if !strings.Contains(diff, "-I keep the books.") || !strings.Contains(diff, "+I keep the crown.") || strings.Contains(diff, "- a") {
			t.Errorf("the diff is\n%s", diff)
		}
	}
}

// Several files of one agent are one plan, and the worst of them names the outcome.
func TestResetOfSeveralFiles(t *testing.T) {
	for _, tt := range []struct {
		files   string // a letter a file: equal, notes, created, drifted
		outcome job.Outcome
		changes int
	}{
		{"e", job.Unchanged, 0}, {"eee", job.Unchanged, 0}, {"en", job.WasReset, 1}, {"nc", job.Created, 2}, {"cn", job.Created, 2},
		{"dcn", job.Drifted, 3}, {"ncd", job.Drifted, 3}, {"", job.Unchanged, 0},
	} {
		var list []job.Guarded
		for i, c := range tt.files {
			text := map[rune]string{'e': resetBase, 'n': resetBase + "- a\n", 'c': "-", 'd': "x\n---\n- a\n"}[c]
			list = append(list, guarded(fmt.Sprintf("%d.md", i), text, resetBase))
		}
		pl, err := job.Reset(job.Input{Guarded: list, Policy: policy.Policy{}})
		must(t, err)
		outcome := pl.Outcome
		if outcome != tt.outcome || len(pl.Changes) != tt.changes {
			t.Errorf("%s: %s with %d changes, want %s with %d", tt.files, outcome, len(pl.Changes), tt.outcome, tt.changes)
		}
		if (pl.Summary == "") != (tt.changes == 0) {
			t.Errorf("%s: summary %q", tt.files, pl.Summary)
		}
	}
}

func TestResetTellsOfAnOversizedFile(t *testing.T) {
	p, err := policy.Policy{}.With("test", map[string]any{"hot.max_bytes": "256"})
	must(t, err)
	for size, want := range map[int]bool{10: false, 1000: true} {
		pl, _ := job.Reset(job.Input{Guarded: []job.Guarded{guarded("MEMORY.md", resetBase+strings.Repeat("x", size), resetBase)}, Policy: p})
		if got := len(pl.Findings) > 0; got != want {
			t.Errorf("with %d bytes of notes: %v", size, pl.Findings)
		}
	}
}

// A reset does not change what it was given.
func TestResetIsPure(t *testing.T) {
	g := guarded("MEMORY.md", resetBase+"- a\n", resetBase)
	data, base := bytes.Clone(g.Doc.Data), bytes.Clone(g.Baseline)
	first, _ := job.Reset(job.Input{Guarded: []job.Guarded{g}, Policy: policy.Policy{}})
	second, _ := job.Reset(job.Input{Guarded: []job.Guarded{g}, Policy: policy.Policy{}})
	if !bytes.Equal(g.Doc.Data, data) || !bytes.Equal(g.Baseline, base) || first.Diff() != second.Diff() || first.Summary != second.Summary {
		t.Error("a second reset of the same file differs")
	}
}

func TestANewBaselineIsNoDrift(t *testing.T) {
	old, fresh := "old rules\n---\n## Notes\n", "new rules\nand more\n---\n## Notes\n"
	for _, tt := range []struct {
		name, file, former string
		outcome            job.Outcome
		archive, summary   string
	}{
		{"notes under the old text", old + "- a note\n", old, job.WasReset, "- a note\n",
			"M.md: the new baseline put in place, 1 line of notes archived"},
		{"no notes", old, old, job.WasReset, "", "M.md: the new baseline put in place"},
		{"the old text was changed", "bad rules\n---\n## Notes\n", old, job.Drifted, "bad rules\n---\n## Notes\n",
			"M.md: drift archived with the full text"},
		{"the new one has been there", old + "- a note\n", "", job.Drifted, old + "- a note\n", "M.md: drift archived with the full text"},
		{"the new one is there", fresh + "- a note\n", old, job.WasReset, "- a note\n", "M.md: 1 line of notes archived"},
	} {
		g := job.Guarded{Doc: vault.Doc{Path: "M.md", Version: "v", Data: []byte(tt.file)}, Baseline: []byte(fresh), Former: []byte(tt.former)}
		pl, err := job.Reset(job.Input{Guarded: []job.Guarded{g}, Policy: policy.Policy{}})
		must(t, err)
		outcome := pl.Outcome
		var archived strings.Builder
		for _, a := range pl.Archives {
			archived.WriteString(string(a.Text))
		}
		if outcome != tt.outcome || archived.String() != tt.archive || pl.Summary != tt.summary {
			t.Errorf("%s: got %s, %q, %q, want %s, %q, %q", tt.name, outcome, archived.String(), pl.Summary, tt.outcome, tt.archive, tt.summary)
		}
		if len(pl.Changes) != 1 || string(pl.Changes[0].New) != fresh {
			t.Errorf("%s: got %+v, want the new baseline", tt.name, pl.Changes)
		}
	}
}

func TestRestoreZoneCarriesANewBaseline(t *testing.T) {
	old := "old rules\n---\n## Notes\n"
	for _, tt := range []struct{ name, file, baseline, want string }{
		{"notes stay", old + "- a note\n", "new\n---\n## Notes\n", "new\n---\n## Notes\n- a note\n"},
		{"no notes", old, "new\n---\n## Notes\n", "new\n---\n## Notes\n"},
		{"nothing below the new line", old + "- a note\n", "new\n---\n", "new\n---\n## Notes\n- a note\n"},
		{"no line any more", old + "- a note\n", "new, all of it\n", "new, all of it\n"},
	} {
		g := job.Guarded{Doc: vault.Doc{Path: "M.md", Version: "v", Data: []byte(tt.file)}, Baseline: []byte(tt.baseline), Former: []byte(old)}
		pl, _ := job.RestoreZone(job.Input{Guarded: []job.Guarded{g}})
		if len(pl.Changes) != 1 || string(pl.Changes[0].New) != tt.want {
			t.Errorf("%s: got %+v, want %q", tt.name, pl.Changes, tt.want)
		}
		if len(pl.Findings) != 1 || pl.Findings[0].Code != finding.BaselineCarried.Code {
			t.Errorf("%s: got %+v, want one %s", tt.name, pl.Findings, finding.BaselineCarried.Code)
		}
		if len(pl.Archives) != 1 || string(pl.Archives[0].Text) != tt.file {
			t.Errorf("%s: got %+v, want the whole file", tt.name, pl.Archives)
		}
	}
}
