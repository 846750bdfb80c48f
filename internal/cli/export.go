package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"tend/internal/carry"
	"tend/internal/config"
	"tend/internal/fleet"
	"tend/internal/job"
)

func newExportCommand(a *app) *cobra.Command {
	var history bool
	cmd := &cobra.Command{
		Use: "export AGENT FILE", GroupID: groupSetup, Short: "Pack an agent with all that Tend keeps of it into one file",
		Long: `Write one file with the agent's memory, its part of the configuration, baselines and
approvals, ledger, archives and trash, each with its SHA-256. tend import-archive unpacks
it on another machine, where log, undo, restore and archives work as they did here.

What cannot be packed (links, files of gigabytes) is named, and the exit status is 1.
Files of the workspace that are not markdown are not memory and stay where they are.

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
	var left map[string]string
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
			Manifest: carry.Manifest{Tend: version, Made: ag.Now().UTC(), Agent: carry.Describe(a.cfg, ag.Agent)},
			StateDir: a.cfg.StateDir, Config: ag.Agent, History: history, Memory: map[string][]byte{},
		}
		for p, doc := range in.Files {
			src.Memory[string(p)] = doc.Data
		}
		if left, err = largeFiles(ag, in, &src); err != nil {
			return err
		}
		if src.Root != nil {
			defer src.Root.Close()
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
		if err := a.printJSON(map[string]any{"agent": name, "file": file, "files": len(m.Files), "left_out": left}); err != nil {
			return err
		}
	} else {
		a.printf("packed %s, %s, into %s\n", name, count(len(m.Files), "file"), file)
		for _, p := range slices.Sorted(maps.Keys(left)) {
			a.printf("%s %s: %s\n", a.paint(yellow, "not packed"), p, safe(left[p]))
		}
	}
	if len(left) > 0 {
		return quietly(exitFindings)
	}
	return nil
}

// largeFiles adds what was not taken into memory for its size, and tells what cannot be
// packed at all.
func largeFiles(ag *fleet.Agent, in job.Input, src *carry.Source) (left map[string]string, err error) {
	left = map[string]string{}
	for p, why := range in.Facts.Unread {
		left[string(p)] = why
	}
	if ag.Workspace.Kind != config.Local || len(left) == 0 {
		return left, nil
	}
	if src.Root, err = os.OpenRoot(ag.Workspace.Path); err != nil {
		return nil, err
	}
	for p := range in.Facts.Unread {
		if st, err := src.Root.Lstat(filepath.FromSlash(string(p))); err == nil && st.Mode().IsRegular() && st.Size() <= maxLarge {
			src.Large = append(src.Large, string(p))
			delete(left, string(p))
		}
	}
	return left, nil
}

// maxLarge bounds a single file of memory in a package.
const maxLarge = 1 << 30
