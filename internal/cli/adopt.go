package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/carry"
	"tend/internal/config"
	"tend/internal/fleet"
)

type adoptOptions struct {
	agent       string
	yes, dryRun bool
}

func newAdoptCommand(a *app) *cobra.Command {
	var o adoptOptions
	cmd := &cobra.Command{
		Use: "adopt DIR", GroupID: groupSetup, Short: "Bind an agent to its workspace again after that has moved",
		Long: `A workspace was renamed, or cloned anew, and tend.yaml still has the old path. Adopt
recognises whose it is: by the texts of its files, of which the ledger knows every version,
and by the remote of its git repository. It then changes that one path in tend.yaml;
ledger, archives and baselines stay bound to the agent.

What it found is shown. When it is not sure, or when the old workspace is still there,
nothing is changed unless --agent names the agent and --yes insists.

EXIT STATUS
  0 bound · 3 not sure`,
		Example: `  tend adopt ~/src/new-clone
  tend adopt ~/agents/reviewer --agent reviewer --yes`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runAdopt(a, o, args[0]) },
	}
	a.agentFlag(cmd, &o.agent)
	cmd.Flags().BoolVar(&o.yes, "yes", false, "bind it though the evidence is thin; needs --agent")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "only show what was found")
	return cmd
}

// candidate is an agent a folder may belong to.
type candidate struct {
	Agent    string         `json:"agent"`
	Old      string         `json:"workspace"`
	Gone     bool           `json:"gone"` // the old workspace is not there any more
	Evidence carry.Evidence `json:"evidence"`
}

func (c candidate) sure() bool { return c.Gone && c.Evidence.Sure() }

func runAdopt(a *app, o adoptOptions, dir string) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return usagef("name the folder the workspace is in now", dir+" is not a folder")
	}
	if o.yes && o.agent == "" {
		return usagef("name the agent with --agent", "--yes alone says not whose the folder is")
	}
	list, err := a.candidates(cfg, o.agent, dir)
	if err != nil {
		return err
	}
	if !a.json {
		a.showCandidates(list)
	}
	c, err := choose(list, o, dir)
	if err != nil {
		return err
	}
	env, err := config.OSEnv()
	if err != nil {
		return err
	}
	old, err := os.ReadFile(cfg.Path)
	if err != nil {
		return err
	}
	text, err := config.Rebind(cfg.Path, old, c.Agent, dir, env)
	if err != nil {
		return usage(err)
	}
	if !o.dryRun {
		if err := replaceFile(cfg.Path, text); err != nil {
			return err
		}
	}
	if a.json {
		return a.printJSON(map[string]any{"agent": c.Agent, "workspace": dir, "was": c.Old, "dry_run": o.dryRun, "candidates": list})
	}
	verb := "is now bound"
	if o.dryRun {
		verb = "would be bound"
	}
	a.printf("%s %s to %s\n", a.paint(bold, c.Agent), verb, dir)
	return nil
}

// candidates are the agents whose workspace is gone, or the one that was named, the most
// likely first.
func (a *app) candidates(cfg *config.Config, named, dir string) (list []candidate, err error) {
	f, err := a.fleet(fleet.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if named != "" {
		if _, err := cfg.Agent(named); err != nil {
			return nil, err
		}
	}
	for _, ag := range cfg.Agents {
		if ag.Workspace.Kind != config.Local || named != "" && ag.Name != named {
			continue
		}
		if ag.Workspace.Path == dir {
			return nil, usagef("nothing is to be done", fmt.Sprintf("%s is the workspace of %s", dir, ag.Name))
		}
		_, err := os.Stat(ag.Workspace.Path)
		c := candidate{Agent: ag.Name, Old: ag.Workspace.Path, Gone: errors.Is(err, fs.ErrNotExist)}
		if !c.Gone && named == "" {
			continue
		}
		records, err := f.Records(ag.Name)
		if err != nil {
			return nil, err
		}
		home, err := records.Home()
		if err != nil {
			return nil, err
		}
		c.Evidence = carry.Compare(home, dir)
		if named != "" || c.Evidence.Score() > 0 {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(x, y candidate) int { return y.Evidence.Score() - x.Evidence.Score() })
	return list, nil
}

func (a *app) showCandidates(list []candidate) {
	if len(list) == 0 || a.quiet {
		return
	}
	var rows [][]cell
	for _, c := range list {
		rows = append(rows, []cell{{c.Agent, bold}, {c.Old, ""}, {evidence(c), ""}})
	}
	a.table([]string{"agent", "was at", "evidence"}, rows)
}

func evidence(c candidate) string {
	e := c.Evidence
	said := []string{fmt.Sprintf("%d of %d files have a known text", e.Same, e.Known)}
	if e.Named > 0 {
		said = append(said, fmt.Sprintf("%d have a known name", e.Named))
	}
	if e.Remote {
		said = append(said, "same git remote")
	}
	if !c.Gone {
		said = append(said, "the old workspace is still there")
	}
	return strings.Join(said, ", ")
}

// choose is the one candidate that is meant, if there is no doubt.
func choose(list []candidate, o adoptOptions, dir string) (candidate, error) {
	if o.agent != "" && o.yes {
		return list[0], nil
	}
	var sure []candidate
	for _, c := range list {
		if c.sure() {
			sure = append(sure, c)
		}
	}
	refused := func(text, hint string) (candidate, error) {
		return candidate{}, &exitError{code: exitRefused, err: errors.New(text), hint: hint}
	}
	switch {
	case len(sure) == 1:
		return sure[0], nil
	case len(sure) > 1:
		return refused(fmt.Sprintf("%s may be the workspace of %d agents", dir, len(sure)), "name the right one with --agent")
	case len(list) == 0:
		return refused(fmt.Sprintf("%s is like no workspace that is gone", dir), "`tend init` takes in a new one; --agent NAME --yes insists")
	case o.agent != "" && !list[0].Gone:
		return refused(fmt.Sprintf("%s still has its workspace %s", o.agent, list[0].Old), "--yes insists")
	}
	return refused(fmt.Sprintf("not sure that %s is the workspace of %s", dir, list[0].Agent), fmt.Sprintf("--agent %s --yes insists", list[0].Agent))
}
