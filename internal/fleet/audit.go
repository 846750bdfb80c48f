package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tend/internal/job"
	"tend/internal/vault"
)

// Examination is what audit or check came to for one agent.
type Examination struct {
	Agent  string     `json:"agent"`
	Pass   int        `json:"pass"`
	Flags  int        `json:"flags"`
	Report job.Report `json:"checks"`
	Error  string     `json:"error,omitempty"`

	Err error `json:"-"`
}

// Examine looks at an agent without changing anything.
func (f *Fleet) Examine(ctx context.Context, name string, look func(job.Input) job.Report) Examination {
	x := Examination{Agent: name}
	a, err := f.Agent(ctx, name)
	if err == nil {
		var in job.Input
		if in, err = a.Input(ctx); err == nil {
			err = a.Gather(&in)
		}
		if err = errors.Join(err, a.Close()); err == nil {
			x.Report = look(in)
		}
	}
	if err != nil {
		x.Error, x.Err = err.Error(), err
	}
	x.Pass, x.Flags = x.Report.Passed(), x.Report.Flagged()
	return x
}

// Gather adds to an input what audit and check hold the files against.
func (a *Agent) Gather(in *job.Input) error {
	e := &in.Facts.Audit
	seals, err := a.seals()
	if err != nil {
		return err
	}
	if e.Clean, err = a.clean(); err != nil {
		return err
	}
	e.Sealed = seals
	a.askHarness(in)
	return nil
}

const sealsFile = "logs"

// seals reads what past logs were when their day was over: a line for each, its version,
// when that was, and the path. They are hints: what cannot be read is forgotten.
func (a *Agent) seals() (map[vault.Path]job.Seal, error) {
	data, err := a.hint(sealsFile)
	if err != nil {
		return nil, err
	}
	seals := make(map[vault.Path]job.Seal, bytes.Count(data, []byte{'\n'}))
	for line := range strings.Lines(string(data)) {
		r := fields{f: strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3), ok: true}
		version, at, p := r.text(0), r.number(1), r.text(2)
		if r.ok {
			seals[vault.Path(p)] = job.Seal{Version: vault.Version(version), At: time.Unix(0, at)}
		}
	}
	return seals, nil
}

// seal remembers the logs of days that are over as they are, once, so that the audit sees
// when one is changed afterwards. It is for those who write anyway: an audit cannot.
func (a *Agent) seal(in job.Input) error {
	logs := in.Logs()
	if len(logs) == 0 {
		return nil
	}
	seals, err := in.Facts.Audit.Sealed, error(nil)
	if seals == nil {
		if seals, err = a.seals(); err != nil {
			return err
		}
	}
	changed := false
	for _, log := range logs {
		if _, ok := seals[log.Path]; !ok && log.Day < in.Today() && in.Today().Sub(log.Day) <= int(remembered.Hours()/24) {
			seals[log.Path] = job.Seal{Version: log.Version, At: in.Now}
			changed = true
		}
	}
	for p, s := range seals {
		if in.Now.Sub(s.At) > remembered {
			delete(seals, p)
			changed = true
		}
	}
	if !changed {
		return nil
	}
	var b strings.Builder
	for _, p := range slices.Sorted(maps.Keys(seals)) {
		fmt.Fprintf(&b, "%s %d %s\n", orDash(string(seals[p].Version)), seals[p].At.UnixNano(), p)
	}
	return a.keepHint(sealsFile, []byte(strings.TrimSuffix(b.String(), "\n")))
}
