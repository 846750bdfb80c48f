package main

import (
	"fmt"
	"math/rand/v2"
)

// files is the workspace on the first morning.
var files = map[string]string{
	"MEMORY.md": "# Memory\n\n## People\n- Anna leads the team and decides what is released.\n- Ben runs the servers.\n\n## Rules\n" +
		"- Never deploy on Fridays.\n- No passwords in notes; they are in the vault.\n",
	"SOUL.md": "# Soul\n\n- Short and exact.\n", "USER.md": "# User\n\n- Standup: 9:15 on weekdays\n",
	"TOOLS.md":    "# Tools\n\n- staging: https://staging.example\n",
	"IDENTITY.md": "# Identity\n\n- Name: Orla\n",
}

// subjects are things whose values change now and then.
var subjects = []string{
	"The rate limit of the public API is %d requests per minute", "Logs are kept %d days", "The notifier runs with %d workers",
	"Payment term on invoices is %d days",
	"The coverage gate is at %d %%", "Session tokens are valid for %d minutes", "Backups are kept %d weeks", "Dashboard listens on port 3%03d",
	"The mailer sends at most %d mails per hour", "The search index has %d shards", "The build cache is %d GB",
	"Support answers within %d hours",
	"The queue keeps messages for %d days", "The staging database has %d connections", "Anna wants at most %d open reviews",
	"The nightly export starts at 02:%02d",
}

// routine has lines that say nothing lasting.
var routine = []string{
	"standup, %d minutes", "%d merge requests reviewed", "mail checked, %d new", "heartbeat ok, %d checks", "disk at %d %%",
	"tests green, %d of them", "read the logs of last night, %d lines, nothing",
	"restarted the staging worker %d times", "ticket %d closed", "long talk about names, no result, %d minutes", "lunch, %d of us",
	"tidied %d old branches", "answered %d questions of support",
}

// author writes a year of logs, the same in every run.
type author struct{ r *rand.Rand }

func newAuthors(n int) (list []author) {
	for i := range n {
		list = append(list, author{rand.New(rand.NewPCG(7, 7+uint64(i)))})
	}
	return list
}

// day returns what is written on one day: routine, on most days a decision or a lesson, sometimes nothing.
func (a author) day(n int) []string {
	if n%7 == 6 || n%50 == 30 {
		return nil
	}
	var out []string
	for range 4 + a.r.IntN(5) {
		out = append(out, fmt.Sprintf("- %02d:%02d %s", 8+a.r.IntN(10), a.r.IntN(60),
			fmt.Sprintf(routine[a.r.IntN(len(routine))], 2+a.r.IntN(90))))
	}
	switch a.r.IntN(4) {
	case 0:
		out = append(out, "- [decision] "+fmt.Sprintf(subjects[a.r.IntN(len(subjects))], 5+a.r.IntN(50))+" from today.")
	case 1:
		out = append(out, fmt.Sprintf("- [lesson] Never trust check %d on host h%d before its cache is cleared.", a.r.IntN(400), a.r.IntN(60)))
	case 2:
		out = append(out, fmt.Sprintf("- Ben is away until day %d.", n+2))
	}
	return out
}
