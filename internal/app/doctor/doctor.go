// Package doctor checks everything Tend depends on: configuration, state, disk, clock, git,
// workspaces, baselines, ledger, and the settings of harnesses.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
)

// Result is the outcome of a check.
type Result string

// The results of a check.
const (
	OK      Result = "ok"
	Info    Result = "info"
	Warning Result = "warning"
	Failed  Result = "failed"
	Skipped Result = "skipped"
)

// Bad reports whether someone should act on it.
func (r Result) Bad() bool { return r == Warning || r == Failed }

// Diagnosis is one row of the report.
type Diagnosis struct {
	Check   string `json:"check"`
	Result  Result `json:"result"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
}

// Options are what a run needs from its caller.
type Options struct {
	Version  string                         // the version of this program
	OpenClaw string                         // OpenClaw's configuration, if given
	Config   func() (*config.Config, error) // loads the configuration; its failure is a Diagnosis
	Clock    func() time.Time
	Hint     func(error) string // what to do about an error
	// Rebuild deletes the git history of every agent and rebuilds it.
	Rebuild bool
}

// patient is what is examined. Fleet and agents are set once the configuration has been read.
type patient struct {
	Options
	cfg    *config.Config
	fleet  *fleet.Fleet
	agents []*fleet.Agent // those that could be opened
	shut   map[string]error
}

// check is a row of the table of checks.
type check struct {
	name string
	bare bool // needs no configuration
	look func(context.Context, *patient) []Diagnosis
}

// checks is the table, ordered by dependency.
func checks() []check {
	return []check{
		{"program", true, lookProgram},
		{"config", true, lookConfig},
		{"clock", false, lookClock},
		{"state", false, lookState},
		{"disk", false, lookDisk},
		{"git", true, lookGit},
		{"workspaces", false, lookWorkspaces},
		{"locks", false, lookLocks},
		{"baselines", false, lookBaselines},
		{"ledger", false, lookLedger},
		{"history", false, lookHistory},
		{"store", false, lookStore},
		{"loaded", false, lookLoaded},
		{"compaction", false, lookCompaction},
		{"harnesses", false, lookHarnesses},
	}
}

// Run runs all checks. A configuration that cannot be read is a Diagnosis, not an error.
func Run(ctx context.Context, o Options) (rows []Diagnosis, err error) {
	p := &patient{Options: o, shut: map[string]error{}}
	defer func() {
		for _, ag := range p.agents {
			err = errors.Join(err, ag.Close())
		}
		if p.fleet != nil {
			err = errors.Join(err, p.fleet.Close())
		}
	}()
	for _, c := range checks() {
		found := []Diagnosis{{Result: Skipped, Message: "needs the configuration"}}
		if c.bare || p.cfg != nil {
			found = c.look(ctx, p)
		}
		for _, d := range found {
			d.Check = c.name
			rows = append(rows, d)
		}
	}
	return rows, nil
}

func fine(format string, args ...any) []Diagnosis {
	return []Diagnosis{{Result: OK, Message: fmt.Sprintf(format, args...)}}
}

func note(format string, args ...any) []Diagnosis {
	return []Diagnosis{{Result: Info, Message: fmt.Sprintf(format, args...)}}
}

func warn(remedy, format string, args ...any) Diagnosis {
	return Diagnosis{Result: Warning, Message: fmt.Sprintf(format, args...), Remedy: remedy}
}

func broken(remedy, format string, args ...any) Diagnosis {
	return Diagnosis{Result: Failed, Message: fmt.Sprintf(format, args...), Remedy: remedy}
}
