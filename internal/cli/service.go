package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/config"
	"tend/internal/service"
)

type serviceOptions struct {
	timers, system, user bool
	prefix, runAs        string
	dryRun               bool
}

func newServiceCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "service", GroupID: groupSetup, Short: "Run Tend by itself: systemd or launchd",
		Long: `Install the keeper as a service, or timers for those who want no daemon.

As root the units are the machine's (/etc/systemd/system), else yours
(~/.config/systemd/user). Yours stop when you log out unless lingering is on:
loginctl enable-linger. Uninstalling removes only what install wrote and keeps
configuration, baselines, archives and state.`,
		Example: `  tend service install --dry-run     # look at the units first
  tend service install
  tend service install --timers
  tend service uninstall`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newServiceInstall(a), newServiceUninstall(a), newServiceStatus(a))
	return cmd
}

func (o *serviceOptions) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.prefix, "prefix", "", "`DIR` for the units, instead of the system's or the user's")
	f.BoolVar(&o.system, "system", false, "for the machine (default as root)")
	f.BoolVar(&o.user, "user", false, "for you alone (default otherwise)")
}

// place is where units go and whether they are the machine's.
func (o serviceOptions) place() (dir string, system bool, err error) {
	if o.system && o.user {
		return "", false, usagef("choose one", "--system and --user")
	}
	system = o.system || !o.user && os.Geteuid() == 0
	if o.prefix != "" {
		dir, err = filepath.Abs(o.prefix)
		return dir, system, err
	}
	if runtime.GOOS == "darwin" {
		home, err := os.UserHomeDir()
		return filepath.Join(home, "Library", "LaunchAgents"), false, err
	}
	if system {
		return "/etc/systemd/system", true, nil
	}
	conf, err := os.UserConfigDir()
	return filepath.Join(conf, "systemd", "user"), false, err
}

func newServiceInstall(a *app) *cobra.Command {
	var o serviceOptions
	cmd := &cobra.Command{
		Use: "install", Short: "Write and enable the units", Args: cobra.NoArgs,
		Example: "  tend service install --timers --dry-run",
		RunE:    func(*cobra.Command, []string) error { return runServiceInstall(a, o) },
	}
	o.add(cmd)
	cmd.Flags().BoolVar(&o.timers, "timers", false, "timers instead of the keeper")
	cmd.Flags().StringVar(&o.runAs, "run-as", "", "system units run as this `USER` (default: root, who can keep every file's owner)")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "print the units, write nothing")
	return cmd
}

func runServiceInstall(a *app, o serviceOptions) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	if len(cfg.Agents) == 0 {
		return usagef("`tend init DIR` adds one", cfg.Path+" has no agents")
	}
	dir, system, err := o.place()
	if err != nil {
		return err
	}
	bin, err := os.Executable()
	if err != nil {
		return err
	}
	so := service.Options{Binary: bin, Config: cfg, System: system, User: o.runAs}
	if err := service.Check(so); err != nil {
		return usage(err)
	}
	units := service.Keeper(so)
	switch {
	case runtime.GOOS == "darwin":
		units = []service.Unit{service.Launchd(so)}
	case o.timers:
		if units, err = service.Timers(so); err != nil {
			return usage(err)
		}
	}
	if o.dryRun && a.json {
		return a.printJSON(unitsReport(dir, units, o))
	}
	if o.dryRun {
		for _, u := range units {
			a.printf("%s\n%s\n", a.paint(bold, "# "+filepath.Join(dir, u.Name)), u.Text)
		}
		return nil
	}
	for _, u := range units {
		name := filepath.Join(dir, u.Name)
		if old, err := os.ReadFile(name); err == nil && !ours(old) {
			return &exitError{code: exitRefused, err: fmt.Errorf("%s is there and was not written by tend", name), hint: "move it away, or choose another --prefix"}
		}
	}
	if err := makePlaces(cfg, o.runAs); err != nil {
		return err
	}
	for _, u := range units {
		if err := replaceFile(filepath.Join(dir, u.Name), []byte(u.Text)); err != nil {
			return err
		}
	}
	if !a.json {
		return a.enable(o, dir, system, units)
	}
	said := *a
	said.out = io.Discard
	if err := said.enable(o, dir, system, units); err != nil {
		return err
	}
	return a.printJSON(unitsReport(dir, units, o))
}

// unitsReport is what install tells programs.
func unitsReport(dir string, units []service.Unit, o serviceOptions) any {
	type unit struct {
		Name string `json:"name"`
		Text string `json:"text"`
	}
	report := struct {
		Folder  string `json:"folder"`
		Units   []unit `json:"units"`
		Started bool   `json:"started"`
		DryRun  bool   `json:"dry_run"`
	}{Folder: dir, Started: !o.dryRun && o.prefix == "" && systemdRuns(), DryRun: o.dryRun}
	for _, u := range units {
		report.Units = append(report.Units, unit{u.Name, u.Text})
	}
	return report
}

// makePlaces makes the folders that a unit may write to and nobody made yet: shut in, it
// could not.
func makePlaces(cfg *config.Config, runAs string) error {
	for _, dir := range []string{cfg.StateDir, cfg.ArchiveDir} {
		if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := makeState(dir); err != nil {
			return err
		}
		if runAs == "" {
			continue
		}
		u, err := user.Lookup(runAs)
		if err != nil {
			return usage(fmt.Errorf("--run-as: %w", err))
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		if err := os.Chown(dir, uid, gid); err != nil {
			return err
		}
	}
	return nil
}

func ours(text []byte) bool {
	return bytes.Contains(text, []byte(strings.TrimPrefix(service.Mark, "# ")))
}

// enable starts what should run, if there is a systemd to ask and the units are where it looks.
func (a *app) enable(o serviceOptions, dir string, system bool, units []service.Unit) error {
	a.printf("wrote %s to %s\n", count(len(units), "unit"), dir)
	var start, later []string
	for _, u := range units {
		switch {
		case u.Enable:
			start = append(start, u.Name)
		case strings.HasSuffix(u.Name, ".timer"):
			later = append(later, u.Name)
		}
	}
	ctl := systemctl(system)
	if o.prefix != "" || !systemdRuns() {
		a.printf("\nTo start it: %s daemon-reload && %s enable --now %s\n", ctl, ctl, strings.Join(start, " "))
	} else {
		for _, args := range [][]string{{"daemon-reload"}, append([]string{"enable", "--now"}, start...)} {
			cmd := exec.Command("systemctl", append(scope(system), args...)...)
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("systemctl %s: %w: %s", args[0], err, bytes.TrimSpace(out))
			}
		}
		a.printf("enabled and started %s\n", strings.Join(start, ", "))
	}
	if len(later) > 0 {
		a.printf("\nEach agent also has a timer of its own, not enabled: %s enable --now %s\n", ctl, later[0])
	}
	if !system && runtime.GOOS == "linux" {
		a.printf("\nUser services end with your last session. To keep them: loginctl enable-linger\n")
	}
	return nil
}

func scope(system bool) []string {
	if system {
		return nil
	}
	return []string{"--user"}
}

func systemctl(system bool) string {
	return strings.Join(append([]string{"systemctl"}, scope(system)...), " ")
}

// systemdRuns: booted with systemd, as sd_booted(3) finds out.
func systemdRuns() bool {
	st, err := os.Stat("/run/systemd/system")
	return err == nil && st.IsDir()
}

func newServiceUninstall(a *app) *cobra.Command {
	var o serviceOptions
	cmd := &cobra.Command{
		Use: "uninstall", Short: "Remove what install wrote, keep all data", Args: cobra.NoArgs,
		Example: "  tend service uninstall",
		RunE: func(*cobra.Command, []string) error {
			dir, system, err := o.place()
			if err != nil {
				return err
			}
			names, err := installed(dir)
			if err != nil {
				return err
			}
			report := map[string]any{"folder": dir, "removed": orEmpty(names), "dry_run": o.dryRun}
			if a.json && (o.dryRun || len(names) == 0) {
				return a.printJSON(report)
			}
			if len(names) == 0 {
				a.printf("There is nothing of tend's in %s.\n", dir)
				return nil
			}
			if o.dryRun {
				a.printf("would remove %s\n", strings.Join(names, ", "))
				return nil
			}
			if o.prefix == "" && systemdRuns() {
				for _, n := range names {
					_ = exec.Command("systemctl", append(scope(system), "disable", "--now", n)...).Run()
				}
			}
			for _, n := range names {
				if err := os.Remove(filepath.Join(dir, n)); err != nil {
					return err
				}
			}
			if o.prefix == "" && systemdRuns() {
				_ = exec.Command("systemctl", append(scope(system), "daemon-reload")...).Run()
			}
			if a.json {
				return a.printJSON(report)
			}
			a.printf("removed %s from %s; configuration, baselines, archives and state are kept\n", count(len(names), "unit"), dir)
			return nil
		},
	}
	o.add(cmd)
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "only say what would be removed")
	return cmd
}

// installed lists the units that install wrote: by their mark, not by their names.
func installed(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "tend") || !e.Type().IsRegular() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		if ours(text) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func newServiceStatus(a *app) *cobra.Command {
	var o serviceOptions
	cmd := &cobra.Command{
		Use: "status", Short: "What is installed, and whether it runs", Args: cobra.NoArgs,
		Example: "  tend service status",
		RunE: func(*cobra.Command, []string) error {
			dir, system, err := o.place()
			if err != nil {
				return err
			}
			names, err := installed(dir)
			if err != nil {
				return err
			}
			type row struct {
				Unit  string `json:"unit"`
				State string `json:"state"`
			}
			rows := []row{}
			var cells [][]cell
			for _, n := range names {
				state := "installed"
				if o.prefix == "" && systemdRuns() {
					out, _ := exec.Command("systemctl", append(scope(system), "is-active", n)...).Output()
					state = strings.TrimSpace(string(out))
				}
				rows = append(rows, row{n, state})
				cells = append(cells, []cell{{n, bold}, {state, ""}})
			}
			switch {
			case a.json:
				return a.printJSON(rows)
			case len(rows) == 0:
				a.printf("Nothing is installed in %s. `tend service install` does it.\n", dir)
			default:
				a.table([]string{"unit", "state"}, cells)
			}
			return nil
		},
	}
	o.add(cmd)
	return cmd
}
