package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/app/setup/transcripts"
	"tend/internal/engine/fleet"
	"tend/internal/engine/runner"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
)

// transcriptOptions are the flags for the sessions that exist already.
type transcriptOptions struct {
	transcripts, acceptUnload bool
	agent, reason             string
}

func (t *transcriptOptions) add(a *app, cmd *cobra.Command) {
	cmd.Flags().BoolVar(&t.transcripts, "transcripts", false,
		"read past sessions into the agent's dated notes; FILE is a file or folder of them")
	a.agentFlag(cmd, &t.agent)
	cmd.Flags().StringVar(&t.reason, "reason", "", "of --transcripts: why, for the record")
	cmd.Flags().BoolVar(&t.acceptUnload, "accept-unload", false,
		"of --transcripts: change a file even if its harness will then stop loading it")
}

func runTranscripts(ctx context.Context, a *app, t transcriptOptions, o confOptions, paths []string) error {
	if o != (confOptions{dryRun: o.dryRun}) {
		return usererr.Usagef("only --agent, --dry-run and --reason go with it",
			"--transcripts adds to the notes of an agent that is configured already")
	}
	return a.withAgent(ctx, t.agent, fleet.Options{Write: !o.dryRun}, func(ag *fleet.Agent) error {
		bar := a.byteBar()
		var diff strings.Builder
		req := transcripts.Request{
			Paths: paths, Progress: bar.showAt,
			Options: runner.Options{Who: who(), Reason: t.reason, DryRun: o.dryRun, AcceptUnload: t.acceptUnload, ByHand: true},
			Diff: func(d string) {
				if a.json {
					diff.WriteString(d)
					return
				}
				bar.end()
				a.diff(d)
			},
		}
		out, err := transcripts.Import(ctx, ag, req)
		bar.end()
		if ctx.Err() != nil {
			return &usererr.Error{Code: usererr.CodeFailed, Hint: "run it again: it goes on where the last action ended",
				Err: fmt.Errorf("stopped after %s", textfmt.Count(len(out.Actions), "action"))}
		}
		if err != nil {
			return err
		}
		value := struct {
			Agent string `json:"agent"`
			transcripts.Result
			Diff string `json:"diff,omitempty"`
		}{ag.Name, out, diff.String()}
		value.Skipped, value.Proposals = orEmpty(out.Skipped), orEmpty(out.Proposals)
		return a.emit(value, func() { printTranscripts(&a.printer, ag.Name, out) })
	})
}

func printTranscripts(pr *printer, agent string, out transcripts.Result) {
	for _, s := range out.Skipped {
		pr.printf("%s %s: %s\n", pr.paint(yellow, "not read"), textfmt.InLine(s.File), textfmt.InLine(s.Why))
	}
	if out.Damaged > 0 {
		pr.printf("%s %s could not be read\n", pr.paint(yellow, "damaged"), textfmt.Count(out.Damaged, "record"))
	}
	if pr.quiet {
		return
	}
	if out.Sessions == 0 {
		pr.printf("%s\n", pr.wrapped("No sessions of "+agent+" were found where the harnesses on this machine keep them. "+
			"Name a file or folder: tend import --transcripts DIR.", "  "))
		return
	}
	would := ""
	if out.DryRun {
		would = "would be "
	}
	text := fmt.Sprintf("%s of %s: %d with something new, %s %sadded to %s", textfmt.Count(out.Sessions, "session"), agent, out.Imported,
		textfmt.Count(out.Sections, "section"), would, textfmt.Count(out.Logs, "log"))
	if out.Masked > 0 {
		text += "; " + textfmt.Count(out.Masked, "secret") + " masked"
	}
	pr.printf("%s\n", pr.wrapped(text+".", "  "))
	for _, p := range out.Proposals {
		pr.printf("  %s  %s\n", p.ID, textfmt.InLine(textfmt.Brief(p.Text, 90)))
	}
	switch {
	case len(out.Proposals) > 0 && !out.DryRun:
		pr.printf("\n%s\n", pr.wrapped("Next: `tend proposals --agent "+agent+"` shows what the user marked to keep; approve what belongs on "+
			"the first page.", "  "))
	case len(out.Actions) > 0:
		pr.printf("\nNext: `tend search WORDS --agent %s` finds what was said.\n", agent)
	}
	if len(out.Actions) > 0 {
		pr.printf("Taken back by: tend undo %s\n", strings.Join(backward(out.Actions), ", then "))
	}
}

func backward(list []string) []string {
	out := make([]string, 0, len(list))
	for i := range list {
		out = append(out, list[len(list)-1-i])
	}
	return out
}

// byteBar is a progress line on a terminal for work of which the bytes are known, shown after a second.
type byteBar struct {
	a            *app
	began, shown time.Time
}

func (a *app) byteBar() *byteBar {
	if a.quiet || a.json || !isTerminal(a.errw) {
		return &byteBar{}
	}
	return &byteBar{a: a, began: time.Now()}
}

func (b *byteBar) showAt(done, total int64) {
	if b.a == nil || time.Since(b.began) < time.Second || time.Since(b.shown) < 100*time.Millisecond {
		return
	}
	b.shown = time.Now()
	done = min(done, total)
	left := time.Duration(float64(time.Since(b.began)) * float64(total-done) / float64(max(1, done)))
	fmt.Fprintf(b.a.errw, "\r\x1b[K%d of %d MB, %d %%, about %s left", done>>20, total>>20, 100*done/max(1, total), left.Round(time.Second))
}

func (b *byteBar) end() {
	if b.a != nil && !b.shown.IsZero() {
		fmt.Fprint(b.a.errw, "\r\x1b[K")
	}
}
