package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/pflag"

	"tend/internal/disk/fsys"
	"tend/internal/engine/curator"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/table"
	"tend/internal/engine/runner"
	"tend/internal/model/usererr"
)

// curateFlags split curation in two halves, so that any program or person can be the model.
type curateFlags struct {
	printRequest bool
	answer       string
	model        string
}

func (f *curateFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.printRequest, "print-request", false, "print what a curator would be asked, and change nothing")
	flags.StringVar(&f.answer, "answer", "", "carry out the answer in this `FILE` (- is standard input)")
	flags.StringVar(&f.model, "model", "", "with --answer: `NAME` of who answered, for the ledger")
}

func (f curateFlags) used() bool { return f.printRequest || f.answer != "" }

// curateByHand prints a request, or carries out the answer to one.
func curateByHand(ctx context.Context, a *app, row table.Row, o jobOptions, args []string) error {
	if len(args) > 1 || o.all {
		return usererr.Usagef("name one agent", "a request is about one agent")
	}
	if o.curator.printRequest && o.curator.answer != "" {
		return usererr.Usagef("print the request first, then answer it", "--print-request and --answer are two steps")
	}
	if o.curator.printRequest {
		return a.withAgent(ctx, firstArg(args), fleet.Options{}, func(ag *fleet.Agent) error { return printRequest(ctx, a, ag) })
	}
	answer, err := readAnswer(a, o.curator)
	if err != nil {
		return err
	}
	names, err := a.chosen(args, false)
	if err != nil {
		return err
	}
	results, err := a.each(ctx, names, !o.dryRun, func(f *fleet.Fleet, agent string) runner.Result {
		ro := o.options()
		ro.Force, ro.BeyondCaps, ro.ByHand = o.force, o.beyondCaps, true
		return runner.DoAnswered(ctx, f, agent, row.Name, answer, ro)
	})
	if err != nil {
		return err
	}
	return a.report(results)
}

func printRequest(ctx context.Context, a *app, ag *fleet.Agent) error {
	r, ok, err := runner.NextRequest(ctx, ag)
	if err != nil {
		return err
	}
	if !ok {
		a.nothing("Nothing is unread, and the page fits.")
		return nil
	}
	return a.emit(r, func() { a.printText([]byte(r.Text())) })
}

func readAnswer(a *app, f curateFlags) (curator.Answer, error) {
	var data []byte
	var err error
	if f.answer == "-" {
		data, err = io.ReadAll(io.LimitReader(a.in, curator.MaxAnswer+1))
	} else {
		data, err = fsys.ReadFile(f.answer)
	}
	if err != nil {
		return curator.Answer{}, err
	}
	answer, err := curator.Read(data)
	if errors.Is(err, curator.ErrNoAnswer) || errors.Is(err, curator.ErrTooLong) {
		err = usererr.Usagef("the request that --print-request prints says how an answer looks", "%s: %v", f.answer, err)
	}
	if answer.Model = f.model; f.model == "" {
		answer.Model = "by hand"
	}
	return answer, err
}
