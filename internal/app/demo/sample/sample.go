// Package sample builds the agents of the tour, three workspaces with weeks of notes, their baselines and a
// configuration, and the fleet of `tend demo --serve`.
package sample

import (
	"embed"
	"fmt"
	"strings"
	"time"
)

//go:embed *.md *.yaml
var files embed.FS

// agent is what a sample's notes are made of.
type agent struct {
	name  string
	days  int
	lines []string
}

var agents = []agent{
	{"reviewer", 16, []string{
		"[lesson] the flaky test in payments is a clock, not a race: freeze time in the fixture",
		"[decision] review order is security, data loss, correctness, then style",
		"looked at the retry change; backoff had no cap, asked for one",
		"[surprise] the linter passes on generated code only because it is never run there",
		"approved the index migration after the dry run on a copy",
		"[human] wants the reason in the first line of a review, not the last",
		"two reviews open, none older than a day",
	}},
	{"gardener", 21, []string{
		"[decision] backups go to the second disk before the upgrade, not after",
		"rotated the certificates; next in 60 days",
		"[lesson] the proxy caches DNS for an hour, so wait before calling a move done",
		"disk on the build machine at 71 %",
		"moved the dashboards to the new host, old one kept for a week",
		"cleaned 14 GB of build caches older than two weeks",
		"checked the nightly restore: 3 of 3 databases came back",
	}},
	{"scout", 12, []string{
		"[lesson] release notes of that project lag the tags by a week: read the tags",
		"three new advisories, none touches a version in use",
		"[human] asked for a short list on Mondays, links only",
		"[decision] drop the vendor feed, it repeats the advisory database",
		"the mailing list moved; the archive address is in TOOLS.md",
	}},
}

// Files are the sample fleet's files by path. The same day gives the same files.
func Files(now time.Time) map[string]string {
	today := now.UTC().Format(time.DateOnly)
	all := map[string]string{
		"tend.yaml": embedded("tend.yaml"),
		"workspaces/scout/memory/" + today + ".md": "# " + today + "\n\n" + diary,
		"workspaces/scout/AGENTS.md":               Handbook(420),
		"workspaces/scout/SOUL.md":                 "# SOUL\n\nBrief, exact, curious.\n",
		"workspaces/scout/IDENTITY.md":             "# IDENTITY\n\nBrief, exact, curious.\n",
	}
	for _, a := range agents {
		baseline := embedded(a.name + ".md")
		all["baselines/"+a.name+".md"] = baseline
		all["workspaces/"+a.name+"/MEMORY.md"] = baseline + notes(a, now)
	}
	return all
}

// diary is a day of scout's: two entries that matter and two that do not.
const diary = `- 09:10 read 41 feeds
- 09:40 [decision] advisories are reported by severity, because Monday's list hid the worst one
- 11:05 nothing new since the morning
- 15:20 [lesson] the registry answers 200 with an empty list when it is down: count the packages
`

// notes are what an agent wrote below the line, with everything in it that
// breaks a naive split: rules, fences, front matter, no final newline.
func notes(a agent, now time.Time) string {
	r := random(a.name, 0, a.days)
	var b strings.Builder
	for d := a.days; d > 0; d-- {
		fmt.Fprintf(&b, "\n## %s\n", now.AddDate(0, 0, -d).Format(time.DateOnly))
		for _, i := range r.Perm(len(a.lines))[:2+r.IntN(len(a.lines)-2)] {
			fmt.Fprintf(&b, "- %s\n", a.lines[i])
		}
		if d == 14 {
			b.WriteString("- [surprise] the old host still answers on port 8443\n")
		}
		if d%7 == 0 {
			b.WriteString("\n---\n\n```yaml\n---\nkind: checkpoint\n---\n```\n")
		}
	}
	b.WriteString("\nlast: see yesterday")
	return b.String()
}
