package audit

import (
	"slices"
	"strings"
	"testing"

	"tend/internal/model/finding"
	"tend/internal/model/policy"
)

func TestFindingsOfOneKindInOneFileAreOne(t *testing.T) {
	list := grouped([]finding.Finding{
		finding.SecretAtRest.In("a.md", "key").AtLine(16), finding.SecretAtRest.In("b.md", "key").AtLine(1),
		finding.SecretAtRest.In("a.md", "password").AtLine(18), finding.SecretAtRest.In("a.md", "token").AtLine(17),
		finding.SecretAtRest.In("a.md", "token").AtLine(40), finding.SecretAtRest.In("a.md", "token").AtLine(40),
	})
	if len(list) != 2 || list[1].Text != "key" || list[1].Lines != nil {
		t.Fatalf("got %+v", list)
	}
	if got, want := list[0].Text, "5 secrets, lines 16-18, 40; the first: key"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if want := []int{16, 17, 18, 40}; !slices.Equal(list[0].Lines, want) || list[0].Line != 16 {
		t.Errorf("got line %d of %v, want 16 of %v", list[0].Line, list[0].Lines, want)
	}
}

func TestFindingsAboutNoFileStayApart(t *testing.T) {
	if list := grouped([]finding.Finding{finding.Overdue.In("", "audit"), finding.Overdue.In("", "check")}); len(list) != 2 {
		t.Errorf("got %+v", list)
	}
}

func TestAFileThatIsNoTextIsOneFinding(t *testing.T) {
	var utf16 strings.Builder
	utf16.WriteString("\xff\xfe")
	for _, r := range strings.Repeat("- password: hunter2hunter2\n", 200) {
		utf16.WriteString(string([]byte{byte(r), 0}))
	}
	report := Examine(night{files: one("memory/old.md", utf16.String(), "MEMORY.md", "- fine\n"),
		policy: map[string]any{"protocol": "none"}}.input(t))
	list := report.Findings()
	if len(list) != 1 || list[0].Code != finding.UnreadFile.Code || list[0].File != "memory/old.md" {
		t.Errorf("got %+v", list)
	}
}

// TestAProtocolHasAllItsChecks: where a protocol is chosen its own checks run; elsewhere what only a protocol asks for is not
// looked at.
func TestAProtocolHasAllItsChecks(t *testing.T) {
	layered := []finding.Kind{
		finding.SessionAge, finding.ObservationsSize, finding.DailyLog, finding.JobErrors, finding.FileAge, finding.MemoryAge,
		finding.BufferLeft, finding.InjectedSize,
	}
	v4Checks := []finding.Kind{
		finding.TagsLine, finding.TagsVocabulary, finding.LastVerified, finding.BufferSize, finding.OpenQuestions, finding.ClosureBlocks,
		finding.DecisionLinks, finding.LogCount, finding.WALOrphans,
	}
	everywhere := []string{finding.JobErrors.Code, finding.InjectedSize.Code}
	for _, tt := range []struct {
		name   string
		n      night
		always []finding.Kind
		never  []finding.Kind
	}{
		{"layered", night{policy: map[string]any{"protocol": "layered"}}, layered, nil},
		{"v4", night{layout: v4}, v4Checks, nil},
		{"none", night{policy: map[string]any{"protocol": "none"}}, nil, slices.Concat(layered, v4Checks)},
	} {
		var ran []string
		for _, v := range Examine(tt.n.input(t)) {
			ran = append(ran, v.Check)
		}
		for _, k := range tt.always {
			if !slices.Contains(ran, k.Code) {
				t.Errorf("%s: %s was not run", tt.name, k.Code)
			}
		}
		for _, k := range tt.never {
			if slices.Contains(ran, k.Code) && !slices.Contains(everywhere, k.Code) {
				t.Errorf("%s: %s was run", tt.name, k.Code)
			}
		}
	}
}

// TestAWorkspaceInItsOwnMannerIsSilent: long files, an old session state, a buffer in use, repeated lines, mentions of files
// that are gone and edited logs are nobody's fault where no protocol forbids them.
func TestAWorkspaceInItsOwnMannerIsSilent(t *testing.T) {
	in := night{policy: map[string]any{"protocol": "none"}, files: one(
		"AGENTS.md", "# Rules\n\nThis folder is home. If `BOOTSTRAP.md` exists, follow it. Check each skill's `SKILL.md`.\n",
		"MEMORY.md", "# Memory\n\n## Projects\n\n- Report: `reports/may.md` (sent)\n"+lines(150),
		"TOOLS.md", "- line 1 of the list is repeated here\n- line 7\n",
		"SESSION-STATE.md", "# State\n\nworking on the report\n",
		bufferFile, "# Buffer\n\nHow to use this file: write before every reply.\n",
		"memory/2026-10-01.md", "- [decision] keep the report short\n- see [[Report]] and `memory/gone.md`\n",
		"memory/topics.md", "- line 1 of the list is repeated here\n",
	)}.input(t)
	if list := Examine(in).Findings(); len(list) > 0 {
		t.Errorf("got %+v", list)
	}
}

func TestOnlyTheSelectedChecksRun(t *testing.T) {
	look, unknown := ExamineOnly([]string{"secrets", "expired", "nonsense"})
	if !slices.Equal(unknown, []string{"nonsense"}) {
		t.Errorf("unknown: %v", unknown)
	}
	var ran []string
	in := night{files: one("MEMORY.md", "- key "+awsKey+"\n")}.input(t)
	in.Policy = in.Policy.Follow(policy.ProtocolLayered, "test")
	for _, v := range look(in) {
		ran = append(ran, v.Check)
	}
	if want := []string{finding.SecretAtRest.Code, finding.Expired.Code}; !slices.Equal(ran, want) {
		t.Errorf("ran %v, want %v", ran, want)
	}
}
