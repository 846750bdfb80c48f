//go:build !windows

package soak

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// attack is one thing an agent does to its own workspace to stop, fool or exhaust the keeper.
type attack struct {
	name string
	try  func(w *town, agent, victim string, n int) error
}

// attacks race with the keeper: one that fails because the keeper was faster is retried.
var attacks = []attack{
	{"fifo", func(w *town, agent, _ string, n int) error {
		return replace([]string{w.memory(agent), w.buffer(agent), w.path("ws", agent, ".git", "config")}[n%3],
			func(p string) error { return syscall.Mkfifo(p, 0o644) })
	}},
	{"link swap", func(w *town, agent, victim string, n int) error {
		targets := []string{w.memory(victim), w.path("state", "agents", victim, "ledger"), filepath.Join("..", "..", "nothing"), "/dev/zero"}
		return replace(w.memory(agent), func(p string) error { return os.Symlink(targets[n%len(targets)], p) })
	}},
	{"zone fight", func(w *town, agent, _ string, n int) error {
		text := strings.Replace(baseline(agent), operators, fmt.Sprintf("My own rules, version %d, not those for ", n), 1)
		return replace(w.memory(agent), func(p string) error { return os.WriteFile(p, []byte(text), 0o644) })
	}},
	{"huge file", func(w *town, agent, _ string, n int) error {
		name := []string{w.memory(agent), w.path("ws", agent, "memory", "huge.md")}[n%2]
		return replace(name, func(p string) error {
			if err := os.WriteFile(p, []byte(strings.Replace(baseline(agent), operators, "My own rules for ", 1)), 0o644); err != nil {
				return err
			}
			return os.Truncate(p, 256<<20) // mostly a hole
		})
	}},
	{"folder", func(w *town, agent, _ string, n int) error {
		return replace([]string{w.memory(agent), w.buffer(agent)}[n%2], func(p string) error {
			return os.MkdirAll(filepath.Join(p, "deep", "deeper"), 0o755)
		})
	}},
	{"removal", func(w *town, agent, _ string, n int) error {
		if n%2 == 0 {
			return os.Remove(w.memory(agent))
		}
		return os.Rename(w.memory(agent), w.memory(agent)+".gone")
	}},
	{"workspace swap", func(w *town, agent, victim string, n int) error {
		ws, away := w.path("ws", agent), w.path("ws", agent+".away")
		if n%2 == 0 {
			if err := os.Rename(ws, away); err != nil {
				return err
			}
			return os.Symlink(w.path("ws", victim), ws)
		}
		if info, err := os.Lstat(ws); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return err
		}
		_ = os.Remove(ws)
		return os.Rename(away, ws)
	}},
}

// replace creates something under another name and swaps it in.
func replace(name string, create func(string) error) error {
	_ = os.MkdirAll(filepath.Dir(name), 0o755)
	temp := name + ".hostile"
	_ = os.RemoveAll(temp)
	if err := create(temp); err != nil {
		return err
	}
	if err := os.Rename(temp, name); err != nil {
		_ = os.RemoveAll(name)
		return os.Rename(temp, name)
	}
	return nil
}

// attacker is a hostile agent. It attacks its own workspace in one way for as long as the soak runs.
type attacker struct {
	town        *town
	agent       string
	attack      attack
	tries, held int // held: attacks that the keeper had undone before the next one
}

func (a *attacker) run(ctx context.Context, every time.Duration) {
	r := rand.New(rand.NewPCG(uint64(len(a.attack.name)), 3))
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			for a.attack.name == "workspace swap" && a.swapped() {
				_ = a.attack.try(a.town, a.agent, "", 1)
			}
			return
		case <-tick.C:
		}
		if a.tries > 0 && wholeZone(a.town, a.agent) {
			a.held++
		}
		if a.attack.try(a.town, a.agent, a.town.agents[r.IntN(len(a.town.agents))], a.tries) == nil {
			a.tries++
		}
	}
}

// reported reports whether the keeper has a finding about the agent.
func (a *attacker) reported() bool {
	text, _ := os.ReadFile(a.town.path("state", "agents", a.agent, "findings.json"))
	return strings.Contains(string(text), `"code"`)
}

// swapped reports whether the agent's workspace was replaced by a link.
func (a *attacker) swapped() bool {
	info, err := os.Lstat(a.town.path("ws", a.agent))
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// wholeZone reports whether the operator's part of an agent's memory is complete, in a regular file.
func wholeZone(w *town, agent string) bool {
	name := w.memory(agent)
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return false
	}
	text, err := os.ReadFile(name)
	head, _, _ := strings.Cut(baseline(agent), "## Notes")
	return err == nil && strings.HasPrefix(string(text), head)
}

// checkHostile fails if an attack got beyond its own workspace: a link or special file in the state, or a line of another
// agent in the data kept for a hostile one.
func checkHostile(t *testing.T, w *town, all []*attacker) {
	t.Helper()
	byKind := map[string][3]int{}
	for _, a := range all {
		c := byKind[a.attack.name]
		byKind[a.attack.name] = [3]int{c[0] + 1, c[1] + a.tries, c[2] + a.held}
		for _, root := range []string{w.path("ws", a.agent), w.path("state", "agents", a.agent), w.path("state", "archive", a.agent),
			w.path("state", "trash", a.agent)} {
			if _, err := os.Stat(root); err != nil {
				continue
			}
			eachRegular(t, root, func(name string, text []byte) {
				if m := mark.Find(text); m != nil {
					t.Errorf("%s has %q, the line of another agent", name, m)
				}
			})
		}
	}
	for _, x := range attacks {
		c := byKind[x.name]
		if c[1] == 0 {
			t.Errorf("%s never succeeded, so nothing was tried", x.name)
		}
		t.Logf("%-14s %d agents, %d tries, undone before the next one: %d", x.name, c[0], c[1], c[2])
	}
	err := filepath.WalkDir(w.path("state"), func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !d.Type().IsRegular() && d.Type() != fs.ModeSocket {
			t.Errorf("%s in the state is %v", p, d.Type())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// eachRegular calls fn for each regular file below root, except those larger than normal ones get.
func eachRegular(t *testing.T, root string, fn func(name string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.Contains(p, ".git/") {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() > 64<<20 {
			return err
		}
		text, err := os.ReadFile(p)
		if err == nil {
			fn(p, text)
		}
		return err
	})
	must(t, err)
}
