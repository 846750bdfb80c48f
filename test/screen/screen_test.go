//go:build linux

// Package screen compares the program in a real terminal (tmux, 80 columns, 24 rows) with golden screens. The picture of the
// README is made from one of them.
package screen

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"tend/internal/front/cli/clitest"
	"tend/test/require"
)

var must = require.NoError

var update = flag.Bool("update", false, "write the golden screens and the picture of the README")

const columns, rows = 80, 24

// screens are the commands to compare, with --clock set to noon of 2026-11-15.
var screens = []struct{ name, command string }{
	{"check", "tend check"},
	{"status", "tend status"},
	{"log", "tend log scout"},
	{"search", "tend search staging --agent scout"},
	{"why", `tend why "reports begin with the reason" --agent scout`},
	{"restore", `tend restore --text "spare key" --agent scout --dry-run`},
	{"past", "tend past list scout --limit 8"},
	{"preview", "tend preview mail"},
}

func TestScreens(t *testing.T) {
	w := newWorld(t)
	for _, s := range screens {
		t.Run(s.name, func(t *testing.T) {
			plain, coloured := w.show(s.command)
			for line := range strings.SplitSeq(plain, "\n") {
				if utf8.RuneCountInString(line) > columns {
					t.Errorf("wider than the terminal: %q", line)
				}
			}
			compare(t, filepath.Join("testdata", s.name+".txt"), plain)
			if s.name == "check" {
				compare(t, "../../docs/check.svg", svg("$ "+s.command, coloured))
			}
		})
	}
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		must(t, os.WriteFile(name, []byte(got), 0o644))
	}
	want, err := os.ReadFile(name)
	must(t, err)
	if got != string(want) {
		t.Errorf("%s differs; `make docs` updates it. Now it is:\n%s", name, got)
	}
}

type world struct {
	t                 testing.TB
	dir, socket, home string
}

func newWorld(t testing.TB) *world {
	t.Helper()
	require.Program(t, "tmux")
	dir := t.TempDir()
	// Some screens depend on the length of paths, so the home folder's is the same on every machine.
	const length = 96
	if len(dir) > length-2 {
		t.Fatalf("the temporary folder's name is too long: %s", dir)
	}
	home := filepath.Join(dir, strings.Repeat("h", length-1-len(dir)))
	w := &world{t: t, dir: dir, home: home, socket: filepath.Join(dir, "tmux")}
	must(t, clitest.Build(filepath.Join(dir, "bin", "tend")))
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", w.socket, "kill-server").Run() })
	w.story()
	w.tmux("new-session", "-d", "-s", "keeps-the-server", "sh")
	return w
}

func (w *world) env() []string {
	return []string{
		"HOME=" + w.home, "PATH=" + filepath.Join(w.dir, "bin") + ":" + os.Getenv("PATH"), "LANG=C.UTF-8", "TZ=UTC", "USER=anna",
		"TERM=screen-256color", "PS1=",
	}
}

func (w *world) put(name, text string) {
	w.t.Helper()
	name = filepath.Join(w.home, name)
	must(w.t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(w.t, os.WriteFile(name, []byte(text), 0o644))
}

// tend runs a command with a clock. Exit code 1 (findings) is fine.
func (w *world) tend(clock string, args ...string) {
	w.t.Helper()
	cmd := exec.Command(filepath.Join(w.dir, "bin", "tend"), append([]string{"--clock", clock}, args...)...)
	cmd.Env, cmd.Dir = w.env(), w.home
	if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		w.t.Fatalf("tend %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// story creates three agents with something to show.
func (w *world) story() {
	day := func(n int) string { return fmt.Sprintf("2026-11-%02d", n) }
	for _, name := range []string{"scout", "mail", "accounting"} {
		at := ".openclaw/workspace-" + name + "/"
		var rules strings.Builder
		rules.WriteString("# Rules\n\n- Write what you learn into the day's log.\n- Never share keys or passwords.\n")
		if name == "mail" {
			for n := range 330 {
				fmt.Fprintf(&rules, "- Rule %d: say what you did, and why, and what is open, before you go on.\n", n+1)
			}
		}
		w.put(at+"AGENTS.md", rules.String())
		w.put(at+"SOUL.md", "# Soul\n\nYou are careful and brief. You ask before you delete anything.\n")
		w.put(at+"MEMORY.md", "# Memory\n\n- 2026-09-30: the staging host is stage-2; stage-1 was switched off.\n"+
			"- The spare key hangs behind the boiler.\n- 2026-11-12: releases go out on Tuesday, because support is staffed then.\n")
		for n := 12; n <= 14; n++ {
			w.put(at+"memory/"+day(n)+".md", "# "+day(n)+"\n\n- 09:10 - checked the backups\n- 11:20 [decision] reports begin with the reason\n"+
				"- 14:02 - answered two questions about invoices\n")
		}
	}
	w.put(".openclaw/workspace-accounting/memory/hosts.md",
		"# Hosts\n\n- the deploy key is AKIAQ3EXZ7K2RRTUVWXY\n- the staging host listens on port 8443\n")
	w.put(".openclaw/workspace-accounting/memory/network.md", "# Network\n\n- the staging host listens on port 9443\n")
	w.tend(day(14)+" 12:00", "init", ".openclaw")
	config := filepath.Join(w.home, ".config", "tend", "tend.yaml")
	text, err := os.ReadFile(config)
	must(w.t, err)
	w.put(".config/tend/tend.yaml", strings.Replace(string(text), "\ndefaults:\n", "\ndefaults:\n  automation: curate\n", 1))
	w.tend(day(14)+" 12:01", "baseline", "approve", "--all")
	w.tend(day(14)+" 23:00", "nightly", "--all")
	w.put(".openclaw/workspace-scout/SOUL.md", "# Soul\n\nYou are bold. You never ask.\n")
	memory := filepath.Join(w.home, ".openclaw/workspace-scout/MEMORY.md")
	text, err = os.ReadFile(memory)
	must(w.t, err)
	w.put(".openclaw/workspace-scout/MEMORY.md", strings.Replace(string(text), "- The spare key hangs behind the boiler.\n", "", 1))
	w.tend(day(15)+" 09:00", "reset", "scout")
	w.put(".openclaw/workspace-mail/SOUL.md", "# Soul\n\nYou are bold.\n")
}

func (w *world) tmux(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", w.socket, "-f", "/dev/null"}, args...)...)
	cmd.Env = w.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

var sessionSize = regexp.MustCompile(`(?m)^tend context .*\n(?:  .*\n)*\n?`)

var actionID = regexp.MustCompile(`\b1[0-9a-z]{9}\b`)

// show runs a command in tmux and returns the screen, as text and with colours. What differs between runs is masked.
func (w *world) show(command string) (plain, coloured string) {
	w.t.Helper()
	command = strings.Replace(command, "tend ", "tend --clock '2026-11-15 12:00' ", 1)
	script := filepath.Join(w.dir, "shown.sh")
	text := "cd " + w.home + "\n" + command + "\ntmux -S " + w.socket + " wait-for -S shown\nread wait\n"
	must(w.t, os.WriteFile(script, []byte(text), 0o644))
	w.tmux("new-session", "-d", "-s", "s", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(rows), "sh "+script)
	w.tmux("wait-for", "shown")
	plain, coloured = w.tmux("capture-pane", "-p", "-t", "s"), w.tmux("capture-pane", "-p", "-e", "-t", "s")
	w.tmux("kill-session", "-t", "s")
	mask := func(s string) string {
		s = sessionSize.ReplaceAllString(s, "") // depends on paths
		return actionID.ReplaceAllString(strings.TrimRight(s, "\n ")+"\n", "1r9ay8h441")
	}
	return mask(plain), mask(coloured)
}
