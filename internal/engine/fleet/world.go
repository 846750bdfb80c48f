package fleet

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tend/internal/disk/machine"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/text/layout"
	"tend/internal/text/scan"
	"tend/internal/text/scan/existence"
)

// maxWorldTime is how long one agent's probes may take, maxWorldProbes how many there may be.
const maxWorldTime, maxWorldProbes = 10 * time.Second, 2000

// checksWorld reports whether the lines of an agent's memory are compared with this machine.
func (a *Agent) checksWorld() bool {
	asked := a.fleet.World || policy.WorldCheck.Of(a.Policy) == policy.WorldOn
	return asked && a.Workspace.Kind == config.Local
}

// World reports lines of memory that name something on this machine that is not here any more. The list is never nil.
func (a *Agent) World(ctx context.Context, in job.Input) []finding.Finding {
	ctx, cancel := context.WithTimeout(ctx, maxWorldTime)
	defer cancel()
	m := machine.This(append(policy.WorldRoots.Of(a.Policy), a.Workspace.Path))
	w := world{ctx: ctx, probe: m, now: in.Now, asked: map[existence.Claim]string{}, found: []finding.Finding{}}
	for _, d := range in.All() {
		if isAboutPresent(in.Layout, d.Path) {
			w.checkFile(string(d.Path), d.Data)
		}
	}
	return w.found
}

// isAboutPresent reports whether a file's lines are statements about the present: logs are about their day.
func isAboutPresent(l layout.Layout, p vault.Path) bool {
	return isLongTerm(l, p) && !l.IsSkill(string(p))
}

// prober answers whether something exists on a machine.
type prober interface {
	Path(string) machine.Answer
	Program(string) machine.Answer
	Unit(string) machine.Answer
	Port(context.Context, string) machine.Answer
	Repository(string) machine.Answer
	Branch(dir, name string) machine.Answer
	Package(string) (string, machine.Answer)
}

// world compares lines with a machine.
type world struct {
	ctx   context.Context
	probe prober
	now   time.Time
	asked map[existence.Claim]string // answers, "" for what is true or unknown
	found []finding.Finding
}

func (w *world) checkFile(name string, text []byte) {
	fenced := false
	for n, line := range strings.Split(string(text), "\n") {
		s := strings.TrimSpace(line)
		if strings.HasPrefix(s, "```") || strings.HasPrefix(s, "~~~") {
			fenced = !fenced
		}
		if fenced || strings.HasPrefix(s, "#") || layout.Stock(s) || w.ctx.Err() != nil {
			continue
		}
		for _, c := range existence.Of(s) {
			if why := w.askOnce(c); why != "" {
				f := finding.WorldDrift.In(name, "%s (looked %s): %s", why, w.now.Format(textfmt.Minute), scan.Quote(s, 80))
				f.Line = n + 1
				w.found = append(w.found, f)
			}
		}
	}
}

// askOnce probes a claim once and says what is wrong with it.
func (w *world) askOnce(c existence.Claim) string {
	why, known := w.asked[c]
	if !known && len(w.asked) < maxWorldProbes {
		why = w.whyWrong(c)
		w.asked[c] = why
	}
	return why
}

func (w *world) whyWrong(c existence.Claim) string {
	gone := func(a machine.Answer, format string, args ...any) string {
		if a != machine.Gone {
			return ""
		}
		return fmt.Sprintf(format, args...)
	}
	switch c.Kind {
	case existence.Path:
		return gone(w.probe.Path(c.Name), "%s does not exist", c.Name)
	case existence.Repository:
		return gone(w.probe.Repository(c.Name), "the repository %s does not exist", c.Name)
	case existence.Program:
		return gone(w.probe.Program(c.Name), "the program %s is not in the search path", c.Name)
	case existence.Unit:
		return gone(w.probe.Unit(c.Name), "systemd has no unit %s", c.Name)
	case existence.Port:
		return gone(w.probe.Port(w.ctx, c.Name), "nothing listens on local port %s", c.Name)
	case existence.Branch:
		return gone(w.probe.Branch(c.In, c.Name), "%s has no branch %s", c.In, c.Name)
	case existence.Package:
		_, a := w.probe.Package(c.Name)
		return gone(a, "the package %s is not installed", c.Name)
	case existence.Version:
		have, a := w.probe.Package(c.In)
		if a == machine.Holds && !hasVersion(have, c.Name) {
			return fmt.Sprintf("%s is installed as %s", c.In, have)
		}
	}
	return ""
}

// hasVersion reports whether an installed version, "1:2.39.5-0+deb12u1", is the one that a line names, "2.39".
func hasVersion(have, said string) bool {
	if _, rest, ok := strings.Cut(have, ":"); ok {
		have = rest
	}
	rest, ok := strings.CutPrefix(have, said)
	return ok && (rest == "" || rest[0] < '0' || rest[0] > '9')
}
