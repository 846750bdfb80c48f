package session

import (
	"fmt"
	"strings"
	"time"

	"tend/internal/model/policy"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// Prompt is a task an agent can be asked to do for its memory.
type Prompt struct {
	Name  string
	Title string
	About string
	// Loaded: the context of a session's start comes before the text.
	Loaded bool
	write  func(*prompter)
}

// Prompts lists the prompts. Their texts are built from layout and policy, so that they
// name the existing files and the jobs' limits.
func Prompts() []Prompt {
	return []Prompt{
		{"session-start", "Start a session", "What to know and do first.", true, (*prompter).start},
		{"recovery", "Recover after a compaction", "Where to pick up when the conversation is gone.", true, (*prompter).recovery},
		{"pre-compaction", "Save before a compaction", "What to write down before the context is cut.", false, (*prompter).dump},
		{"nightly-curation", "Curate the day", "What of today is worth keeping.", false, (*prompter).curate},
		{"weekly-review", "Review the week", "Decisions, lessons and open questions of the last days.", false, (*prompter).review},
	}
}

// Text returns the prompt for an agent at a time.
func (p Prompt) Text(l layout.Layout, pol policy.Policy, now time.Time) string {
	w := &prompter{l: l, p: pol, day: note.DayOf(now, now.Location())}
	p.write(w)
	return strings.TrimRight(w.b.String(), "\n") + "\n"
}

type prompter struct {
	l   layout.Layout
	p   policy.Policy
	day note.Day
	b   strings.Builder
	n   int
}

func (w *prompter) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

// step writes the next of several steps.
func (w *prompter) step(format string, args ...any) {
	w.n++
	w.line("%d. "+format, append([]any{w.n}, args...)...)
}

// file returns the path of a role's file, or "".
func (w *prompter) file(r layout.Role, day note.Day) string { return w.l.Path(r, day.String()) }

func (w *prompter) start() {
	w.line("The text above is your memory as it is now. Before you do anything else:")
	w.step("If it says that a check failed, tell the user, and do not answer from memory until that is put right.")
	if f := w.file(layout.Session, w.day); f != "" {
		w.step("Bring %s up to date with what this session is about, and keep it so every turn.", f)
	}
	if f := w.file(layout.Buffer, w.day); f != "" {
		w.step("If %s holds pending work, take it up or say why not.", f)
	}
	w.step("For anything about the past that is not above, use memory_search before you answer. If it finds " +
		"nothing, say that you are not sure.")
}

func (w *prompter) recovery() {
	w.line("The conversation before this was cut. What you know is in the files; trust them over what you believe to remember.")
	if f := w.file(layout.Hot, w.day); f != "" {
		w.step("Read %s.", f)
	}
	if f := w.file(layout.Daily, w.day); f != "" {
		w.step("Read today's log, %s, and yesterday's, %s.", f, w.file(layout.Daily, w.day.AddDays(-1)))
	}
	if f := w.file(layout.Buffer, w.day); f != "" {
		w.step("Read %s. If its last_active is older than %s, look in it for work that was left unfinished.", f, policy.BufferStale.Text(w.p))
	}
	if f := w.file(layout.Session, w.day); f != "" {
		w.step("Read %s.", f)
	}
	w.step("Say in two sentences where you are, then go on from there.")
}

func (w *prompter) dump() {
	w.line("The context is nearly full and will be cut. Write down now what is in no file yet; do not ask for permission.")
	w.step("Call memory_checkpoint with used, window and a text: decisions with their reason, facts, what is half done, what comes next. "+
		"From %s of the window it goes to the buffer, from %s to today's log and the session's state.",
		policy.Percent(policy.CheckpointBufferAt.Of(w.p)), policy.Percent(policy.CheckpointDumpAt.Of(w.p)))
	w.step("Tag what matters: %s. An entry without a tag is the first to be forgotten.", strings.Join(policy.TagsEntry.Of(w.p), ", "))
	w.step("Write no keys, tokens or passwords; write where they are kept.")
	w.step("If everything is in the files already, say so.")
}

func (w *prompter) curate() {
	w.line("Look back on what is unread and keep what will still matter.")
	w.step("Call memory_review. It shows your memory page and the unread log, both numbered, and the operations.")
	w.step("Keep what is not there yet and not obvious: decisions, lessons, rules, changes in how people want things, facts that last. "+
		"No routine. Replace what is outdated. Usually %d to %d things a day are worth it.",
		policy.CurateMin.Of(w.p), policy.CurateMaxPerNight.Of(w.p))
	w.step("Quote word for word; name the entry. Skip the rest.%s", w.limit())
	w.step("Call memory_decide with your operations. It says what became of each; correct what was rejected.")
	w.step("Repeat until nothing is unread. If nothing is worth it, skip everything. Never remove an entry because it looks bad.")
}

func (w *prompter) limit() string {
	if n := policy.HotMaxLines.Of(w.p); n > 0 {
		return fmt.Sprintf(" The file may have %d lines.", n)
	}
	return ""
}

func (w *prompter) review() {
	days := policy.ReviewDays.Of(w.p)
	w.line("Review the last %d days.", days)
	if f := w.file(layout.Daily, w.day); f != "" {
		w.step("Read the logs from %s to %s.", w.file(layout.Daily, w.day.AddDays(1-days)), f)
	}
	for _, to := range []struct {
		role layout.Role
		what string
	}{{layout.Decisions, "Final decisions, with their why"}, {layout.Lessons, "Lessons, with what would have prevented the trouble"}} {
		if f := w.file(to.role, w.day); f != "" {
			w.step("%s go to %s, unless they are there.", to.what, f)
		}
	}
	w.step("Look for the same friction in several days; one that recurs is a lesson.")
	if n := policy.QuestionsMax.Of(w.p); n > 0 {
		w.step("Close open questions that were answered; keep at most %d.", n)
	}
	w.step("Where two files say different things of the same subject, correct the wrong one and say that it was wrong.")
	w.step("If there is nothing to do, say \"No meaningful changes\".")
}
