package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"tend/internal/app/demo"
)

func newDemoCommand(a *app) *cobra.Command {
	var keep string
	var serve bool
	cmd := a.command("demo", func(ctx context.Context, _ []string) error {
		if serve {
			return serveDemo(ctx, a, keep)
		}
		return runDemo(ctx, a, keep)
	})
	cmd.Flags().StringVar(&keep, "keep", "", "build it in `DIR` and leave it there")
	cmd.Flags().BoolVar(&serve, "serve", false, "show a fleet with weeks of history in the browser, until Ctrl-C")
	return cmd
}

func runDemo(ctx context.Context, a *app, keep string) error {
	began := time.Now()
	tour, err := demo.New(keep)
	if err != nil {
		return err
	}
	defer tour.Close()
	signal.Ignore(syscall.SIGPIPE) // `tend demo | head` must not leave the folder behind
	tour.Say = func(lines ...string) { sayInTour(&a.printer, lines...) }
	tour.Run = func(args []string) (int, string) { return runInTour(ctx, a, tour.Config(), args) }
	steps, err := tour.Walk()
	if err != nil {
		return err
	}
	return a.emit(steps, func() {
		a.printf("\n%s\n", a.paint(dim, fmt.Sprintf("The tour took %.1f s.", time.Since(began).Seconds())))
		if keep != "" {
			a.printf("Look around: cd %s && tend status\n", tour.Dir)
		} else {
			a.printf("Nothing was left behind. Next: tend init DIR adopts a workspace of your own.\n")
		}
	})
}

// serveDemo plays the weeks of a sample fleet and runs it as `tend up` does.
func serveDemo(ctx context.Context, a *app, keep string) (err error) {
	a.endsItself() // the keeper finishes its work, and the sample fleet is removed
	began := time.Now()
	weeks, err := demo.NewWeeks(keep, began)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, weeks.Close()) }()
	weeks.Run = func(at time.Time, args ...string) (int, string) {
		var out strings.Builder
		inner := &app{in: a.in, printer: printer{out: &out, errw: &out}}
		err := newRoot(inner, append([]string{"--config", weeks.Config(), "--clock", at.Format(time.RFC3339)}, args...)).ExecuteContext(ctx)
		if err != nil {
			inner.reportError(err)
		}
		return codeOf(err), out.String()
	}
	a.printf("Playing four weeks of eight agents…\n")
	if err := weeks.Play(ctx); err != nil {
		return err
	}
	a.printf("Played in %.1f s, in %s.\n", time.Since(began).Seconds(), weeks.Dir)
	a.configPath, a.cfg = weeks.Config(), nil
	return runUp(ctx, a, upOptions{mute: true, grace: time.Second})
}

func sayInTour(pr *printer, lines ...string) {
	if pr.json {
		return
	}
	text := strings.Join(lines, "\n")
	if width, _, ok := pr.screen(); ok {
		text = wrap(strings.Join(lines, " "), "", min(width, 88), 0)
	}
	pr.printf("\n%s\n", pr.paint(bold, text))
}

// runInTour runs a command as a user would, and prints it.
func runInTour(ctx context.Context, a *app, config string, args []string) (code int, printed string) {
	var out teeWriter
	inner := &app{in: a.in, printer: printer{out: &out, errw: &out}}
	out.to = a.out
	switch {
	case a.json:
		out.to = io.Discard
	case isTerminal(a.out):
		inner.out, inner.errw = a.out, a.out
		if args[0] == "log" {
			inner.out = &out // its ids are needed
		}
	}
	if !a.json {
		a.printf("\n%s\n", a.paint(cyan, "$ "+demo.Line(args)))
	}
	err := newRoot(inner, append([]string{"--config", config}, args...)).ExecuteContext(ctx)
	if err != nil {
		inner.reportError(err)
	}
	if code = codeOf(err); code != 0 && !a.json {
		a.printf("%s\n", a.paint(dim, fmt.Sprintf("(exit status %d)", code)))
	}
	return code, out.String()
}

// teeWriter shows what a command prints and remembers it.
type teeWriter struct {
	strings.Builder
	to io.Writer
}

func (w *teeWriter) Write(p []byte) (int, error) {
	w.Builder.Write(p)
	return w.to.Write(p)
}
