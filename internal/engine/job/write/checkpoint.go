package write

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// Pressure is how full a context is, and its unsaved text.
type Pressure struct {
	Used, Window int // tokens
	Request
	// Compacting: the harness is about to compact, whatever the numbers say.
	Compacting bool
	// Taken says what the text was taken from, so that it is not taken again.
	Taken []plan.Receipt
}

// Level is what must be done at a fill level.
type Level string

// The levels.
const (
	LevelNone   Level = "none"   // nothing is due; a text that is given goes to the buffer
	LevelBuffer Level = "buffer" // unsaved text goes to the buffer
	LevelDump   Level = "dump"   // everything goes to the day's log and the session's state
)

// Level returns what the policy requires at this pressure.
func (pr Pressure) Level(p policy.Policy) Level {
	switch {
	case pr.Compacting || pr.share() >= policy.CheckpointDumpAt.Of(p):
		return LevelDump
	case pr.share() >= policy.CheckpointBufferAt.Of(p):
		return LevelBuffer
	}
	return LevelNone
}

func (pr Pressure) share() float64 {
	if pr.Window <= 0 {
		return 0
	}
	return float64(pr.Used) / float64(pr.Window)
}

// Advice is what a checkpoint did, and what the agent should do next.
type Advice struct {
	Used   int      `json:"used"`
	Window int      `json:"window"`
	Share  float64  `json:"share"`
	Level  Level    `json:"level"`
	Saved  []string `json:"saved,omitempty"` // the files that have the text now
	Did    string   `json:"did"`
	Next   string   `json:"next"`
}

// Checkpoint saves unsaved text to the place the policy names for this pressure. It is the last
// chance for that text, so a secret in it is masked rather than the whole refused, and if the
// layout has no place for it, it is archived.
func Checkpoint(in job.Input, pr Pressure) (plan.Plan, Advice, error) {
	pl := plan.Plan{Job: "checkpoint"}
	ad := Advice{Used: pr.Used, Window: pr.Window, Share: pr.share(), Level: pr.Level(in.Policy)}
	if pr.Window <= 0 && !pr.Compacting || pr.Used < 0 {
		return pl, ad, &job.Refusal{Why: fmt.Sprintf("%d of %d tokens is not a valid fill level", pr.Used, pr.Window),
			Try: "give --used and --window in tokens, such as --used 120000 --window 200000", Usage: true}
	}
	if strings.TrimSpace(pr.Text) == "" {
		ad.describe(in, pr)
		pl.Summary = ad.Did
		return pl, ad, nil
	}
	tags, err := entryTags(in, pr.Tags)
	if err != nil {
		return pl, ad, err
	}
	text, err := pr.clean(in.Policy)
	if err != nil {
		return pl, ad, err
	}
	text, pl.Findings = masked(in, text, pr.Allow)
	pl.Receipts = pr.Taken
	var lines []string
	for _, piece := range pieces(in, text) {
		lines = append(lines, entryLine(in, cmp.Or(in.Sole(layout.Daily), in.Sole(layout.Buffer)), "", tags, piece))
	}
	title := job.CheckpointHeading
	if pr.Window > 0 {
		title = fmt.Sprintf(job.CheckpointHeading+" (%.0f %% of the context)", 100*pr.share())
	}
	if err := saveTo(in, &pl, ad.Level, title, lines); err != nil {
		return pl, ad, err
	}
	for _, c := range pl.Changes {
		ad.Saved = append(ad.Saved, string(c.Path))
	}
	for range pl.Archives {
		ad.Saved = append(ad.Saved, "the archive")
	}
	pl.Findings = append(pl.Findings, tooLarge(in, pl)...)
	ad.describe(in, pr)
	pl.Summary = ad.Did
	return pl, ad, nil
}

// IsCheckpoint reports whether a heading of the buffer is that of a checkpoint, which is its time and a title.
func IsCheckpoint(heading string) bool {
	n := len(textfmt.Minute)
	if len(heading) <= n {
		return false
	}
	_, err := time.Parse(textfmt.Minute, heading[:n])
	return err == nil && strings.HasPrefix(heading[n:], " "+job.CheckpointHeading)
}

// masked removes secrets from a text that must be kept nevertheless.
func masked(in job.Input, text string, allow []string) (string, []finding.Finding) {
	if policy.Secrets.Of(in.Policy) != policy.SecretsRefuse {
		return text, nil
	}
	var found []finding.Finding
	for _, h := range scan.Text([]byte(text), scan.Options{Classes: []scan.Class{scan.Secret}, Allow: allow}) {
		found = append(found, finding.SecretMasked.In("", "%s: %s", h.Rule, h.Excerpt))
	}
	if len(found) == 0 {
		return text, nil
	}
	return string(scan.Mask([]byte(text))), found
}

// saveTo plans where the lines go: to the buffer, or to the log and the session's state; if the
// layout has neither, to the next best place.
func saveTo(in job.Input, pl *plan.Plan, level Level, title string, lines []string) error {
	text := strings.Join(lines, "\n")
	daily, session, buffer := in.Sole(layout.Daily), in.Sole(layout.Session), in.Sole(layout.Buffer)
	if in.Facts.BufferRecorded && daily != "" {
		buffer = ""
	}
	toBuffer := buffer != "" && (level != LevelDump || daily == "" && session == "")
	toDaily := daily != "" && !toBuffer
	if toBuffer && !holdsAll(in, in.File(buffer), lines) {
		doc := in.File(buffer)
		after, err := buffered(in, doc, "## "+in.Now.Format(textfmt.Minute)+" "+title+"\n"+text, "")
		if err != nil {
			return err
		}
		pl.Changes = append(pl.Changes,
			plan.Change{Path: buffer, Op: plan.Write, Before: doc.Version, Old: doc.Data, New: after, Why: "save the context"})
		pl.Findings = append(pl.Findings, bufferFull(in, buffer, after)...)
	}
	if toDaily && !holdsAll(in, in.File(daily), lines) {
		pl.Changes = append(pl.Changes, addLog(in, in.File(daily), "## "+in.Now.Format("15:04")+" "+title+"\n"+text))
	}
	// A session state that the agent does not keep would only grow old.
	kept := session != "" && (daily == "" || in.File(session).Version != vault.Absent)
	if kept && level == LevelDump && !holdsAll(in, in.File(session), lines) {
		doc := in.File(session)
		after, err := sessionNoted(in, doc, text)
		if err != nil {
			return err
		}
		pl.Changes = append(pl.Changes,
			plan.Change{Path: session, Op: plan.Write, Before: doc.Version, Old: doc.Data, New: after, Why: "where to go on"})
	}
	if daily != "" || session != "" || buffer != "" {
		return nil
	}
	// A file that every session starts with.
	if hot := CheckpointFile(in.Layout); hot != "" {
		if doc := in.File(hot); !holdsAll(in, doc, lines) {
			c := addLog(in, doc, "## "+in.Now.Format(textfmt.Minute)+" "+title+"\n"+text)
			if doc.Version == vault.Absent {
				c.New = []byte(beginHot(in, hot) + "## " + in.Now.Format(textfmt.Minute) + " " + title + "\n" + text + "\n")
			}
			c.Why = "save the context"
			pl.Changes = append(pl.Changes, c)
		}
	} else {
		pl.Archives = append(pl.Archives,
			plan.Archive{File: "checkpoint.md", Kind: "checkpoint", Text: []byte("## " + title + "\n" + text + "\n"),
				Why: "The layout has no file for it."})
	}
	return nil
}

// CheckpointFile is where a layout without log, buffer and session state keeps a checkpoint: in the file that every session
// starts with, or in a separate one among several.
func CheckpointFile(l layout.Layout) vault.Path {
	return vault.Path(cmp.Or(l.Path(layout.Hot, ""), l.New(layout.Hot, "checkpoint")))
}

// beginHot returns the start of a new file that is loaded in every session. One of several has the front matter by which
// its harness recognises it.
func beginHot(in job.Input, p vault.Path) string {
	if in.Sole(layout.Hot) == p {
		return ""
	}
	if h, ok := in.Layout.Header(layout.Hot); ok && h.Lines[0] == "---" {
		return "---\ndescription: What earlier sessions left unfinished\n---\n\n"
	}
	return ""
}

// holdsAll reports whether a file already has all of the lines as entries.
func holdsAll(in job.Input, doc vault.Doc, lines []string) bool {
	have := map[string]bool{}
	for _, e := range in.Parse(doc).Entries(in.Today()) {
		have[e.Normal()] = true
	}
	return !slices.ContainsFunc(lines, func(line string) bool { return !have[note.Normal(line)] })
}

// describe says what was done and what to do next.
func (ad *Advice) describe(in job.Input, pr Pressure) {
	fill := fmt.Sprintf("%.0f %% of the context is used", 100*ad.Share)
	if pr.Compacting {
		fill = "the context is about to be compacted"
	}
	dump := policy.Percent(policy.CheckpointDumpAt.Of(in.Policy))
	saved := strings.Join(ad.Saved, " and ")
	empty := strings.TrimSpace(pr.Text) == ""
	switch {
	case empty && ad.Level == LevelNone:
		ad.Did = fill + "; nothing is due below " + policy.Percent(policy.CheckpointBufferAt.Of(in.Policy))
		ad.Next = "go on"
		return
	case empty:
		ad.Did = fill + "; no text was given, so nothing was saved"
		ad.Next = "write down now what is in no file yet, and pass it with --stdin"
		return
	case len(ad.Saved) == 0:
		ad.Did = fill + "; it was saved already"
	default:
		ad.Did = fill + "; saved to " + saved
	}
	if ad.Level != LevelDump {
		ad.Next = "go on; from " + dump + " everything unsaved goes to the day's log and the session's state"
		return
	}
	ad.Next = "finish the step at hand without asking; after a compaction read these files first"
}

// Compaction describes when a harness flushes memory before it compacts: when the rest of the
// window is down to the reserve and the soft threshold.
type Compaction struct {
	Window  int `json:"window"`
	Reserve int `json:"reserve"`
	Soft    int `json:"soft"`
}

// Trigger is the number of tokens at which the flush starts.
func (c Compaction) Trigger() int { return c.Window - c.Reserve - c.Soft }

// Share is the trigger as a share of the window.
func (c Compaction) Share() float64 {
	if c.Window <= 0 {
		return 0
	}
	return float64(c.Trigger()) / float64(c.Window)
}

// Late reports whether the flush fires later than the policy allows.
func (c Compaction) Late(p policy.Policy) bool { return c.Share() > policy.CompactionTriggerMax.Of(p) }

// Never reports settings that make a flush impossible: the reserve and the threshold together
// are the whole window.
func (c Compaction) Never() bool { return c.Trigger() <= 0 }

// Better returns settings for the same window that trigger at the policy's target.
func (c Compaction) Better(p policy.Policy) Compaction {
	keep := c.Window - int(math.Round(policy.CompactionTarget.Of(p)*float64(c.Window)))
	soft := min(policy.CompactionSoftTokens.Of(p), keep/2)
	return Compaction{Window: c.Window, Reserve: keep - soft, Soft: soft}
}
