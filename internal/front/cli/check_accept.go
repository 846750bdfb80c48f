package cli

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/engine/job/audit"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/state/findinglog"
)

// acceptOptions are the flags of check that decide what is no problem.
type acceptOptions struct {
	what       []string // a code, a file or FILE:LINE
	takeBack   []string
	list       bool
	until      string
	known      string
	writeKnown bool
}

func (o *acceptOptions) add(f *pflag.FlagSet) {
	f.StringSliceVar(&o.what, "accept", nil, "this finding is no problem: its `CODE`, FILE or FILE:LINE")
	f.StringVar(&o.until, "until", "", "with --accept: a `DATE`, or how long: 90d")
	f.StringSliceVar(&o.takeBack, "unaccept", nil, "take an acceptance back, by `ID`")
	f.BoolVar(&o.list, "accepted", false, "list what was accepted")
	f.StringVar(&o.known, "known", "", "leave out the findings in this `FILE`, kept with the workspace for CI")
	f.BoolVar(&o.writeKnown, "write-known", false, "write all present findings to the file of --known")
}

// acts reports whether the command changes or lists acceptances instead of only checking.
func (o acceptOptions) acts() bool { return len(o.what)+len(o.takeBack) > 0 || o.list }

// valid finds combinations that make no sense.
func (o acceptOptions) valid(dirs []string) error {
	switch {
	case o.acts() && len(dirs) > 0:
		return usererr.Usagef("`tend init "+dirs[0]+"` first, or keep a file with --known FILE --write-known",
			"what is accepted is kept in Tend's state, and %s is not configured", dirs[0])
	case o.writeKnown && o.known == "":
		return usererr.Usagef("add --known FILE", "--write-known without a file")
	case o.until != "" && len(o.what) == 0:
		return usererr.Usagef("add --accept CODE, FILE or FILE:LINE", "--until without --accept")
	}
	return nil
}

// end is when an acceptance is over; nil for never.
func (o acceptOptions) end(now time.Time) (*time.Time, error) {
	if o.until == "" {
		return nil, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, o.until, now.Location()); err == nil {
		return &day, nil
	}
	d, err := policy.ParseDuration(o.until)
	if err != nil {
		return nil, usererr.Usagef("give a date (2027-01-31) or how long (90d)", "--until %s: not a time", o.until)
	}
	end := now.Add(d.Std())
	return &end, nil
}

// placesFound collects, beside a check, where its findings are.
type placesFound struct {
	mu      sync.Mutex
	byAgent map[string][]audit.Place
}

// noting returns look with what is known left out; the places of what remains are collected.
func (p *placesFound) noting(look func(job.Input) audit.Report, known []finding.Acceptance) func(job.Input) audit.Report {
	return func(in job.Input) audit.Report {
		in.Facts.Audit.Accepted = slices.Concat(in.Facts.Audit.Accepted, known)
		r := look(in)
		found := audit.Places(in, r)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.byAgent[in.Agent] = found
		return r
	}
}

// accept records decisions on what a check has just found, so that nobody accepts what is not there.
func (p *placesFound) accept(a *app, o acceptOptions, reason string) error {
	end, err := o.end(a.now())
	if err != nil {
		return err
	}
	done := []finding.Acceptance{}
	covered := 0
	for _, what := range o.what {
		n := 0
		for _, agent := range slices.Sorted(maps.Keys(p.byAgent)) {
			list, places := chooseAcceptances(p.byAgent[agent], what)
			for i := range list {
				list[i].Agent, list[i].Reason, list[i].By, list[i].At, list[i].Until = agent, reason, who(), a.now().UTC(), end
				list[i] = finding.NewAcceptance(list[i])
			}
			if len(list) > 0 {
				if err := a.withState(func(state fsys.FS) error { return findinglog.Accept(state, agent, list) }); err != nil {
					return err
				}
			}
			done = append(done, list...)
			n += places
		}
		if n == 0 {
			return usererr.Usagef("`tend check --verbose` lists the findings; accept one by its code, its file or FILE:LINE",
				"nothing was found at %s", what)
		}
		covered += n
	}
	return a.emit(done, func() {
		for _, x := range done {
			a.printf("accepted %s  %s\n", a.paint(bold, x.ID), textfmt.InLine(describeAcceptance(x)))
		}
		if !a.quiet {
			a.printf("%s will not be reported again; `tend check --unaccept ID` takes it back.\n", textfmt.Count(covered, "place"))
		}
	})
}

// chooseAcceptances returns what to accept for a code, a file or FILE:LINE, and in how many places that was found.
func chooseAcceptances(found []audit.Place, what string) (list []finding.Acceptance, places int) {
	file, line := what, 0
	if at := strings.LastIndexByte(what, ':'); at > 0 {
		if n, err := strconv.Atoi(what[at+1:]); err == nil {
			file, line = what[:at], n
		}
	}
	for _, p := range found {
		var a finding.Acceptance
		switch {
		case p.Code == what:
			a.Code = p.Code
		case p.File != file:
			continue
		case line == 0:
			a.File = p.File
		case p.Line == line:
			a.Code, a.File, a.Line = p.Code, p.File, p.Digest
		default:
			continue
		}
		places++
		if !slices.Contains(list, a) {
			list = append(list, a)
		}
	}
	return list, places
}

func describeAcceptance(x finding.Acceptance) string {
	parts := []string{x.Agent}
	if x.Code != "" {
		parts = append(parts, "["+x.Code+"]")
	}
	if x.File != "" {
		parts = append(parts, x.File)
	}
	if x.Line != "" {
		parts = append(parts, "one line")
	}
	if x.Until != nil {
		parts = append(parts, "until "+x.Until.Format(time.DateOnly))
	}
	if x.Reason != "" {
		parts = append(parts, "("+x.Reason+")")
	}
	return strings.Join(parts, " ")
}

// listAccepted prints the acceptances of agents.
func listAccepted(a *app, names []string) error {
	all := []finding.Acceptance{}
	err := a.readState(func(state fsys.FS) error {
		for _, name := range names {
			list, err := findinglog.Accepted(state, name)
			if err != nil {
				return err
			}
			all = append(all, list...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return a.emit(all, func() {
		if len(all) == 0 {
			a.nothing("Nothing was accepted.")
		}
		var rows [][]cell
		for _, x := range all {
			rows = append(rows, []cell{{x.ID, bold}, {x.At.Format(time.DateOnly), dim}, {x.By, dim}, {describeAcceptance(x), ""}})
		}
		a.table([]string{"id", "since", "by", "what"}, rows)
	})
}

// takeBack removes acceptances by id.
func takeBack(a *app, names, ids []string) error {
	gone := []finding.Acceptance{}
	err := a.withState(func(state fsys.FS) error {
		for _, name := range names {
			some, err := findinglog.Unaccept(state, name, ids)
			if err != nil {
				return err
			}
			gone = append(gone, some...)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case len(gone) == 0:
		return usererr.Usagef("`tend check --accepted` lists them", "nothing accepted has the id %s", strings.Join(ids, ", "))
	}
	return a.emit(gone, func() {
		for _, x := range gone {
			a.printf("reported again: %s\n", textfmt.InLine(describeAcceptance(x)))
		}
	})
}

// readKnown reads the file of --known. It need not exist yet if it is about to be written.
func readKnown(o acceptOptions) (list []finding.Acceptance, err error) {
	if o.known == "" || o.writeKnown {
		return nil, nil
	}
	data, err := fsys.ReadFile(o.known)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usererr.Usagef("add --write-known to write it", "%s does not exist", o.known)
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, usererr.Usagef("write it again with --write-known", "%s: %v", o.known, err)
	}
	for i := range list {
		list[i].Agent = "" // a folder's name differs between machines
	}
	return list, nil
}

// writeKnown writes the present findings to the file of --known.
func (p *placesFound) writeKnown(a *app, o acceptOptions) error {
	list := []finding.Acceptance{}
	for _, agent := range slices.Sorted(maps.Keys(p.byAgent)) {
		for _, x := range p.byAgent[agent] {
			one := finding.Acceptance{Code: x.Code, File: x.File, Line: x.Digest, At: a.now().UTC()}
			if one.Line == "" {
				one.Places = x.Finding.Places()
			}
			list = append(list, finding.NewAcceptance(one))
		}
	}
	folder, err := fsys.Dir(filepath.Dir(o.known))
	if err != nil {
		return err
	}
	err = errors.Join(vault.WriteJSON(folder, vault.SyncEach{}, filepath.Base(o.known), list), folder.Close())
	if err != nil {
		return err
	}
	return a.emit(list, func() {
		if !a.quiet {
			a.printf("%s written to %s: `tend check --ci --known %s` reports only others.\n",
				textfmt.Count(len(list), "finding"), o.known, o.known)
		}
	})
}
