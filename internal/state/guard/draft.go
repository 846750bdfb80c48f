package guard

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tend/internal/model/policy"
	"tend/internal/text/note"
)

// blank begins a placeholder that the operator must fill in.
const blank = "[fill in: "

// Unfinished counts the placeholders left in a draft.
func Unfinished(text []byte) int { return bytes.Count(text, []byte(blank)) }

// sketches are the texts of a draft's sections, by their names in lower case.
var sketches = map[string]string{
	"who i am":       blank + "what the agent is for, for whom, and what it is not: specific enough to decide by]",
	"team":           "- " + blank + "who else there is, and who is asked for what]",
	"critical rules": "1. " + blank + "five to seven rules that can be followed or broken, not moods]",
	"work habits":    "- " + blank + "how a day begins, how work is handed over, how it ends]",
	"autonomy tiers": "- Do freely: " + blank + "what cannot do harm]\n- Do, then tell: " + blank +
		"what can be taken back]\n- Ask first: " + blank + "what costs money, reaches people or cannot be taken back]\n- Never: " +
		blank + "what no reason justifies]",
	"capabilities": "- Can reach: " + blank + "tools, hosts, accounts]\n- Cannot reach: " + blank +
		"what it will be asked for and has no access to]",
	"where to find things": "- " + blank + "pointers to documents and folders, not what is in them]",
}

// Draft returns a baseline for an operator to fill in: the policy's sections, what an agent must know about the line
// and about how long things are kept, and the line itself with room for notes. daily is where the agent's log is, ""
// if it has none.
func Draft(agent, daily string, p policy.Policy) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("# %s\n", agent)
	say("*This is baseline memory, the operator's text: nothing above the line at the end is mine to change. My notes go below")
	say("it; they are archived, and this file is reset to this text every %s.*", policy.ResetEvery.Text(p))
	for _, title := range policy.BaselineSections.Of(p) {
		say("\n## %s\n", title)
		switch sketch, ok := sketches[strings.ToLower(title)]; {
		case ok:
			say("%s", sketch)
		case strings.EqualFold(title, "How to Persist Knowledge"):
			say("- For hours: notes below the line. They are archived at the next reset and not loaded again.")
			if daily != "" {
				say("- For days: the day's log, `%s`.", daily)
			}
			say("- For good: %sthe repository or documents it can commit to]. Nothing else is permanent.", blank)
			say("- Save before the reset, not after: what is worth keeping is written down when it comes up.")
		default:
			say("%swhat belongs here]", blank)
		}
	}
	sep := policy.BaselineSeparator.Of(p)
	sep = cmp.Or(sep, note.Separator)
	say("\n%s\n## Scratch Notes (%s)", sep, agent)
	return b.String()
}

// mentionsLine reports whether a baseline tells the agent about the line: that notes go below it, and what happens to
// them.
func mentionsLine(text []byte) bool {
	t := bytes.ToLower(text)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(t, []byte(w)) })
	}
	return has("below", "under the line", "beneath") && has("archiv", "reset", "restored", "removed")
}
