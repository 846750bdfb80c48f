package job

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
)

// placesOf lists findings as "code file:line".
func placesOf(list []finding.Finding) (out []string) {
	for _, f := range list {
		out = append(out, fmt.Sprintf("%s %s:%d", f.Code, f.File, f.Line))
	}
	return out
}

func TestCompareReadsLabelsUnderTheSameHeadings(t *testing.T) {
	const here = "# Memory\n\n## Grafana\n\n- **Port:** 3000\n"
	for _, tt := range []struct {
		name, tools string
		want        []string
	}{
		{"the same value", "# Tools\n\n## Grafana\n\n- Port: 3000\n", nil},
		{"another value", "# Tools\n\n## Grafana\n\n- Port: 3001\n", []string{"label-differs TOOLS.md:5"}},
		{"another heading", "# Tools\n\n## Loki\n\n- Port: 3001\n", nil},
		{"a deeper heading", "# Tools\n\n## Grafana\n\n### Staging\n\n- Port: 3001\n", nil},
		{"another label", "# Tools\n\n## Grafana\n\n- Host: 3001\n", nil},
		{"a record with several values", "# Tools\n\n## Grafana\n\n- Port: 3001\n- Port: 3002\n", nil},
		{"a dated section", "# Tools\n\n## 2026-11-01\n\n## Grafana 2026-11-01\n\n- Port: 3001\n", nil},
		{"a sentence", "# Tools\n\n## Grafana\n\n- grafana listens on port 3001\n", nil},
	} {
		pl := Compare(night{files: map[string]string{"MEMORY.md": here, "TOOLS.md": tt.tools}}.input(t))
		if diff := cmp.Diff(tt.want, placesOf(pl.Findings)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if !pl.Empty() {
			t.Errorf("%s: compare must not change anything", tt.name)
		}
	}
}

func TestCompareMasksWhatItQuotes(t *testing.T) {
	secret := "AKIA" + "IOSFODNN7" + "REALKEY"
	pl := Compare(night{files: map[string]string{
		"MEMORY.md": "# Memory\n\n## Store\n\n- Key: " + secret + "\n", "TOOLS.md": "# Tools\n\n## Store\n\n- Key: in the safe\n",
	}}.input(t))
	if len(pl.Findings) != 1 || strings.Contains(pl.Findings[0].Text, secret) {
		t.Errorf("got %+v", pl.Findings)
	}
}

func TestDeadReadsAreInstructions(t *testing.T) {
	there := map[string]string{"docs/team.md": "x", "memory/lessons.md": "x", "notes/deep/summary.md": "x"}
	for _, tt := range []struct{ line, want string }{
		{"Read `memory/plan.md` first.", "memory/plan.md"},
		{"See `TEAM.md` for who does what.", "TEAM.md"},
		{"- **Always read** [the plan](docs/plan.md)", "docs/plan.md"},
		{"Always read [the plan](docs/plan.md).", "docs/plan.md"},
		{"Leia `docs/plano.md` antes de responder.", "docs/plano.md"},
		{"每次开始前先读 `memory/计划.md`。", "memory/计划.md"},
		{"必ず `memory/plan.md` を読む。", "memory/plan.md"},
		{"Сначала прочитай `memory/plan.md`.", "memory/plan.md"},
		{"Read `memory/lessons.md` first.", ""},
		{"Read `summary.md` first.", ""}, // some folder has it
		{"If `BOOTSTRAP.md` exists, follow it.", ""},
		{"Read `BOOTSTRAP.md` when it exists.", ""},
		{"如果存在，阅读 `memory/plan.md`。", ""},
		{"Also read `MEMORY.md`", ""}, // the layout's own file may not be there yet
		{"When you need one, check its `SKILL.md`.", ""},
		{"Notes are in `memory/plan.md`.", ""},
		{"Write what you learn to `memory/plan.md`.", ""},
		{"Read `memory/YYYY-MM-DD.md` of today.", ""},
		{"Read `~/plans/plan.md`.", ""},
		{"Read `vault/plan.md`.", "vault/plan.md"}, // nor has it the folder
		{"```\nRead `memory/plan.md` first.\n```", ""},
		{"| Read `memory/plan.md` | yes |\n|---|---|\n| Read `memory/plan.md` | no |", ""},
	} {
		files := map[string]string{"AGENTS.md": "# Rules\n\n" + tt.line + "\n"}
		maps.Copy(files, there)
		got := DeadReads(night{files: files}.input(t), []vault.Path{"AGENTS.md"})
		switch {
		case tt.want == "" && len(got) == 0:
		case tt.want == "" || len(got) != 1 || !strings.Contains(got[0].Text, tt.want) || got[0].Line != 3:
			t.Errorf("%q: %+v", tt.line, got)
		}
	}
}

func TestDeadReadsFollowImportsOfClaudeCode(t *testing.T) {
	files := map[string]string{"CLAUDE.md": "@docs/style.md and @docs/gone.md\n\nMail me@docs.md.\n", "docs/style.md": "x"}
	for layout, want := range map[string][]string{"claude-code@2.1": {"dead-link CLAUDE.md:1"}, "openclaw@2026.8": nil} {
		got := placesOf(DeadReads(night{layout: layout, files: files}.input(t), []vault.Path{"CLAUDE.md"}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", layout, diff)
		}
	}
}

func TestCompareFindsAPromotedLineWhoseSourceChanged(t *testing.T) {
	in := night{files: one("MEMORY.md", hot0, today, "- [decision] the cache keeps entries for 60 minutes\n")}.input(t)
	pl := Curate(in)
	promoted := after(in, pl)
	promoted.Facts.Sources = pl.Sources
	if got := Compare(promoted).Findings; len(got) > 0 {
		t.Fatalf("nothing changed: %v", got)
	}
	text := []byte("- [decision] the cache keeps entries for 30 minutes\n")
	promoted.Files[today] = vault.Doc{Path: today, Data: text, Version: vault.VersionOf(text)}
	got := Compare(promoted).Findings
	if len(got) != 1 || got[0].Code != "source-differs" || got[0].File != "MEMORY.md" || got[0].Line != 4 {
		t.Errorf("the log was corrected: %v", got)
	}
}
