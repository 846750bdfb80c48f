package cli

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"tend/internal/app/service"
	"tend/internal/model/textfmt"
)

func newServiceCommand(a *app) *cobra.Command {
	return group("service", newServiceInstall(a), newServiceUninstall(a), newServiceStatus(a))
}

func addUnitDirs(cmd *cobra.Command, p *service.UnitDirs) {
	f := cmd.Flags()
	f.StringVar(&p.Prefix, "prefix", "", "`DIR` for the units, instead of the system's or the user's")
	f.BoolVar(&p.System, "system", false, "for the machine (default as root)")
	f.BoolVar(&p.User, "user", false, "for you alone (default otherwise)")
}

func newServiceInstall(a *app) *cobra.Command {
	var req service.InstallRequest
	cmd := a.command("install", func(_ context.Context, _ []string) error { return runServiceInstall(a, req) })
	addUnitDirs(cmd, &req.UnitDirs)
	cmd.Flags().BoolVar(&req.Timers, "timers", false, "timers instead of the keeper")
	cmd.Flags().StringVar(&req.RunAs, "run-as", "", "system units run as this `USER` (default: root, who can keep every file's owner)")
	cmd.Flags().BoolVarP(&req.DryRun, "dry-run", "n", false, "print the units, write nothing")
	return cmd
}

func runServiceInstall(a *app, req service.InstallRequest) error {
	cfg, err := a.config()
	if err != nil {
		return err
	}
	out, err := service.Install(cfg, req)
	if err != nil {
		return err
	}
	return a.emit(out, func() { printInstalled(&a.printer, out) })
}

func printInstalled(pr *printer, out service.Installed) {
	if out.DryRun {
		for _, u := range out.Units {
			pr.printf("%s\n%s\n", pr.paint(bold, "# "+filepath.Join(out.Folder, u.Name)), u.Text)
		}
		return
	}
	pr.printf("wrote %s to %s\n", textfmt.Count(len(out.Units), "unit"), out.Folder)
	switch {
	case out.Started:
		pr.printf("enabled and started %s\n", strings.Join(out.Enable, ", "))
	case out.Start != "":
		pr.printf("\nTo start it: %s\n", out.Start)
	default:
		pr.printf("\nTo start it: %s daemon-reload && %[1]s enable --now %s\n", out.Control, strings.Join(out.Enable, " "))
	}
	for _, name := range out.Former {
		pr.printf("removed %s of the other mode\n", name)
	}
	if out.PerUser {
		pr.printf("\nUser services end with your last session. To keep them: loginctl enable-linger\n")
	}
}

func newServiceUninstall(a *app) *cobra.Command {
	var place service.UnitDirs
	var dryRun bool
	cmd := a.command("uninstall", func(_ context.Context, _ []string) error {
		out, err := service.Uninstall(place, dryRun)
		if err != nil {
			return err
		}
		return a.emit(out, func() { printUninstalled(&a.printer, out) })
	})
	addUnitDirs(cmd, &place)
	cmd.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "only print what would be removed")
	return cmd
}

func printUninstalled(pr *printer, out service.Removed) {
	switch {
	case len(out.Removed) == 0:
		pr.printf("Tend has no units in %s.\n", out.Folder)
	case out.DryRun:
		pr.printf("would remove %s\n", strings.Join(out.Removed, ", "))
	default:
		pr.printf("removed %s from %s; configuration, baselines, archives and state are kept\n", textfmt.Count(len(out.Removed), "unit"),
			out.Folder)
	}
}

func newServiceStatus(a *app) *cobra.Command {
	var place service.UnitDirs
	cmd := a.command("status", func(_ context.Context, _ []string) error {
		dir, units, err := service.Status(place)
		if err != nil {
			return err
		}
		return a.emit(units, func() {
			if len(units) == 0 {
				a.printf("Nothing is installed in %s. `tend service install` does it.\n", dir)
				return
			}
			var cells [][]cell
			for _, u := range units {
				cells = append(cells, []cell{{u.Unit, bold}, {u.State, ""}})
			}
			a.table([]string{"unit", "state"}, cells)
		})
	})
	addUnitDirs(cmd, &place)
	return cmd
}
