package audit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
)

const (
	warm = "# Infra\n#tags: docker, ssh\n> last_verified: %s\n\n- x\n"
)

func questions(n int) string { return "# Memory\n\n## Open Questions\n" + lines(n) }

func TestCheck(t *testing.T) {
	verified := func(day string) map[string]string { return one(infra, fmt.Sprintf(warm, day)) }
	links := func(body string) map[string]string {
		return one("MEMORY.md", "# Memory\n\n## Active Decisions\n"+body+"\n\n## Other\n- [x](gone.md)\n", "memory/2026-11-01.md",
			"- a\n", "memory/deploy.md", "- a\n")
	}
	hold(t, Check, checkRules(), []fixture{
		{check: finding.HotFile, name: "there", n: night{layout: v4, files: one("MEMORY.md", hotHead)}},
		{check: finding.HotFile, name: "missing", n: night{layout: v4}, flag: "MEMORY.md: the file is missing"},
		{check: finding.HotFile, name: "missing, with a baseline", n: night{base: one("MEMORY.md", "b\n---\n")}, flag: "missing"},
		{check: finding.HotFile, name: "not wanted", n: night{}, off: true},

		{check: finding.Oversize, name: "60 lines", n: night{layout: v4, files: one("MEMORY.md", lines(60))}},
		{check: finding.Oversize, name: "61 lines", n: night{layout: v4, files: one("MEMORY.md", lines(61))}, flag: "61 lines, the limit is 60"},
		{check: finding.Oversize, name: "50 lines", n: night{files: one("MEMORY.md", lines(50))}},
		{check: finding.Oversize, name: "51 lines", n: night{files: one("MEMORY.md", lines(51))}, flag: "51 lines, the limit is 50"},
		{check: finding.Oversize, name: "51 lines, the last without its newline",
			n: night{files: one("MEMORY.md", strings.TrimSuffix(lines(51), "\n"))}, flag: "51 lines"},
		{check: finding.Oversize, name: "51 lines of CRLF", n: night{files: one("MEMORY.md", strings.ReplaceAll(lines(51), "\n", "\r\n"))},
			flag: "51 lines"},
		{check: finding.Oversize, name: "no limit", n: night{policy: map[string]any{"hot.max_lines": 0}, files: one("MEMORY.md", lines(99))},
			off: true},
		{check: finding.Oversize, name: "a baseline that is longer",
			n: night{files: one("MEMORY.md", lines(70)), base: one("MEMORY.md", lines(51)+"---\n")}, off: true},

		{check: finding.FileHeader, name: "exact",
			n: night{layout: v4, files: one("MEMORY.md", hotHead, infra, fmt.Sprintf(warm, "2026-11-15"))}},
		{check: finding.FileHeader, name: "with CRLF and a BOM",
			n: night{layout: v4, files: one("MEMORY.md", "\ufeff"+strings.ReplaceAll(hotHead, "\n", "\r\n"))}},
		{check: finding.FileHeader, name: "another title", n: night{layout: v4, files: one("MEMORY.md", "# Notes\n"+hotHead)},
			flag: `MEMORY.md:1: line 1 should read "# Agent Memory"`},
		{check: finding.FileHeader, name: "a date that is none",
			n:    night{layout: v4, files: one("MEMORY.md", strings.Replace(hotHead, "last_updated: 2026-11-15", "last_updated: soon", 1))},
			flag: "line 4"},
		{check: finding.FileHeader, name: "a line missing", n: night{layout: v4, files: one("MEMORY.md", "# Agent Memory\n#tags: memory\n")},
			flag: "line 3"},
		{check: finding.FileHeader, name: "no title in a warm file", n: night{layout: v4, files: one(infra, "#tags: docker\n")},
			flag: infra + ":1"},
		{check: finding.FileHeader, name: "no headers at all", n: night{}, off: true},

		{check: finding.TagsLine, name: "on line 2", n: night{layout: v4, files: verified("2026-11-15")}},
		{check: finding.TagsLine, name: "on line 3", n: night{layout: v4, files: one(infra, "# Infra\n\n#tags: docker\n")},
			flag: "on line 3, they belong on line 2"},
		{check: finding.TagsLine, name: "none", n: night{layout: v4, files: one(infra, "# Infra\n- x\n")}, flag: "no #tags: line"},
		{check: finding.TagsLine, name: "empty", n: night{layout: v4, files: one(infra, "# Infra\n#tags:\n")}, flag: "is empty"},

		{check: finding.TagsVocabulary, name: "known", n: night{layout: v4, files: verified("2026-11-15")}},
		{check: finding.TagsVocabulary, name: "upper case", n: night{layout: v4, files: one(infra, "# Infra\n#tags: Docker\n")}},
		{check: finding.TagsVocabulary, name: "unknown", n: night{layout: v4, files: one(infra, "# Infra\n#tags: dockr\n")},
			flag: `"dockr" is not in the vocabulary, did you mean docker?`},
		{check: finding.TagsVocabulary, name: "a quote", n: night{layout: v4, files: one(infra, "# Infra\n#tags: docker, \"ssh\"\n")},
			flag: `is not a tag`},
		{check: finding.TagsVocabulary, name: "half a quote", n: night{layout: v4, files: one(infra, "# Infra\n#tags: ssh', docker\n")},
			flag: `is not a tag`},
		{check: finding.TagsVocabulary, name: "open",
			n: night{layout: v4, policy: map[string]any{"tags.vocabulary": "open"}, files: one(infra, "# Infra\n#tags: häuser, c++\n")}},
		{check: finding.TagsVocabulary, name: "open, and a quote",
			n:    night{layout: v4, policy: map[string]any{"tags.vocabulary": "open"}, files: one(infra, "# Infra\n#tags: it's\n")},
			flag: "is not a tag"},

		{check: finding.LastVerified, name: "today", n: night{layout: v4, files: verified("2026-11-15")}},
		{check: finding.LastVerified, name: "29 days", n: night{layout: v4, files: verified("2026-10-17")}},
		{check: finding.LastVerified, name: "30 days", n: night{layout: v4, files: verified("2026-10-16")},
			flag: "verified 30 days ago, it must be under 30"},
		{check: finding.LastVerified, name: "tomorrow", n: night{layout: v4, files: verified("2026-11-16")}, flag: "2026-11-16 is in the future"},
		{check: finding.LastVerified, name: "tomorrow elsewhere is today here",
			n: night{layout: v4, zone: "Pacific/Kiritimati", clock: "2026-11-16 00:30", files: verified("2026-11-16")}},
		{check: finding.LastVerified, name: "today elsewhere is tomorrow here",
			n: night{layout: v4, zone: "Pacific/Pago_Pago", clock: "2026-11-15 23:30", files: verified("2026-11-16")}, flag: "in the future"},
		{check: finding.LastVerified, name: "over the year's end",
			n: night{layout: v4, clock: "2027-01-14 12:00", files: verified("2026-12-16")}},
		{check: finding.LastVerified, name: "over the year's end, 30 days",
			n: night{layout: v4, clock: "2027-01-15 12:00", files: verified("2026-12-16")}, flag: "30 days"},
		{check: finding.LastVerified, name: "over a change of the clocks",
			n: night{layout: v4, clock: "2026-11-15 00:10", files: verified("2026-10-17")}},
		{check: finding.LastVerified, name: "29 February", n: night{layout: v4, clock: "2028-03-29 00:10", files: verified("2028-02-29")}},
		{check: finding.LastVerified, name: "a plain line",
			n: night{layout: v4, files: one(infra, "# Infra\n#tags: docker\nlast_verified: 2026-11-01\n")}},
		{check: finding.LastVerified, name: "none", n: night{layout: v4, files: one(infra, "# Infra\n#tags: docker\n")},
			flag: "no last_verified line"},
		{check: finding.LastVerified, name: "no date", n: night{layout: v4, files: verified("2026-02-30")}, flag: `"2026-02-30" is not a date`},

		{check: finding.Expired, name: "the last day", n: night{files: one("MEMORY.md", "- Anna is away (until 2026-11-15)\n")}},
		{check: finding.Expired, name: "the day after", n: night{files: one("TOOLS.md", "# T\n\n- the old host answers (until 2026-11-14)\n")},
			flag: "TOOLS.md:3: held until 2026-11-14: the old host answers"},
		{check: finding.Expired, name: "still the day before elsewhere",
			n: night{zone: "Pacific/Pago_Pago", clock: "2026-11-14 23:30", files: one("MEMORY.md", "- a (until 2026-11-14)\n")}},
		{check: finding.Expired, name: "an open task is late, not over",
			n: night{files: one("MEMORY.md", "- [ ] pay the bill (until 2026-11-01)\n")}},
		{check: finding.Expired, name: "in a log", n: night{files: one("memory/2026-11-01.md", "- a (until 2026-11-02)\n")}},
		{check: finding.Expired, name: "the operator's",
			n: night{files: one("MEMORY.md", "- a (until 2026-11-02)\n---\n"), base: one("MEMORY.md", "- a (until 2026-11-02)\n---\n")}},

		{check: finding.BufferSize, name: "80 lines", n: night{layout: v4, files: one(bufferFile, bufferOf("2026-11-15T22:59:00+01:00", 80))}},
		{check: finding.BufferSize, name: "81 lines", n: night{layout: v4, files: one(bufferFile, bufferOf("2026-11-15T22:59:00+01:00", 81))},
			flag: "81 lines, the limit is 80"},
		{check: finding.BufferSize, name: "3 active items",
			n: night{layout: v4, files: one(bufferFile, "## Active Task: a\n- a\n- b\n- c\n- [x] d\n")}},
		{check: finding.BufferSize, name: "4 active items",
			n: night{layout: v4, files: one(bufferFile, "## Active Task: a\n- a\n- b\n- c\n- d\n")}, flag: "4 active items, the limit is 3"},
		{check: finding.BufferSize, name: "no buffer in the layout", n: night{layout: "codex@2026.8"}, off: true},

		{check: finding.BufferHeader, name: "missing", n: night{layout: v4}},
		{check: finding.BufferHeader, name: "in order", n: night{layout: v4, files: one(bufferFile, bufferOf("2026-11-15T22:59:00+01:00", 9))}},
		{check: finding.BufferHeader, name: "none", n: night{layout: v4, files: one(bufferFile, "- x\n")}, flag: "should begin with a title"},
		{check: finding.BufferHeader, name: "no heartbeat",
			n: night{layout: v4, files: one(bufferFile, "# Working Buffer\ncreated: 2026-11-15T22:59:00Z\n\n- x\n")}, flag: "should begin"},
		{check: finding.BufferHeader, name: "a layout without one", n: night{files: one(bufferFile, "- x\n")}, off: true},

		{check: finding.OpenQuestions, name: "5", n: night{policy: v4Policy, files: one("MEMORY.md", questions(5))}},
		{check: finding.OpenQuestions, name: "6", n: night{policy: v4Policy, files: one("MEMORY.md", questions(6))},
			flag: "6 open questions, the limit is 5"},
		{check: finding.OpenQuestions, name: "answered ones do not count",
			n: night{policy: v4Policy, files: one("MEMORY.md", questions(5)+"- [x] answered\n")}},
		{check: finding.OpenQuestions, name: "marked ones do",
			n: night{policy: v4Policy, files: one("MEMORY.md", questions(5)+"\n## Other\n- ❓ which host\n")}, flag: "6 open questions"},
		{check: finding.OpenQuestions, name: "below a heading of their own",
			n: night{policy: v4Policy, files: one("MEMORY.md", "## Open Questions\n### infra\n"+lines(6))}, flag: "6 open questions"},

		{check: finding.ClosureBlocks, name: "at the end", n: night{layout: v4, files: one(dailyFile, "# d\n\n- a\n\n"+closure)}},
		{check: finding.ClosureBlocks, name: "with blank lines behind it",
			n: night{layout: v4, files: one(dailyFile, "# d\n\n- a\n\n"+closure+"\n  \n\n")}},
		{check: finding.ClosureBlocks, name: "no newline at the end",
			n: night{layout: v4, files: one(dailyFile, "# d\n\n"+strings.TrimSuffix(closure, "\n"))}},
		{check: finding.ClosureBlocks, name: "missing", n: night{layout: v4, files: one(dailyFile, "# d\n\n- a\n")},
			flag: "it has no closure block"},
		{check: finding.ClosureBlocks, name: "two", n: night{layout: v4, files: one(dailyFile, "# d\n\n"+closure+"\n- a\n\n"+closure)},
			flag: "it has 2 closure blocks"},
		{check: finding.ClosureBlocks, name: "text behind it", n: night{layout: v4, files: one(dailyFile, "# d\n\n"+closure+"\n- a\n")},
			flag: "text follows"},
		{check: finding.ClosureBlocks, name: "without a date",
			n: night{layout: v4, files: one(dailyFile, "# d\n\n"+strings.Replace(closure, "2026-11-15", "today", 1))}, flag: "no valid date"},
		{check: finding.ClosureBlocks, name: "not wanted", n: night{files: one("memory/2026-11-15.md", "- a\n")}, off: true},

		{check: finding.DecisionLinks, name: "all there",
			n: night{policy: v4Policy,
				files: links("- [a](memory/deploy.md#ports), [[memory/deploy]], `memory/2026-11-01.md`, [w](https://example.org/x.md)")}},
		{check: finding.DecisionLinks, name: "one gone",
			n:    night{policy: v4Policy, files: links("- [a](memory/deploy.md)\n- [b](memory/nowhere.md)")},
			flag: "MEMORY.md:5: memory/nowhere.md does not exist"},
		{check: finding.DecisionLinks, name: "another gone", n: night{policy: v4Policy, files: links("- see [[semantic/nowhere]]")},
			flag: "semantic/nowhere"},
		{check: finding.DecisionLinks, name: "elsewhere in the file",
			n: night{policy: v4Policy, files: one("MEMORY.md", "## Notes\n- [b](nowhere.md)\n")}},

		{check: finding.LogCount, name: "29 days", n: night{layout: v4, files: one("memory/episodic/2026-10-17.md", "- a\n\n"+closure)}},
		{check: finding.LogCount, name: "30 days", n: night{layout: v4, files: one("memory/episodic/2026-10-16.md", "- a\n\n"+closure)},
			flag: "2026-10-16.md: it should be in the archive"},
		{check: finding.LogCount, name: "never archived", n: night{files: one("memory/2026-01-01.md", "- a\n")}, off: true},
		{check: finding.LogCount, name: "no date in its name", n: night{layout: v4, files: one("memory/episodic/meeting.md", "- a\n")}},

		{check: finding.WALOrphans, name: "at work", n: night{layout: v4, files: one(bufferFile, bufferOf("2026-11-15T21:00:00+01:00", 9))}},
		{check: finding.WALOrphans, name: "left behind",
			n: night{layout: v4, files: one(bufferFile, bufferOf("2026-11-15T20:59:59+01:00", 9))}, flag: "4 entries left behind"},
		{check: finding.WALOrphans, name: "in the future",
			n: night{layout: v4, files: one(bufferFile, bufferOf("2026-11-16T20:59:59+01:00", 9))}, flag: "in the future"},
		{check: finding.WALOrphans, name: "old and empty",
			n: night{layout: v4, files: one(bufferFile, "# Working Buffer\ncreated: 2026-11-01T08:00:00Z\nlast_active: 2026-11-01T08:00:00Z\n\n")}},

		{check: finding.TasksBroken, name: "none", n: night{layout: "harness@0.1"}},
		{check: finding.TasksBroken, name: "a list", n: night{layout: "harness@0.1", files: one("memory/tasks.json", `{"nextId":1,"tasks":[]}`)}},
		{check: finding.TasksBroken, name: "half a list",
			n: night{layout: "harness@0.1", files: one("memory/tasks.json", `{"nextId":1,"ta`)}, flag: "memory/tasks.json: it is not JSON"},
		{check: finding.TasksBroken, name: "another layout", n: night{}, off: true},

		{check: finding.Leftovers, name: "none", n: night{policy: v4Policy}, also: others("notes.txt", "yarn.lock", "src/a.tmp")},
		{check: finding.Leftovers, name: "a buffer half rotated", n: night{layout: v4}, also: others("memory/working-buffer.md.rotating"),
			flag: "memory/working-buffer.md.rotating"},
		{check: finding.Leftovers, name: "one that waits", n: night{layout: v4, files: one(bufferFile, "")},
			also: others("memory/.rotation.lock", "memory/x.pending"), flag: "(and 1 more)"},
		{check: finding.Leftovers, name: "a write cut off", n: night{layout: v4}, also: others("MEMORY.md.tmp.4711"), flag: "MEMORY.md.tmp.4711"},
	})
}

func others(names ...string) func(*job.Input) {
	return func(in *job.Input) {
		in.Facts.Audit.Others = map[vault.Path]bool{}
		for _, n := range names {
			in.Facts.Audit.Others[vault.Path(n)] = true
		}
	}
}

func TestFix(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    night
		want map[string]string
		left string // checks that still fail
	}{
		{
			name: "a closure block",
			n:    night{layout: v4, files: one("MEMORY.md", hotHead, dailyFile, "# d\n\n- a\n")},
			want: one(dailyFile, "# d\n\n- a\n\n"+closure),
		},
		{
			name: "of a past day, with its date",
			n:    night{layout: v4, files: one("MEMORY.md", hotHead, "memory/episodic/2026-11-13.md", "- a")},
			want: one("memory/episodic/2026-11-13.md", "- a\n\nUpdated: 2026-11-13\nDecisions: none\nSignal: none\nOpen: none"),
		},
		{
			name: "two closure blocks are a person's business",
			n:    night{layout: v4, files: one("MEMORY.md", hotHead, dailyFile, closure+"\n- a\n\n"+closure)},
			left: "closure-block",
		},
		{
			name: "no second title, only the blank lines above it go",
			n: night{layout: v4, files: one("MEMORY.md", hotHead, "memory/procedural/backup-steps.md",
				"\n\n# Backups\n#tags: backup\nRun the backup.\n")},
			want: one("memory/procedural/backup-steps.md", "# Backups\n#tags: backup\nRun the backup.\n"),
			left: "last-verified",
		},
		{
			name: "a title below other text is left to a person",
			n: night{layout: v4, files: one("MEMORY.md", hotHead, "memory/procedural/backup-steps.md",
				"Read this first.\n# Backups\nRun the backup.\n")},
			left: "file-header tags-line last-verified",
		},
		{
			name: "title, tags and their place; never that it was verified",
			n: night{layout: v4, files: one("MEMORY.md", hotHead, "memory/procedural/backup-steps.md",
				"Run the backup, then ssh in.\n\n#tags: backup\n")},
			want: one("memory/procedural/backup-steps.md", "# Backup Steps\n#tags: backup\nRun the backup, then ssh in.\n\n"),
			left: "last-verified",
		},
		{
			name: "which tags a file has is not guessed",
			n: night{layout: v4, files: one("MEMORY.md", hotHead, infra,
				"# Infra\n> last_verified: 2026-11-15\n\nThe docker host answers on ssh.\n")},
			left: "tags-line",
		},
		{
			name: "the hot file's last_updated",
			n:    night{layout: v4, files: one("MEMORY.md", "# Agent Memory\n#tags: memory\nlast_verified: 2026-11-15\n\n- a\n")},
			want: one("MEMORY.md", "# Agent Memory\n#tags: memory\nlast_verified: 2026-11-15\nlast_updated: 2026-11-15\n\n- a\n"),
		},
		{
			name: "the buffer's head, as old as its file",
			n:    night{layout: v4, files: one("MEMORY.md", hotHead, bufferFile, "- a\n")},
			want: one(bufferFile, "# Working Buffer\ncreated: 2026-11-15T22:00:00+01:00\nlast_active: 2026-11-15T22:00:00+01:00\n\n- a\n"),
		},
		{
			name: "what the operator owns is left alone",
			n: night{layout: v4, files: one("MEMORY.md", "Rules.\n---\n- a\n", infra, fmt.Sprintf(warm, "2026-11-15")),
				base: one("MEMORY.md", "Rules.\n---\n")},
			left: "file-header tags-line last-verified",
		},
		{
			name: "CRLF stays",
			n:    night{layout: v4, files: one("MEMORY.md", hotHead, dailyFile, "# d\r\n\r\n- a\r\n")},
			want: one(dailyFile, "# d\r\n\r\n- a\r\n\r\n"+strings.ReplaceAll(closure, "\n", "\r\n")),
		},
		{name: "nothing to do", n: night{layout: v4, files: one("MEMORY.md", hotHead, infra, fmt.Sprintf(warm, "2026-11-15"))}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := tt.n.input(t)
			pl := job.Fix(in)
			got := map[string]string{}
			for _, c := range pl.Changes {
				got[string(c.Path)] = string(job.After(in, pl).File(c.Path).Data)
			}
			if tt.want == nil {
				tt.want = map[string]string{}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("changed files (-want +got):\n%s", diff)
			}
			var left []string
			for _, v := range Check(job.After(in, pl)) {
				if v.Result != Pass {
					left = append(left, v.Check)
				}
			}
			if got := strings.Join(left, " "); got != tt.left {
				t.Errorf("still failing: %q, want %q", got, tt.left)
			}
			if again := job.Fix(job.After(in, pl)); !again.Empty() {
				t.Errorf("a second run is not nothing: %s", again.Diff())
			}
		})
	}
}

// TestNumbersAreThePolicys: a limit that is set is the one that is checked.
func TestNumbersAreThePolicys(t *testing.T) {
	n := night{policy: map[string]any{policy.HotMaxLines.Name(): 7}, files: one("MEMORY.md", lines(8))}
	for _, v := range Check(n.input(t)) {
		if v.Check == finding.Oversize.Code && v.Text != "MEMORY.md: 8 lines, the limit is 7" {
			t.Errorf("got %q", v.Text)
		}
	}
}
