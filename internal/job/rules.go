package job

import (
	"fmt"
	"slices"
	"strings"

	"tend/internal/layout"
	"tend/internal/policy"
)

// RulesBegin and RulesEnd enclose the block of rules, so that it can be replaced where it stands.
const (
	RulesBegin = "<!-- tend:rules begin: made from the policy; change the policy, not this block -->"
	RulesEnd   = "<!-- tend:rules end -->"
)

// Rules is the block of standing rules for an agent: what it has to do for its memory, with
// the numbers the jobs and checks go by. guarded are the files that have a baseline; said is
// what else an agent has to know first.
func Rules(agent string, l layout.Layout, p policy.Policy, guarded []string, said ...string) string {
	r := ruler{agent: agent, l: l, p: p}
	r.line(RulesBegin)
	r.head("Memory")
	r.writing(said)
	r.tagging()
	r.checkpoints()
	r.limits()
	r.honesty(guarded)
	r.owners()
	r.recovery()
	r.emergency()
	r.line(RulesEnd)
	return r.b.String()
}

// ruler writes the block.
type ruler struct {
	agent string
	l     layout.Layout
	p     policy.Policy
	b     strings.Builder
}

func (r *ruler) line(format string, args ...any) { fmt.Fprintf(&r.b, format+"\n", args...) }

func (r *ruler) head(title string) {
	mark := "##"
	if title != "Memory" {
		mark = "\n###"
	}
	r.line("%s %s", mark, title)
}

// file is where a role is, as the rules name it.
func (r *ruler) file(role layout.Role) string {
	for _, p := range r.l.Patterns(role) {
		if role == layout.Daily || !strings.Contains(p, "*") {
			return "`" + strings.NewReplacer("{date}", "YYYY-MM-DD", "{yyyy}", "YYYY", "{mm}", "MM", "{dd}", "DD").Replace(p) + "`"
		}
	}
	return ""
}

// folder is where the files of a role are, if it has many.
func (r *ruler) folder(role layout.Role) string {
	for _, p := range r.l.Patterns(role) {
		if dir, _, ok := strings.Cut(p, "/*"); ok {
			return "`" + dir + "/`"
		}
	}
	return ""
}

func (r *ruler) writing(said []string) {
	r.line("Your memory is files. What is not in a file is gone after a compaction.")
	for _, s := range said {
		r.line("%s", s)
	}
	r.line("")
	r.line("- Write first, answer then: a decision, a correction, a fact worth keeping goes to a file before the reply.")
	if f := r.file(layout.Daily); f != "" {
		r.line("- Today's log is %s. Add to it with `tend note \"TEXT\" --tag TAG --agent %s`; append, never rewrite it.", f, r.agent)
	}
	if f := r.file(layout.Session); f != "" {
		r.line("- Keep %s current every turn: `tend session write`. It is replaced as a whole and must not be older than %s.", f, policy.SessionMaxAge.Text(r.p))
	}
	if f := r.file(layout.Buffer); f != "" {
		if policy.BufferExpect.Of(r.p) == policy.BufferWAL {
			r.line("- Write to %s with `tend buffer add` before every reply that decides or learns something.", f)
		} else {
			r.line("- %s is for overflow only and is normally empty: `tend buffer add`.", f)
		}
	}
	if f := r.folder(layout.Learnings); f != "" {
		r.line("- After a failure, a correction or a missing capability: one line to a file in %s. What recurs %d times is proposed as a lesson; a person decides.", f, policy.LearningsRecur.Of(r.p))
	}
	r.line("- What held you up for more than five minutes: `#friction: WHAT` in the entry. What recurs becomes a lesson.")
	r.line("- Search before you answer about the past: `tend search`.")
	r.line("- Never write keys, tokens or passwords; write where they are kept.")
}

// meanings are the questions behind the usual tags.
var meanings = map[string]string{
	"decision": "did it change a plan?",
	"surprise": "was it unexpected?",
	"human":    "did a person say that they care?",
	"lesson":   "can it be used again?",
	"identity": "did it change how you see yourself?",
}

func (r *ruler) tagging() {
	r.head("Tags")
	for _, t := range policy.TagsEntry.Of(r.p) {
		if m := meanings[t]; m != "" {
			r.line("- `[%s]`: %s", t, m)
		} else {
			r.line("- `[%s]`", t)
		}
	}
	r.line("- An entry may carry several. One without any is the first to be forgotten.")
	r.line("- What holds only for a time says so at its end, `(until YYYY-MM-DD)`; after that day it is not shown any more.")
	if h, ok := r.l.Header(layout.Semantic); ok && h.TagsLine() > 0 {
		words := "any words"
		if policy.TagsVocabulary.Of(r.p) == policy.VocabularyClosed {
			words = "only these: " + strings.Join(policy.TagsFile.Of(r.p), ", ")
		}
		r.line("- Line %d of every lasting file is `#tags: a, b` (%s).", h.TagsLine(), words)
		r.line("- When you have read a lasting file and found it true, set its `last_verified:` to today; it must be younger than %s.", policy.VerifyMaxAge.Text(r.p))
	}
	if len(r.l.Closure) > 0 {
		r.line("- Every log ends with exactly these lines: %s.", "`"+strings.Join(r.l.Closure, ":` `")+":`")
	}
}

func (r *ruler) checkpoints() {
	r.head("Checkpoints")
	r.line("- Look how full the context is at every %s response, and at once after a tool's output above %d tokens.",
		ordinal(policy.CheckpointEveryResponses.Of(r.p)), policy.CheckpointLargeOutputTokens.Of(r.p))
	where := r.file(layout.Buffer)
	if where == "" {
		where = "a file"
	}
	r.line("- From %s: what is not saved goes to %s (`tend checkpoint --used N --window M --stdin`).", policy.Percent(policy.CheckpointBufferAt.Of(r.p)), where)
	r.line("- About %s: the harness may flush by itself. Do not rely on it.", policy.Percent(policy.CheckpointFlushAt.Of(r.p)))
	var both []string
	for _, role := range []layout.Role{layout.Daily, layout.Session} {
		if f := r.file(role); f != "" {
			both = append(both, f)
		}
	}
	if len(both) == 0 {
		both = []string{where}
	}
	r.line("- From %s: everything unsaved goes to %s, with tags. It needs no permission.", policy.Percent(policy.CheckpointDumpAt.Of(r.p)), strings.Join(both, " and "))
}

func ordinal(n int) string {
	switch {
	case n == 1:
		return "single"
	case n%10 == 2 && n%100 != 12:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3 && n%100 != 13:
		return fmt.Sprintf("%drd", n)
	case n%10 == 1 && n%100 != 11:
		return fmt.Sprintf("%dst", n)
	}
	return fmt.Sprintf("%dth", n)
}

func (r *ruler) limits() {
	r.head("Limits")
	if f := r.file(layout.Hot); f != "" {
		if n := policy.HotMaxLines.Of(r.p); n > 0 {
			r.line("- %s: at most %d lines. Short facts as they are now, with their reason.", f, n)
		}
		if n := policy.QuestionsMax.Of(r.p); n > 0 {
			r.line("- %s: at most %d open questions.", f, n)
		}
	}
	if n := policy.HotMaxChars.Of(r.p); n > 0 {
		r.line("- Any loaded file: at most %d characters, or the harness may cut its middle out.", n)
	}
	if f := r.file(layout.Buffer); f != "" && policy.BufferMaxLines.Of(r.p) > 0 {
		r.line("- %s: at most %d lines and %d active items; what is older moves to the log.", f, policy.BufferMaxLines.Of(r.p), policy.BufferMaxActive.Of(r.p))
	}
	if f := r.file(layout.Observations); f != "" && policy.ObservationsMaxLines.Of(r.p) > 0 {
		r.line("- %s: at most %d lines; it is trimmed to %d, tagged entries stay.", f, policy.ObservationsMaxLines.Of(r.p), policy.ObservationsTrimTo.Of(r.p))
	}
}

func (r *ruler) honesty(guarded []string) {
	r.head("Honesty")
	r.line("- Never delete an entry because it looks bad.")
	r.line("- Say that you are not sure rather than invent.")
	if r.file(layout.Daily) != "" {
		r.line("- The log of a past day is never edited.")
	}
	r.line("- A correction says that the old understanding was wrong; it does not pretend it never was.")
	if len(guarded) > 0 {
		files := slices.Clone(guarded)
		for i, f := range files {
			files[i] = "`" + f + "`"
		}
		r.line("- In %s the text above the last `%s` of the operator is not yours. Write below it.", strings.Join(files, ", "), policy.BaselineSeparator.Of(r.p))
	}
}

func (r *ruler) owners() {
	if len(r.l.Owners) == 0 {
		return
	}
	r.head("One home for each fact")
	for _, o := range r.l.Owners {
		where := "`" + o.Path + "`"
		if o.Path == "" {
			where = r.file(o.Role)
		}
		if where == "" {
			where = "`" + strings.Join(r.l.Patterns(o.Role), "`, `") + "`"
		}
		r.line("- %s: %s", o.Class, where)
	}
	r.line("- Never write a fact in two places; link to its home.")
	if f := r.file(layout.Daily); f != "" {
		r.line("- If you cannot tell which home is its own, write it to %s with `#routing-note:` and why.", f)
	}
}

// recovery is the order in which a session's start reads its files, as the layout has it.
func (r *ruler) recovery() {
	r.head("At the start and after a compaction")
	n := 0
	step := func(text string) {
		n++
		r.line("%d. %s", n, text)
	}
	for _, part := range r.l.Context.Parts {
		switch {
		case part.Kind == layout.PartToday && r.file(layout.Daily) != "":
			step("Read today's log, " + r.file(layout.Daily) + ".")
		case part.Kind == layout.PartYesterday && r.file(layout.Daily) != "":
			step("Read yesterday's log.")
		case part.Kind == layout.PartFiles && part.Role == layout.Buffer && r.file(part.Role) != "":
			step(fmt.Sprintf("Read %s. If it was last active more than %s ago, look for work that was left behind.", r.file(part.Role), policy.BufferStale.Text(r.p)))
		case part.Kind == layout.PartFiles && part.Role == layout.Learnings && r.folder(part.Role) != "":
			step(fmt.Sprintf("Read the last %d lines of each file in %s.", policy.LearningsScanLines.Of(r.p), r.folder(part.Role)))
		case part.Kind == layout.PartFiles && r.file(part.Role) != "":
			step("Read " + r.file(part.Role) + ".")
		}
	}
	step("Go on from the files, not from what you think you remember.")
}

func (r *ruler) emergency() {
	r.head("When memory is broken")
	r.line("- If a check of your memory fails, do not answer questions from memory.")
	r.line("- Tell the user: \"Memory integrity check failed\", with what it says. Putting it right is the operator's work.")
	r.line("- Nothing is lost: what a file said before is kept, and can be brought back.")
}
