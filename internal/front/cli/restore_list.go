package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/past"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/text/referee"
)

// mostListed is how many things the list of a terminal offers.
const mostListed = 15

// restorable is a row of the list.
type restorable struct {
	at      time.Time
	agent   string
	file    vault.Path
	what    string
	lost    bool // a change of a file that is still there
	restore func(writeFlags) error
}

// runRestoreList lets a person at a terminal choose from what was lost, see it, and restore it.
func runRestoreList(ctx context.Context, a *app, o restoreOptions) error {
	in, ok := a.in.(*os.File)
	if !ok || !isTerminal(in) || !isTerminal(a.out) || a.json {
		return usererr.Usagef("name the file, or some words of the passage; at a terminal `tend restore` lists what was lost",
			"what should be restored?")
	}
	lines := bufio.NewReader(in)
	list, err := lostOf(ctx, a, o)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		a.printf("No change in the last month took a line out, as far as it was recorded. `tend diff FILE` compares with any moment.\n")
	}
	for {
		printRestorables(a, list, o.agent)
		answer, err := a.ask(ctx, lines, "\nA number, a file for its versions, words you miss, or Enter to leave: ")
		if err != nil || answer == "" || answer == "q" {
			return err
		}
		chosen, versions, err := choose(ctx, a, o, list, answer)
		if err == nil && versions != nil {
			list = versions
			continue
		}
		preview := o.writeFlags
		preview.dryRun = true
		if err == nil {
			err = chosen(preview)
		}
		if err != nil {
			a.reportError(err)
			continue
		}
		if o.dryRun {
			continue
		}
		switch answer, err = a.ask(ctx, lines, "\nRestore this? [y/N] "); {
		case err != nil:
			return err
		case isYes(answer):
			return chosen(o.writeFlags)
		}
	}
}

// ask prints a question and reads the answer. The end of the input is an empty answer.
func (a *app) ask(ctx context.Context, in *bufio.Reader, question string) (string, error) {
	a.printf("%s", question)
	answer := make(chan string, 1)
	go func() {
		line, _ := in.ReadString('\n')
		answer <- strings.TrimSpace(line)
	}()
	select {
	case <-ctx.Done():
		a.printf("\n")
		return "", errCut
	case line := <-answer:
		return line, nil
	}
}

// choose understands an answer: what to restore, or another list.
func choose(ctx context.Context, a *app, o restoreOptions, list []restorable, answer string) (func(writeFlags) error, []restorable, error) {
	if n, err := strconv.Atoi(answer); err == nil {
		if n < 1 || n > len(list) {
			return nil, nil, usererr.Usagef("the list has numbers", "there is no number %d", n)
		}
		return list[n-1].restore, nil, nil
	}
	if !isWords(answer) {
		versions, err := versionsOf(ctx, a, o, vault.Path(answer))
		if err == nil && len(versions) == 0 {
			err = usererr.Usagef("`tend past list` shows what is kept", "no earlier text of %s is kept", answer)
		}
		return nil, versions, err
	}
	return func(w writeFlags) error {
		o := o
		o.writeFlags = w
		return runRestoreWords(ctx, a, o, answer)
	}, nil, nil
}

func printRestorables(a *app, list []restorable, agent string) {
	var rows [][]cell
	for i, x := range list {
		row := []cell{{strconv.Itoa(i + 1), cyan}, {x.at.Format(textfmt.Minute), dim}, {x.agent, bold}, {string(x.file), ""}, {x.what, ""}}
		if agent != "" {
			row = slices.Delete(row, 2, 3)
		}
		rows = append(rows, row)
	}
	head := []string{"", "time", "agent", "file", ""}
	if agent != "" {
		head = slices.Delete(head, 2, 3)
	}
	a.table(head, rows)
}

// lostOf lists what was lost or deleted lately, the newest first: of the named agent, else of the one here, else of all.
func lostOf(ctx context.Context, a *app, o restoreOptions) ([]restorable, error) {
	return a.restorables(ctx, o, func(ag *fleet.Agent) ([]restorable, error) {
		in, err := ag.Input(ctx)
		if err != nil {
			return nil, err
		}
		gone, err := deletedFiles(ctx, a, o, ag)
		if err != nil {
			return nil, err
		}
		lost, err := ag.Losses(in, in.Now.Add(-fleet.RecentRewrites), mostListed)
		list := gone
		for _, r := range lost {
			if slices.ContainsFunc(gone, func(x restorable) bool { return x.file == r.File }) {
				continue
			}
			list = append(list, restorable{r.At.In(ag.Location), ag.Name, r.File, lostWords(r.Verdict), true,
				func(w writeFlags) error {
					o := o
					o.agent, o.lost, o.writeFlags = ag.Name, r.Ref, w
					return runRestoreLost(ctx, a, o)
				}})
		}
		return list, err
	})
}

// lostWords says how much a change took out, and under which headings.
func lostWords(v referee.Verdict) string {
	text := textfmt.Count(v.LostSize.Lines+v.Doubtful().Lines, "line") + " lost"
	if v.LostSize.Lines == 0 {
		text += " or reworded"
	}
	var under []string
	for _, s := range v.Lost {
		if len(s.Path) > 0 {
			under = append(under, strconv.Quote(textfmt.InLine(s.Path[len(s.Path)-1])))
		}
	}
	if len(under) > 2 {
		under = append(under[:2], fmt.Sprintf("%d more", len(under)-2))
	}
	if len(under) > 0 {
		text += " under " + strings.Join(under, ", ")
	}
	return text
}

// deletedFiles lists the files that are gone and that Tend itself did not move away.
func deletedFiles(ctx context.Context, a *app, o restoreOptions, ag *fleet.Agent) (list []restorable, err error) {
	all, err := past.Open(ag).All(ctx)
	for file, versions := range all {
		last := versions[len(versions)-1]
		if last.Gone && last.Action != nil {
			continue
		}
		if _, err := ag.Vault.Read(ctx, file); !errors.Is(err, vault.ErrAbsent) {
			continue
		}
		at := last.At
		list = append(list, restorable{at.In(ag.Location), ag.Name, file, "deleted", false, fileRestorer(ctx, a, o, ag.Name, file, "")})
	}
	return list, err
}

// versionsOf lists the earlier texts of a file, the newest first.
func versionsOf(ctx context.Context, a *app, o restoreOptions, file vault.Path) ([]restorable, error) {
	return a.restorables(ctx, o, func(ag *fleet.Agent) (list []restorable, err error) {
		versions, err := past.Open(ag).Versions(ctx, file)
		for _, v := range versions {
			if v.Gone {
				continue
			}
			what := "as it was seen"
			if v.Action != nil {
				what = "after " + v.Action.Job
			} else if strings.HasSuffix(v.Ref, "~") {
				what = "before Tend first changed it"
			}
			list = append(list, restorable{v.At.In(ag.Location), ag.Name, file, what + ", " + policy.Size(int64(v.Size)), false,
				fileRestorer(ctx, a, o, ag.Name, file, v.Ref)})
		}
		return list, err
	})
}

func fileRestorer(ctx context.Context, a *app, o restoreOptions, agent string, file vault.Path, at string) func(writeFlags) error {
	return func(w writeFlags) error {
		o := o
		o.agent, o.at, o.writeFlags = agent, at, w
		return runRestoreFile(ctx, a, o, string(file))
	}
}

// restorables collects rows of the named agent, else of the one here, else of all, the newest first. An agent that cannot be read
// is said and left out.
func (a *app) restorables(ctx context.Context, o restoreOptions, of func(*fleet.Agent) ([]restorable, error)) ([]restorable, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	names := cfg.Names()
	if name := cmp.Or(o.agent, agentHere(cfg)); name != "" {
		names = []string{name}
	}
	var list []restorable
	for _, name := range names {
		err := a.withAgent(ctx, name, fleet.Options{}, func(ag *fleet.Agent) error {
			more, err := of(ag)
			list = append(list, more...)
			return err
		})
		if err != nil && len(names) == 1 {
			return nil, err
		}
		if err != nil {
			a.warnf("%s: %v", name, err)
		}
	}
	slices.SortStableFunc(list, func(a, b restorable) int {
		return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.agent, b.agent), cmp.Compare(a.file, b.file))
	})
	return list[:min(len(list), mostListed)], nil
}
