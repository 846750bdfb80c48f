package service_test

import (
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/config"
	"tend/internal/service"
)

var update = flag.Bool("update", false, "write the golden files")

// fleet is a configuration of n agents.
func fleet(t *testing.T, n int, extra string) *config.Config {
	t.Helper()
	var b strings.Builder
	b.WriteString("version: 1\nstate_dir: /srv/tend/state\n" + extra + "defaults: {layout: shepherd, timezone: UTC}\nagents:\n")
	for i := range n {
		fmt.Fprintf(&b, "  agent%03d:\n    workspace: /srv/agents/agent%03d\n    baselines: {MEMORY.md: /srv/tend/baselines/%03d.md}\n", i, i, i)
	}
	cfg, err := config.Parse("/srv/tend/tend.yaml", []byte(b.String()), config.Env{Get: func(string) string { return "" }, Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func units(t *testing.T, o service.Options, timers bool) []service.Unit {
	t.Helper()
	if !timers {
		return service.Keeper(o)
	}
	list, err := service.Timers(o)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestGolden(t *testing.T) {
	for _, n := range []int{1, 7, 60, 500} {
		for _, timers := range []bool{false, true} {
			o := service.Options{Binary: "/usr/local/bin/tend", Config: fleet(t, n, ""), System: true}
			var b strings.Builder
			for i, u := range units(t, o, timers) {
				// Of many timers the first, some in the middle and the last tell all.
				if i < 12 || i%100 < 2 || i > 2*n {
					fmt.Fprintf(&b, "-- %s enable=%v --\n%s\n", u.Name, u.Enable, u.Text)
				}
			}
			compare(t, fmt.Sprintf("testdata/%d-timers-%v.txt", n, timers), b.String())
		}
	}
	compare(t, "testdata/launchd.txt", service.Launchd(service.Options{Binary: "/Applications/My Tools/tend", Config: fleet(t, 1, "")}).Text)
}

// TestLaunchdKeepsAnyPath reads the property list back as XML.
func TestLaunchdKeepsAnyPath(t *testing.T) {
	binary := `/opt/a & b <c> "d" 'e' ]]>&amp;/tend`
	var list struct {
		Args []string `xml:"dict>array>string"`
	}
	if err := xml.Unmarshal([]byte(service.Launchd(service.Options{Binary: binary, Config: fleet(t, 1, "")}).Text), &list); err != nil {
		t.Fatal(err)
	}
	want := []string{binary, "--config", "/srv/tend/tend.yaml", "up"}
	if diff := cmp.Diff(want, list.Args); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

// Seven agents at ten minutes each were too many for the old tool: the seventh
// got minute 60, which systemd refuses.
func TestSystemdAcceptsTheUnits(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Fatal("systemd-analyze is missing: `make setup` installs it")
	}
	bin := filepath.Join(t.TempDir(), "a tend")
	if err := os.WriteFile(bin, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 7, 60, 500} {
		for _, timers := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d/timers=%v", n, timers), func(t *testing.T) {
				dir := t.TempDir()
				args := []string{"verify", "--man=no"}
				for _, u := range units(t, service.Options{Binary: bin, Config: fleet(t, n, ""), System: true}, timers) {
					name := filepath.Join(dir, u.Name)
					if err := os.WriteFile(name, []byte(u.Text), 0o644); err != nil {
						t.Fatal(err)
					}
					args = append(args, name)
				}
				out, err := exec.Command(analyze, args...).CombinedOutput()
				if err != nil || len(strings.TrimSpace(string(out))) > 0 {
					t.Errorf("systemd-analyze verify: %v\n%.2000s", err, out)
				}
			})
		}
	}
}

func TestExposureIsLow(t *testing.T) {
	for _, user := range []string{"", "tend"} {
		dir := t.TempDir()
		u := service.Keeper(service.Options{Binary: "/usr/bin/true", Config: fleet(t, 3, ""), System: true, User: user})[0]
		name := filepath.Join(dir, u.Name)
		if err := os.WriteFile(name, []byte(u.Text), 0o644); err != nil {
			t.Fatal(err)
		}
		// Fails with status 1 above the threshold, which is in tenths.
		out, err := exec.Command("systemd-analyze", "security", "--offline=true", "--threshold=25", name).CombinedOutput()
		if err != nil {
			t.Errorf("user %q: %v\n%s", user, err, out)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		t.Logf("user %q: %s", user, lines[len(lines)-1])
	}
}

func TestTurnsAreApartAndValid(t *testing.T) {
	for _, n := range []int{1, 2, 7, 18, 19, 60, 200, 500} {
		seen := map[string]bool{}
		for _, u := range units(t, service.Options{Binary: "/bin/tend", Config: fleet(t, n, ""), System: true}, true) {
			_, when, ok := strings.Cut(u.Text, "OnCalendar=")
			if !ok || !strings.HasPrefix(u.Name, "tend-reset-") {
				continue
			}
			when, _, _ = strings.Cut(when, "\n")
			if seen[when] {
				t.Errorf("%d agents: two fire at %s", n, when)
			}
			seen[when] = true
		}
		if len(seen) != n {
			t.Errorf("%d agents have %d turns", n, len(seen))
		}
	}
}
