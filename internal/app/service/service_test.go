package service_test

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/app/service"
	"tend/internal/engine/config"
	"tend/test/require"
)

var must = require.NoError

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
	must(t, err)
	return cfg
}

func units(t *testing.T, o service.Options, timers bool) []service.Unit {
	t.Helper()
	if !timers {
		return service.Keeper(o)
	}
	return service.Timers(o)
}

func TestGolden(t *testing.T) {
	for _, n := range []int{1, 7} {
		for _, timers := range []bool{false, true} {
			o := service.Options{Binary: "/usr/local/bin/tend", Config: fleet(t, n, ""), System: true}
			var b strings.Builder
			for i, u := range units(t, o, timers) {
				// Of many timers, compare the first, some in the middle and the last.
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
		must(t, os.WriteFile(name, []byte(got), 0o644))
	}
	want, err := os.ReadFile(name)
	must(t, err)
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

// TestPathsAreQuoted: spaces, quotes and systemd's special characters in paths are taken literally.
func TestPathsAreQuoted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), `a b%c "d" 'e' \f $g%%h`)
	for _, sub := range []string{"", "state", "ws x", "ba%n"} {
		must(t, os.MkdirAll(filepath.Join(dir, sub), 0o755))
	}
	plain := t.TempDir()
	bin := filepath.Join(plain, "te nd%h")
	must(t, os.WriteFile(bin, []byte("#!/bin/sh\n"), 0o755))
	cfg, err := config.Parse(filepath.Join(dir, "tend.yaml"),
		[]byte("version: 1\nstate_dir: ./state\ndefaults: {layout: shepherd, timezone: UTC}\nagents:\n"+
			"  a: {workspace: './ws x', baselines: {MEMORY.md: './ba%n/a.md'}}\n"),
		config.Env{Get: func(string) string { return "" }, Dir: "/"})
	must(t, err)
	o := service.Options{Binary: bin, Config: cfg, System: true}
	must(t, service.Check(o))
	analyze := require.Program(t, "systemd-analyze")
	for _, timers := range []bool{false, true} {
		for _, scope := range []string{"--system", "--user"} {
			out := t.TempDir()
			args := []string{scope, "verify", "--man=no"}
			for _, u := range units(t, o, timers) {
				name := filepath.Join(out, u.Name)
				must(t, os.WriteFile(name, []byte(u.Text), 0o644))
				args = append(args, name)
			}
			cmd := exec.Command(analyze, args...)
			cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
			if said, err := cmd.CombinedOutput(); err != nil || len(strings.TrimSpace(string(said))) > 0 {
				t.Errorf("timers %v, %s: %v\n%.2000s", timers, scope, err, said)
			}
		}
	}
	for _, bad := range []string{"/opt/a\nExecStart=/bin/evil", "/opt/$tend"} {
		if err := service.Check(service.Options{Binary: bad, Config: cfg}); err == nil {
			t.Errorf("%q was accepted as a path", bad)
		}
	}
}

// TestNetworkIsOpenWhereItIsNeeded: the unit has no network only if the configuration needs none.
func TestNetworkIsOpenWhereItIsNeeded(t *testing.T) {
	for extra, shut := range map[string]bool{
		"": true,
		"alerts: {webhook: 'https://hooks.example/x'}\n":                         false,
		"alerts: {command: [/usr/bin/page]}\n":                                   false,
		"keeper: {listen: '0.0.0.0:7433', tls: {cert: ./c.pem, key: ./k.pem}}\n": false,
		"keeper: {listen: 'localhost:7433'}\n":                                   true,
	} {
		u := service.Keeper(service.Options{Binary: "/usr/bin/tend", Config: fleet(t, 1, extra), System: true})[0]
		if got := strings.Contains(u.Text, "IPAddressDeny=any"); got != shut {
			t.Errorf("with %q no network: %v, want %v", extra, got, shut)
		}
	}
}

// TestPrivateTmpHidesNothing: PrivateTmp is off if a folder is in /tmp.
func TestPrivateTmpHidesNothing(t *testing.T) {
	for dir, private := range map[string]bool{"/srv/tend": true, "/tmp/tend": false, "/var/tmp/tend": false} {
		cfg, err := config.Parse(dir+"/tend.yaml",
			[]byte("version: 1\nstate_dir: ./state\ndefaults: {layout: shepherd, timezone: UTC}\nagents: {a: {workspace: ./ws}}\n"),
			config.Env{Get: func(string) string { return "" }, Dir: "/"})
		must(t, err)
		if got := strings.Contains(service.Keeper(service.Options{Binary: "/usr/bin/tend", Config: cfg})[0].Text,
			"PrivateTmp=yes"); got != private {
			t.Errorf("%s: PrivateTmp %v, want %v", dir, got, private)
		}
	}
}

// TestLaunchd parses the property list: keys and values in turn.
func TestLaunchd(t *testing.T) {
	text := service.Launchd(service.Options{Binary: "/Applications/My <Tools> & more/tend", Config: fleet(t, 1, "")}).Text
	d := xml.NewDecoder(strings.NewReader(text))
	var keys, args []string
	depth, key := 0, ""
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not XML: %v\n%s", err, text)
		}
		switch x := tok.(type) {
		case xml.StartElement:
			depth++
			if depth > 3 && !slices.Contains([]string{"string", "key", "true", "false"}, x.Name.Local) {
				t.Errorf("%s at depth %d", x.Name.Local, depth)
			}
			if x.Name.Local == "key" || x.Name.Local == "string" {
				var value string
				must(t, d.DecodeElement(&value, &x))
				depth--
				if x.Name.Local == "key" && depth == 2 {
					key = value
					keys = append(keys, value)
				} else if key == "ProgramArguments" {
					args = append(args, value)
				}
			}
		case xml.EndElement:
			depth--
		}
	}
	if want := []string{"Label", "ProgramArguments", "RunAtLoad", "KeepAlive", "ProcessType", "Umask"}; !cmp.Equal(keys, want) {
		t.Errorf("keys %v, want %v", keys, want)
	}
	if want := []string{"/Applications/My <Tools> & more/tend", "--config", "/srv/tend/tend.yaml", "up"}; !cmp.Equal(args, want) {
		t.Errorf("arguments %q, want %q", args, want)
	}
}

// Memory Shepherd gave the seventh of seven agents minute 60, which systemd refuses.
func TestSystemdAcceptsTheUnits(t *testing.T) {
	analyze := require.Program(t, "systemd-analyze")
	bin := filepath.Join(t.TempDir(), "a tend")
	must(t, os.WriteFile(bin, []byte("#!/bin/sh\n"), 0o755))
	for _, n := range []int{1, 7} {
		for _, timers := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d/timers=%v", n, timers), func(t *testing.T) {
				dir := t.TempDir()
				args := []string{"verify", "--man=no"}
				for _, u := range units(t, service.Options{Binary: bin, Config: fleet(t, n, ""), System: true}, timers) {
					name := filepath.Join(dir, u.Name)
					must(t, os.WriteFile(name, []byte(u.Text), 0o644))
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
	analyze := require.Program(t, "systemd-analyze")
	for user, extra := range map[string]string{"": "", "tend": "", "root": "alerts: {webhook: 'https://hooks.example/x'}\n"} {
		dir := t.TempDir()
		u := service.Keeper(service.Options{Binary: "/usr/bin/true", Config: fleet(t, 3, extra), System: true, User: user})[0]
		name := filepath.Join(dir, u.Name)
		must(t, os.WriteFile(name, []byte(u.Text), 0o644))
		// Exits with status 1 above the threshold, which is in tenths.
		out, err := exec.Command(analyze, "security", "--offline=true", "--threshold=25", name).CombinedOutput()
		if err != nil {
			t.Errorf("user %q: %v\n%s", user, err, out)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		t.Logf("user %q: %s", user, lines[len(lines)-1])
	}
}

// The Windows task is XML with the program's and the configuration's path, whatever characters they have.
func TestTaskForWindows(t *testing.T) {
	u := service.Task(service.Options{Binary: `C:\Program Files\R&D\tend.exe`, Config: &config.Config{Path: `C:\Users\a b\tend.yaml`}})
	var task struct {
		Exec struct{ Command, Arguments string } `xml:"Actions>Exec"`
		Time string                              `xml:"Settings>ExecutionTimeLimit"`
	}
	must(t, xml.Unmarshal([]byte(u.Text), &task))
	if task.Exec.Command != `C:\Program Files\R&D\tend.exe` || task.Exec.Arguments != `--config "C:\Users\a b\tend.yaml" up` ||
		task.Time != "PT0S" {
		t.Errorf("task: %+v", task)
	}
}
