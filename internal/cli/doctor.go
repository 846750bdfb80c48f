package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"tend/internal/config"
	"tend/internal/fleet"
)

// health is what a look of the doctor's came to.
type health string

const (
	healthy   health = "ok"
	noted     health = "info"
	ailing    health = "warning"
	sick      health = "failed"
	unchecked health = "skipped"
)

// diagnosis is one row of the doctor's report.
type diagnosis struct {
	Check   string `json:"check"`
	Result  health `json:"result"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"`
}

// patient is what the doctor looks at. Fleet and agents are there only once the
// configuration could be read.
type patient struct {
	app      *app
	cfg      *config.Config
	fleet    *fleet.Fleet
	agents   []*fleet.Agent // those that could be opened
	shut     map[string]error
	openclaw string // the harness's configuration, if it was named
}

// doctorCheck is a row of the table of checks: what it is called, and how it looks.
type doctorCheck struct {
	name string
	// bare: it needs no configuration.
	bare bool
	look func(context.Context, *patient) []diagnosis
}

// doctorChecks is the table, in the order in which one thing builds on another.
func doctorChecks() []doctorCheck {
	return []doctorCheck{
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
		{"compaction", false, lookCompaction},
		{"harnesses", false, lookHarnesses},
	}
}

func fine(format string, args ...any) []diagnosis {
	return []diagnosis{{Result: healthy, Message: fmt.Sprintf(format, args...)}}
}

func aside(format string, args ...any) []diagnosis {
	return []diagnosis{{Result: noted, Message: fmt.Sprintf(format, args...)}}
}

func worry(remedy, format string, args ...any) diagnosis {
	return diagnosis{Result: ailing, Message: fmt.Sprintf(format, args...), Remedy: remedy}
}

func broken(remedy, format string, args ...any) diagnosis {
	return diagnosis{Result: sick, Message: fmt.Sprintf(format, args...), Remedy: remedy}
}

func newDoctorCommand(a *app) *cobra.Command {
	var openclaw string
	cmd := &cobra.Command{
		Use: "doctor", GroupID: groupSetup, Short: "Prove that everything Tend needs is in order",
		Long: `Look at everything Tend stands on: configuration, workspaces, state folder, locks,
disk space, clock, git, approved baselines, the ledger's chain, and the harness's
settings for compaction. Each check gets a line with what was found and what to do.

For OpenClaw, the flush of memory before a compaction fires at the context window less
reserveTokensFloor and softThresholdTokens; too late a flush loses what an agent has
not written down. The configuration is looked for beside the workspace, then at
$OPENCLAW_CONFIG_PATH and ~/.openclaw/openclaw.json.

EXIT STATUS
  0 all is well · 1 something wants a person`,
		Example: `  tend doctor
  tend doctor --openclaw-config ~/.openclaw/openclaw.json
  tend doctor --json | jq '.[] | select(.result != "ok")'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows, err := a.diagnose(cmd.Context(), openclaw)
			if err != nil {
				return err
			}
			return a.printDiagnoses(rows)
		},
	}
	cmd.Flags().StringVar(&openclaw, "openclaw-config", "", "OpenClaw's configuration `FILE`")
	return cmd
}

// diagnose runs the table. A configuration that cannot be read is a finding, not an end.
func (a *app) diagnose(ctx context.Context, openclaw string) (rows []diagnosis, err error) {
	p := &patient{app: a, shut: map[string]error{}, openclaw: openclaw}
	defer func() {
		for _, ag := range p.agents {
			err = errors.Join(err, ag.Close())
		}
		if p.fleet != nil {
			err = errors.Join(err, p.fleet.Close())
		}
	}()
	for _, c := range doctorChecks() {
		found := []diagnosis{{Result: unchecked, Message: "needs the configuration"}}
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

func (a *app) printDiagnoses(rows []diagnosis) error {
	code := exitFine
	for _, d := range rows {
		if d.Result == ailing || d.Result == sick {
			code = exitFindings
		}
	}
	if a.json {
		if err := a.printJSON(rows); err != nil {
			return err
		}
		return quietly(code)
	}
	styles := map[health]style{healthy: green, noted: cyan, ailing: yellow, sick: red, unchecked: dim}
	var cells [][]cell
	for _, d := range rows {
		if a.quiet && d.Result != ailing && d.Result != sick {
			continue
		}
		cells = append(cells, []cell{{string(d.Result), styles[d.Result]}, {d.Check, bold}, {d.Message, ""}})
		if d.Remedy != "" {
			cells = append(cells, []cell{{"", ""}, {"", ""}, {d.Remedy, dim}})
		}
	}
	if len(cells) > 0 {
		a.table([]string{"result", "check", "message"}, cells)
	}
	return quietly(code)
}
