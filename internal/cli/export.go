package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/carry"
	"tend/internal/config"
	"tend/internal/fleet"
	"tend/internal/vault"
)

func newExportCommand(a *app) *cobra.Command {
	var history bool
	cmd := &cobra.Command{
		Use: "export AGENT FILE", GroupID: groupSetup, Short: "Pack an agent with all that Tend keeps of it into one file",
		Long: `Write one file with the agent's memory, its part of the configuration, baselines and
approvals, ledger, archives and trash, each with its SHA-256. tend import-archive unpacks
it on another machine, where log, undo, restore and archives work as they did here.

The file holds all that the agent has ever written: it is readable by you alone. The git
history is made anew from the ledger unless --history takes it along.`,
		Example: `  tend export reviewer reviewer.tend.tar.gz
  tend import-archive reviewer.tend.tar.gz --workspace ~/agents/reviewer`,
		Args: cobra.ExactArgs(2), ValidArgsFunction: a.agentNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runExport(cmd.Context(), a, args[0], args[1], history)
		},
	}
	cmd.Flags().BoolVar(&history, "history", false, "the git history too")
	return cmd
}

func runExport(ctx context.Context, a *app, name, file string, history bool) (err error) {
	file, err = filepath.Abs(file)
	if err != nil {
		return err
	}
	var m carry.Manifest
	err = a.withAgent(ctx, name, fleet.Options{Write: true}, func(ag *fleet.Agent) error {
		// Nothing moves while it is packed, and what a crash left is finished first.
		s, err := ag.Ledger.Begin(ctx, who())
		if err != nil {
			return err
		}
		defer s.Close()
		in, err := ag.Input(ctx)
		if err != nil {
			return err
		}
		src := carry.Source{
			Manifest: carry.Manifest{Tend: version, Made: ag.Now().UTC(), Agent: carry.Describe(ag.Agent)},
			StateDir: a.cfg.StateDir, Config: ag.Agent, History: history, Memory: map[string][]byte{},
		}
		for p, doc := range in.Files {
			src.Memory[string(p)] = doc.Data
		}
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			return &exitError{code: exitRefused, err: fmt.Errorf("%s is there already", file), hint: "move it away, or choose another name"}
		}
		if err != nil {
			return err
		}
		m, err = carry.Pack(f, src)
		if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
			return errors.Join(err, os.Remove(file))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"agent": name, "file": file, "files": len(m.Files)})
	}
	a.printf("packed %s, %s, into %s\n", name, count(len(m.Files), "file"), file)
	return nil
}

type importOptions struct {
	name, workspace string
	dryRun          bool
}

func newImportArchiveCommand(a *app) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use: "import-archive FILE", GroupID: groupSetup, Short: "Unpack an agent that tend export packed",
		Long: `Check every part of the file, then put the agent's records, archives, trash, approvals and
baselines into this machine's state folder and add the agent to tend.yaml. Nothing that
is there is overwritten: an agent of that name is refused, and --name gives it another.

The memory goes into the workspace if that folder is new or empty; a workspace with files
in it is taken as it is.

EXIT STATUS
  0 done · 3 refused: damaged, or something is in the way`,
		Example: `  tend import-archive reviewer.tend.tar.gz
  tend import-archive reviewer.tend.tar.gz --name reviewer2 --workspace ~/agents/reviewer2`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runImportArchive(a, o, args[0]) },
	}
	cmd.Flags().StringVar(&o.name, "name", "", "the agent's `NAME` here (default: as it was)")
	cmd.Flags().StringVar(&o.workspace, "workspace", "", "the agent's folder (default: workspaces/NAME beside tend.yaml)")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "check the file, write nothing")
	return cmd
}

func runImportArchive(a *app, o importOptions, file string) (err error) {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(cfg.StateDir, 0o700); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(cfg.StateDir, vault.TempPrefix+"import-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	m, err := carry.Unpack(f, tmp)
	if err != nil {
		return &exitError{code: exitRefused, err: fmt.Errorf("%s: %w", file, err), hint: "nothing was changed; export it again"}
	}
	name := m.Agent.Name
	if o.name != "" {
		name = o.name
	}
	if !config.ValidName(name) {
		return usagef("choose another with --name", fmt.Sprintf("%q cannot be an agent's name", name))
	}
	if _, err := cfg.Agent(name); err == nil {
		return &exitError{code: exitRefused, err: fmt.Errorf("%s has an agent %s already", cfg.Path, name), hint: "choose another name with --name"}
	}
	places := carry.Places{State: cfg.StateDir, Archive: filepath.Join(cfg.ArchiveDir, name), Name: name}
	if dir, taken := places.Taken(); taken {
		return &exitError{code: exitRefused, err: fmt.Errorf("%s is there already", dir), hint: "choose another name with --name, or move it away"}
	}
	draft, err := importDraft(cfg, m, o, name)
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
	text, err := config.Append(cfg.Path, old, draft, env)
	if err != nil {
		return usage(err)
	}
	if o.dryRun {
		a.printf("%s is whole: %s of agent %s\n%s", file, count(len(m.Files), "file"), m.Agent.Name, text)
		return nil
	}
	err = installTexts(m, tmp, draft)
	if err == nil {
		err = carry.Install(tmp, places)
	}
	if err != nil {
		for _, b := range draft.Baselines {
			_ = os.Remove(b.Source) // made here just now: it must not be in the way of the next try
		}
		return err
	}
	if err := replaceFile(cfg.Path, text); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"agent": name, "workspace": draft.Workspace, "files": len(m.Files)})
	}
	a.printf("imported %s, %s; its workspace is %s\n", name, count(len(m.Files), "file"), draft.Workspace)
	return nil
}

// importDraft is the agent as it will stand in tend.yaml.
func importDraft(cfg *config.Config, m carry.Manifest, o importOptions, name string) (config.AgentDraft, error) {
	ws := o.workspace
	if ws == "" {
		ws = filepath.Join(filepath.Dir(cfg.Path), "workspaces", name)
	}
	ws, err := filepath.Abs(ws)
	if err != nil {
		return config.AgentDraft{}, err
	}
	d := config.AgentDraft{
		Name: name, Description: m.Agent.Description, Disabled: m.Agent.Disabled, Workspace: ws, Layout: m.Agent.Layout,
	}
	if m.Agent.Timezone != "Local" {
		d.Timezone = m.Agent.Timezone
	}
	for _, s := range m.Agent.Policy {
		d.Policy = append(d.Policy, config.Setting{Key: s.Key, Value: s.Value})
	}
	for _, b := range m.Baselines {
		base := filepath.Base(b.Name)
		if _, after, ok := strings.Cut(base, "-"); ok {
			base = after
		}
		source := filepath.Join(filepath.Dir(cfg.Path), "baselines", name, base)
		if _, err := os.Lstat(source); err == nil {
			return d, &exitError{code: exitRefused, err: fmt.Errorf("%s is there already", source), hint: "move it away, or choose another --name"}
		}
		d.Baselines = append(d.Baselines, config.BaselineDraft{File: b.File, Source: source})
	}
	return d, nil
}

// installTexts puts the operator's texts and the memory in place.
func installTexts(m carry.Manifest, tmp string, d config.AgentDraft) error {
	for i, b := range m.Baselines {
		data, err := os.ReadFile(filepath.Join(tmp, filepath.FromSlash(b.Name)))
		if err != nil {
			return err
		}
		if err := writeNewFile(d.Baselines[i].Source, data, 0o644); err != nil {
			return err
		}
	}
	if entries, err := os.ReadDir(d.Workspace); err == nil && len(entries) > 0 {
		return nil // taken as it is
	}
	if err := os.MkdirAll(d.Workspace, 0o755); err != nil {
		return err
	}
	from := carry.Part(tmp, true)
	if _, err := os.Stat(from); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return os.CopyFS(d.Workspace, os.DirFS(from))
}
