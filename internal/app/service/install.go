package service

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/model/usererr"
)

// UnitDirs says where units go.
type UnitDirs struct {
	Prefix       string // another folder, for review or packaging; nothing is started from there
	System, User bool   // for the machine or for one user; neither: for the machine if run as root
}

// resolve returns the folder for units, and whether they are system units.
func (p UnitDirs) resolve() (dir string, system bool, err error) {
	if p.System && p.User {
		return "", false, usererr.Usagef("choose one of them", "--system and --user exclude each other")
	}
	system = p.System || !p.User && os.Geteuid() == 0
	if p.Prefix != "" {
		dir, err = filepath.Abs(p.Prefix)
		return dir, system, err
	}
	switch runtime.GOOS {
	case "darwin":
		home, err := os.UserHomeDir()
		return filepath.Join(home, "Library", "LaunchAgents"), false, err
	case "windows":
		local, err := os.UserCacheDir() // %LocalAppData%
		return filepath.Join(local, "tend"), false, err
	}
	if system {
		return "/etc/systemd/system", true, nil
	}
	conf, err := os.UserConfigDir()
	return filepath.Join(conf, "systemd", "user"), false, err
}

// isRead reports whether a service manager reads units from this place.
func (p UnitDirs) isRead() bool { return p.Prefix == "" && systemdRuns() }

// InstallRequest asks to write and start units.
type InstallRequest struct {
	UnitDirs
	Timers bool   // timers instead of the keeper
	RunAs  string // system units run as this user
	DryRun bool
}

// Installed is the result of Install.
type Installed struct {
	Folder  string `json:"folder"`
	Units   []Unit `json:"units"`
	Started bool   `json:"started"`
	DryRun  bool   `json:"dry_run"`
	// Control is the systemctl command for these units; Enable are those that start at boot.
	Control string   `json:"-"`
	Enable  []string `json:"-"`
	Former  []string `json:"former,omitempty"` // units of another mode, removed
	PerUser bool     `json:"-"`                // they stop when the user's last session ends
	Start   string   `json:"-"`                // the command that starts them where there is no systemd
}

// Install writes the units and starts them if a service manager reads them there.
func Install(cfg *config.Config, req InstallRequest) (out Installed, err error) {
	if len(cfg.Agents) == 0 {
		return out, usererr.Usagef("`tend init DIR` adds one", "%s has no agents", cfg.Path)
	}
	dir, system, err := req.resolve()
	if err != nil {
		return out, err
	}
	bin, err := os.Executable()
	if err != nil {
		return out, err
	}
	if req.RunAs != "" {
		if _, err := user.Lookup(req.RunAs); err != nil {
			return out, usererr.Usage(fmt.Errorf("--run-as: %w", err))
		}
	}
	if req.Prefix != "" && !req.System && !req.User && strings.HasSuffix(filepath.Clean(dir), filepath.Join("systemd", "user")) {
		system = false // only the user's systemd reads units there
	}
	o := Options{Binary: bin, Config: cfg, System: system, User: req.RunAs}
	if err := Check(o); err != nil {
		return out, usererr.Usage(err)
	}
	units := unitsFor(o, req.Timers)
	out = Installed{
		Folder: dir, Units: units, DryRun: req.DryRun, Started: !req.DryRun && req.isRead(),
		Control: systemctlCommand(system), PerUser: !system && runtime.GOOS == "linux",
		Start: startCommand(filepath.Join(dir, units[0].Name)),
	}
	for _, u := range units {
		if u.Enable {
			out.Enable = append(out.Enable, u.Name)
		}
	}
	had, err := installedUnits(dir)
	if err != nil {
		return out, err
	}
	for _, name := range had {
		if !slices.ContainsFunc(units, func(u Unit) bool { return u.Name == name }) {
			out.Former = append(out.Former, name)
		}
	}
	if req.DryRun {
		return out, nil
	}
	return out, out.writeUnits(cfg, req, system)
}

// unitsFor returns the units of this operating system's service manager.
func unitsFor(o Options, timers bool) []Unit {
	switch {
	case runtime.GOOS == "darwin":
		return []Unit{Launchd(o)}
	case runtime.GOOS == "windows":
		return []Unit{Task(o)}
	case timers:
		return Timers(o)
	}
	return Keeper(o)
}

// startCommand returns the command that starts a unit where Install cannot; "" under systemd.
func startCommand(unit string) string {
	switch runtime.GOOS {
	case "darwin":
		return fmt.Sprintf("launchctl load -w %q", unit)
	case "windows":
		return fmt.Sprintf(`schtasks /Create /TN %s /XML "%s"`, TaskName, unit)
	}
	return ""
}

// writeUnits writes the units, removes those of another mode, and starts what is to run.
func (i Installed) writeUnits(cfg *config.Config, req InstallRequest, system bool) error {
	for _, u := range i.Units {
		name := filepath.Join(i.Folder, u.Name)
		if old, err := fsys.ReadFile(name); err == nil && !isOurs(old) {
			return usererr.Refusef("move it away, or choose another --prefix", "%s exists and was not written by tend", name)
		}
	}
	if err := makeDirs(cfg, req.RunAs); err != nil {
		return err
	}
	if err := removeUnits(i.Folder, i.Former, system, i.Started); err != nil {
		return err
	}
	for _, u := range i.Units {
		if err := vault.ReplaceFile(filepath.Join(i.Folder, u.Name), []byte(u.Text), 0o644); err != nil {
			return err
		}
	}
	if !i.Started {
		return nil
	}
	for _, args := range [][]string{{"daemon-reload"}, append([]string{"enable", "--now"}, i.Enable...)} {
		cmd := exec.Command("systemctl", append(scopeFlag(system), args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("systemctl %s: %w: %s", args[0], err, bytes.TrimSpace(out))
		}
	}
	return nil
}

// makeDirs creates missing folders that a unit may write to: a hardened unit could not.
func makeDirs(cfg *config.Config, runAs string) error {
	for _, dir := range []string{cfg.StateDir, cfg.ArchiveDir} {
		if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := fsys.MakeFolder(dir, 0o700); err != nil {
			return fmt.Errorf("make state folder: %w", err)
		}
		if runAs == "" {
			continue
		}
		u, err := user.Lookup(runAs)
		if err != nil {
			return usererr.Usage(fmt.Errorf("--run-as: %w", err))
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		if err := changeOwner(dir, uid, gid); err != nil {
			return err
		}
	}
	return nil
}

// changeOwner changes a folder's owner.
func changeOwner(dir string, uid, gid int) error {
	t, err := fsys.Dir(filepath.Dir(dir))
	if err != nil {
		return err
	}
	return errors.Join(t.Chown(filepath.Base(dir), uid, gid), t.Close())
}

// Removed is the result of Uninstall.
type Removed struct {
	Folder  string   `json:"folder"`
	Removed []string `json:"removed"`
	DryRun  bool     `json:"dry_run"`
}

// Uninstall removes what Install wrote and nothing else.
func Uninstall(p UnitDirs, dryRun bool) (Removed, error) {
	dir, system, err := p.resolve()
	if err != nil {
		return Removed{}, err
	}
	names, err := installedUnits(dir)
	out := Removed{Folder: dir, Removed: names, DryRun: dryRun}
	if err != nil || dryRun || len(names) == 0 {
		return out, err
	}
	return out, removeUnits(dir, names, system, p.isRead())
}

// removeUnits removes units, after stopping them if they are live.
func removeUnits(dir string, names []string, system, live bool) error {
	if live {
		for _, n := range names {
			_ = exec.Command("systemctl", append(scopeFlag(system), "disable", "--now", n)...).Run()
		}
	}
	for _, n := range names {
		if err := vault.RemoveFile(filepath.Join(dir, n)); err != nil {
			return err
		}
	}
	if live && len(names) > 0 {
		_ = exec.Command("systemctl", append(scopeFlag(system), "daemon-reload")...).Run()
	}
	return nil
}

// UnitState is an installed unit and whether it runs.
type UnitState struct {
	Unit  string `json:"unit"`
	State string `json:"state"`
}

// Status lists what is installed.
func Status(p UnitDirs) (dir string, list []UnitState, err error) {
	dir, system, err := p.resolve()
	if err != nil {
		return dir, nil, err
	}
	names, err := installedUnits(dir)
	list = []UnitState{}
	for _, n := range names {
		state := "installed"
		if p.isRead() {
			out, _ := exec.Command("systemctl", append(scopeFlag(system), "is-active", n)...).Output()
			state = strings.TrimSpace(string(out))
		}
		list = append(list, UnitState{n, state})
	}
	return dir, list, err
}

// installedUnits lists the units that Install wrote, by their mark, not their names.
func installedUnits(dir string) ([]string, error) {
	names := []string{}
	entries, err := fsys.ReadFolder(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return names, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "tend") || !e.Type().IsRegular() {
			continue
		}
		text, err := fsys.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		if isOurs(text) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

func isOurs(text []byte) bool { return bytes.Contains(text, []byte(strings.TrimPrefix(Mark, "# "))) }

func scopeFlag(system bool) []string {
	if system {
		return nil
	}
	return []string{"--user"}
}

func systemctlCommand(system bool) string {
	return strings.Join(append([]string{"systemctl"}, scopeFlag(system)...), " ")
}

// systemdRuns reports whether the machine was booted with systemd, as sd_booted(3) does.
func systemdRuns() bool {
	st, err := os.Stat("/run/systemd/system")
	return err == nil && st.IsDir()
}
