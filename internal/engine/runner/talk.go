package runner

import (
	"context"
	"errors"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/write"
	"tend/internal/engine/past"
	"tend/internal/model/policy"
	"tend/internal/state/plan"
	"tend/internal/text/session"
	"tend/internal/text/transcript"
)

// CheckpointTalk saves what a session has said since its last checkpoint, if its context is full enough. It is called by
// a hook of a harness. window is the size of the context, 0 if it has to be derived.
func CheckpointTalk(ctx context.Context, a *fleet.Agent, h session.Hook, in transcript.HookInput, window int,
	o Options) (r Result, ad write.Advice, err error) {
	if in.Session == "" || (in.Transcript == "" && len(in.Messages) == 0) {
		return r, ad, errors.New("the hook's input names no session, or neither a transcript nor messages")
	}
	mark := vault.Path("transcript/" + in.Session)
	last, err := past.Open(a).LastReceipt(mark)
	if err != nil {
		return r, ad, err
	}
	t, where, err := in.Talk(transcript.Format(h), last.To, last.Hash)
	if err != nil {
		return r, ad, err
	}
	pr := write.Pressure{Used: t.Used, Window: window, Compacting: in.Compacting()}
	full := compactionLevel(h)
	if pr.Window == 0 {
		pr.Window = int(float64(t.Room(policy.CompactionWindow.Of(a.Policy))) * full)
	}
	if full < 1 && pr.Used >= pr.Window {
		pr.Compacting = true
	}
	level := pr.Level(a.Policy)
	few := t.Responses < policy.CheckpointEveryResponses.Of(a.Policy)
	crossed := level == write.LevelDump && last.Job != string(write.LevelDump)
	tooEarly := few && !crossed && !pr.Compacting
	if level == write.LevelNone || tooEarly {
		return r, ad, nil
	}
	pr.Text = t.Excerpt(policy.CheckpointExcerpt.Of(a.Policy), where)
	if pr.Text == "" {
		return r, ad, nil
	}
	pr.Taken = []plan.Receipt{{Job: string(level), Path: mark, From: t.From, To: t.To, Hash: t.Hash}}
	o.Who, o.Reason = "hook:"+string(h), strings.TrimSpace(in.Event+" of session "+in.Session)
	return Checkpoint(ctx, a, pr, o)
}

// compactionLevel is the fill level at which a harness that does not announce compactions is assumed to compact: its default,
// because its settings are not read.
func compactionLevel(h session.Hook) float64 {
	switch h {
	case session.Gemini, session.Hermes:
		return 0.5
	}
	return 1
}
