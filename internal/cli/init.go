package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"tend/internal/config"
	"tend/internal/connect"
	"tend/internal/fleet"
	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/policy"
	"tend/internal/vault"
)

type initOptions struct {
	name, layout, to string
	dryRun           bool
}

func newInitCommand(a *app) *cobra.Command {
	var o initOptions
	cmd := &cobra.Command{
		Use: "init [DIR]", GroupID: groupSetup, Short: "Adopt a workspace: detect its harness, write tend.yaml, draft a baseline",
		Long: `Look at a folder that an agent keeps its memory in, recognise the harness and its
version, and write tend.yaml (or add the agent to the one that is there). The
memory file as it stands is taken as a draft of the baseline: read it, cut what is
not yours to promise, and approve it with tend baseline approve. Nothing in the
workspace is changed.

It asks nothing; flags override what it finds.`,
		Example: `  tend init ~/.openclaw/workspace
  tend init ./agent --name reviewer --layout openclaw@2026.9`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			return runInit(a, o, dir)
		},
	}
	cmd.Flags().StringVar(&o.name, "name", "", "the agent's `NAME` (default: the folder's)")
	cmd.Flags().StringVar(&o.layout, "layout", "", "the harness's `LAYOUT`, such as openclaw@2026.9 (default: detected)")
	cmd.Flags().StringVar(&o.to, "to", "", "write this `FILE` (default: --config, else ./tend.yaml)")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "write nothing; print what would be written as a unified diff")
	_ = cmd.RegisterFlagCompletionFunc("layout", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return layout.Presets(), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

func runInit(a *app, o initOptions, dir string) error {
	env, err := config.OSEnv()
	if err != nil {
		return err
	}
	ws, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if st, err := os.Stat(ws); err != nil || !st.IsDir() {
		return usagef("name the folder the agent's memory is in", fmt.Sprintf("%s is not a folder", ws))
	}
	to := o.to
	if to == "" {
		to = a.configPath
	}
	if to == "" {
		to = "tend.yaml"
	}
	if to, err = filepath.Abs(to); err != nil {
		return err
	}
	if filepath.Dir(to) == ws {
		// State and baselines stand beside tend.yaml, and must be out of the agent's reach.
		return usagef("`tend init "+dir+" --to ~/tend/tend.yaml`, or run it from another folder", "tend.yaml would stand inside the workspace, within the agent's reach")
	}
	ref, why, err := detect(ws, o.layout)
	if err != nil {
		return err
	}
	l, err := layout.Preset(ref)
	if err != nil {
		return usage(err)
	}
	name := o.name
	if name == "" {
		name = agentName(ws)
	}
	if !config.ValidName(name) {
		return usagef("choose another with --name", fmt.Sprintf("%q cannot be an agent's name", name))
	}
	draft := config.AgentDraft{Name: name, Workspace: ws, Layout: ref}
	hot := l.Path(layout.Hot, "")
	text, err := fleet.ReadPlain(filepath.Join(ws, filepath.FromSlash(hot)), int64(policy.FileMaxRead.Of(policy.Policy{})))
	if large := (*vault.TooLargeError)(nil); errors.As(err, &large) {
		return &exitError{code: exitRefused, err: fmt.Errorf("%s: %w", hot, err), hint: "cut it by hand first: it cannot be a baseline"}
	}
	if hot != "" && err == nil {
		draft.Baselines = []config.BaselineDraft{{File: hot, Source: "baselines/" + name + ".md"}}
	}
	out, err := renderInit(to, draft, env)
	if err != nil {
		return err
	}
	source := filepath.Join(filepath.Dir(to), "baselines", name+".md")
	report := map[string]any{"agent": name, "layout": ref, "why": why, "config": to, "baselines": orEmpty(draft.Baselines), "dry_run": o.dryRun}
	if o.dryRun {
		old, _ := os.ReadFile(to)
		diff := udiff.Unified(to, to, string(old), string(out))
		if len(draft.Baselines) > 0 {
			diff += udiff.Unified(os.DevNull, source, "", string(text))
		}
		if a.json {
			report["diff"] = diff
			return a.printJSON(report)
		}
		a.diff(diff)
		return nil
	}
	if len(draft.Baselines) > 0 {
		if err := writeNewFile(source, text, 0o644); err != nil {
			return err
		}
	}
	if err := replaceFile(to, out); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(report)
	}
	a.printf("%s: %s (%s)\n", a.paint(bold, name), ref, strings.Join(why, "; "))
	a.printf("wrote %s\n", to)
	for _, b := range draft.Baselines {
		a.printf("wrote %s, a draft: %s as it stands (%d bytes)\n\nNext: read it, keep only what you stand for, then run `tend baseline approve %s`.\n", source, b.File, len(text), name)
		for _, advice := range draftAdvice(b.File, text) {
			a.printf("%s\n", a.wrapped("- "+advice, "  "))
		}
	}
	if len(draft.Baselines) == 0 && hot != "" {
		a.printf("\nNext: there is no %s to take as a baseline; `tend baseline draft %s` prints one to fill in.\n", hot, name)
	}
	a.afterInit(name, ref)
	return nil
}

// draftAdvice is what must be done to a draft before it can be a baseline.
func draftAdvice(file string, text []byte) (list []string) {
	_, end, ok := note.FindLine(text, note.Separator)
	switch {
	case !ok:
		list = append(list, "It has no line: as it is all of "+file+" would be yours, and every note the agent adds would be drift. End it with a line `---` and a heading for the notes.")
	case note.Lines(bytes.TrimSpace(text[end:])) > 1:
		list = append(list, "Below its last `---` stand notes: cut them from the draft, or every reset brings them back.")
	}
	if min := policy.BaselineMinBytes.Of(policy.Policy{}); len(text) < min {
		list = append(list, fmt.Sprintf("It has %d bytes; under %d (baseline.min_bytes) it is taken for damaged.", len(text), min))
	}
	return list
}

// afterInit says what else there is to do, so that nobody has to know the manual.
func (a *app) afterInit(name, ref string) {
	kind, _, _ := strings.Cut(ref, "@")
	if _, err := connect.Find(kind); err != nil {
		kind = "HARNESS"
	}
	a.printf("\nThen: `tend status` shows how it is, `tend connect %s --agent %s` gives the agent its memory tools.\n", kind, name)
}

// renderInit is the new tend.yaml, or the old one with the agent added.
func renderInit(to string, agent config.AgentDraft, env config.Env) ([]byte, error) {
	old, err := os.ReadFile(to)
	if err == nil {
		out, err := config.Append(to, old, agent, env)
		if err != nil {
			return nil, &exitError{code: exitUsage, err: err, hint: "--name gives the agent another name, --to names another file"}
		}
		return out, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	d := config.Draft{StateDir: "./state", Timezone: localZone(), Agents: []config.AgentDraft{agent}}
	out := config.Render(d)
	_, err = config.Parse(to, out, env)
	return out, err
}

// detect recognises the harness of a folder.
func detect(ws, given string) (ref string, why []string, err error) {
	if given != "" {
		return given, []string{"as told"}, nil
	}
	var paths []string
	err = filepath.WalkDir(ws, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read cannot tell either
		}
		rel, err := filepath.Rel(ws, p)
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || strings.Count(rel, string(filepath.Separator)) > 4) {
			return fs.SkipDir
		}
		if !d.IsDir() && len(paths) < 5000 {
			paths = append(paths, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		return "", nil, err
	}
	guesses, err := layout.Detect(paths, func(p string) []byte {
		name := filepath.Join(ws, filepath.FromSlash(p))
		if st, err := os.Stat(name); err != nil || !st.Mode().IsRegular() || st.Size() > 1<<20 {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil
		}
		return data
	})
	if err != nil {
		return "", nil, err
	}
	if len(guesses) == 0 {
		return "shepherd", []string{"no harness recognised: one memory file with a line in it"}, nil
	}
	return guesses[0].Ref, guesses[0].Reasons, nil
}

func agentName(ws string) string {
	base := strings.ToLower(filepath.Base(ws))
	if base == "workspace" || base == "memory" || strings.HasPrefix(base, ".") {
		base = strings.ToLower(strings.TrimLeft(filepath.Base(filepath.Dir(ws)), "."))
	}
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, base), "-")
}

func localZone() string {
	if name := time.Local.String(); name != "Local" {
		return name
	}
	if target, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(target, "zoneinfo/"); ok {
			return name
		}
	}
	return "UTC"
}

// writeNewFile makes a file that must not be there yet, durably.
func writeNewFile(name string, data []byte, perm fs.FileMode) error {
	return inFolder(name, func(t tree, base string) error {
		err := vault.WriteNew(t, vault.EachAlone{}, base, data, perm)
		if errors.Is(err, fs.ErrExist) {
			return &exitError{code: exitRefused, err: fmt.Errorf("%s is there already", name), hint: "move it away, or choose another --name"}
		}
		return err
	})
}

// replaceFile writes a file of the operator's, whole or not at all.
func replaceFile(name string, data []byte) error {
	return inFolder(name, func(t tree, base string) error {
		return vault.WriteOver(t, vault.EachAlone{}, base, data, 0o644)
	})
}
