package setup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tend/internal/engine/fleet"
)

// TestExportLeavesOutWhatItCannotCarry: a file name does not stop an export; the file is named, and the rest arrives.
func TestExportLeavesOutWhatItCannotCarry(t *testing.T) {
	v, _ := lived(t, 1)
	odd := []string{`a\b.md`, "a\nb.md", "\xff.md", strings.Repeat("x", 240) + ".md"}
	for _, name := range odd {
		must(t, os.WriteFile(filepath.Join(v.dir, "ws", name), []byte("- odd\n"), 0o600))
	}
	cfg, err := v.load()
	must(t, err)
	file := filepath.Join(t.TempDir(), "scout.tend")
	v.with(func(a *fleet.Agent) error {
		out, err := Export(t.Context(), cfg, a, ExportRequest{File: file, Version: "1", Who: "test"})
		for _, name := range odd {
			if out.LeftOut[name] == "" {
				t.Errorf("%q is neither packed nor named", name)
			}
		}
		return err
	})
	to := t.TempDir()
	must(t, os.WriteFile(filepath.Join(to, "tend.yaml"), []byte("version: 1\nstate_dir: ./state\n"), 0o600))
	w := traveller{t: t, dir: to, ws: "ws", now: v.now}
	_, err = Unpack(UnpackRequest{File: file, ConfigPath: filepath.Join(to, "tend.yaml"), Config: w.load,
		Workspace: filepath.Join(to, "ws"), Who: "test",
		Clock: func() time.Time { return v.now }})
	must(t, err)
	was := v.files()
	for _, name := range odd {
		delete(was, name)
	}
	if got := w.files(); len(got) != len(was) {
		t.Errorf("%d of %d files arrived", len(got), len(was))
	}
}

// TestAPackageLowersNoProtection: what decides about the guard, the automation, the curator and the baselines stays
// out of tend.yaml and is named, unless the operator asks for it.
func TestAPackageLowersNoProtection(t *testing.T) {
	v, _ := lived(t, 1)
	name := filepath.Join(v.dir, "tend.yaml")
	text, err := os.ReadFile(name)
	must(t, err)
	lower := map[string]string{"guard.zone": "report", "guard.baseline": "hold", "automation": "off", "baseline.min_bytes": "0",
		"secrets": "off", "protocol": "layered", "workspace.mounts": "follow", "context.untrusted": "give", "schedule.nightly": "off",
		"prune.immunity": "1h", "watch.quiet": "1m", "file.max_read": "1MB"}
	var set strings.Builder
	for k, val := range lower {
		set.WriteString(k + `: "` + val + `", `)
	}
	must(t, os.WriteFile(name, []byte(strings.Replace(string(text), "policy: {", "policy: {"+set.String(), 1)), 0o600))
	cfg, err := v.load()
	must(t, err)
	file := filepath.Join(t.TempDir(), "scout.tend")
	v.with(func(a *fleet.Agent) error {
		_, err := Export(t.Context(), cfg, a, ExportRequest{File: file, Version: "1", Who: "test"})
		return err
	})
	for _, asked := range []bool{false, true} {
		to := t.TempDir()
		must(t, os.WriteFile(filepath.Join(to, "tend.yaml"), []byte("version: 1\nstate_dir: ./state\n"), 0o600))
		w := traveller{t: t, dir: to, ws: "ws", now: v.now}
		out, err := Unpack(UnpackRequest{File: file, ConfigPath: filepath.Join(to, "tend.yaml"), Config: w.load,
			Workspace: filepath.Join(to, "ws"), Who: "test",
			Clock: func() time.Time { return v.now }, Settings: asked})
		must(t, err)
		now, err := os.ReadFile(filepath.Join(to, "tend.yaml"))
		must(t, err)
		for key := range lower {
			taken := strings.Contains(string(now), key)
			told := slices.ContainsFunc(out.Withheld, func(s string) bool { return strings.HasPrefix(s, key+":") })
			if taken != asked || told == asked {
				t.Errorf("asked for: %v; %s: taken %v, withheld %v", asked, key, taken, out.Withheld)
			}
		}
		if !strings.Contains(string(now), "trash.retention") {
			t.Error("a setting that protects nothing was not taken")
		}
	}
}

// TestAPackageBringsNoLayout: a layout sets policies, too, among them a program to run, and what a session is told. It is named,
// the preset that it extends takes its place, unless the operator asks for it or has it already.
func TestAPackageBringsNoLayout(t *testing.T) {
	v, _ := lived(t, 1)
	name := filepath.Join(v.dir, "tend.yaml")
	text, err := os.ReadFile(name)
	must(t, err)
	const own = "layouts:\n  mine:\n    extends: openclaw@2026.8\n    policy:\n      curator: [touch, x]\n      guard.zone: report\n" +
		"    context:\n      parts:\n        - {show: hot, heading: \"# The operator says\"}\n"
	changed := strings.Replace(string(text), "workspace: ./ws", "workspace: ./ws\n    layout: mine", 1) + own
	must(t, os.WriteFile(name, []byte(changed), 0o600))
	cfg, err := v.load()
	must(t, err)
	file := filepath.Join(t.TempDir(), "scout.tend")
	v.with(func(a *fleet.Agent) error {
		_, err := Export(t.Context(), cfg, a, ExportRequest{File: file, Version: "1", Who: "test"})
		return err
	})
	for _, asked := range []bool{false, true} {
		for _, has := range []string{"", own, strings.Replace(own, "touch", "echo", 1)} {
			to := t.TempDir()
			must(t, os.WriteFile(filepath.Join(to, "tend.yaml"), []byte("version: 1\nstate_dir: ./state\n"+has), 0o600))
			w := traveller{t: t, dir: to, ws: "ws", now: v.now}
			out, err := Unpack(UnpackRequest{File: file, ConfigPath: filepath.Join(to, "tend.yaml"), Config: w.load,
				Workspace: filepath.Join(to, "ws"), Who: "test", Clock: func() time.Time { return v.now }, Settings: asked})
			must(t, err)
			now, err := w.load()
			must(t, err)
			got, want := now.Agents[0].Layout.Ref(), "openclaw@2026.8"
			switch {
			case has == own, asked && has == "":
				want = "mine"
			case asked:
				want = "mine-scout"
			}
			told := slices.ContainsFunc(out.Withheld, func(s string) bool { return strings.HasPrefix(s, "layout mine") })
			if got != want || told != (want == "openclaw@2026.8") {
				t.Errorf("asked %v, has %.60q: layout %s, want %s; withheld %v", asked, has, got, want, out.Withheld)
			}
		}
	}
}
