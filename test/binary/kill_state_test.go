//go:build linux

package binary

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
)

var (
	stateKills = flag.Int("kills", 9, "how often a purge, a sync or an upgrade is killed")
	older      = flag.String("older", "", "a tend of an earlier commit, which writes what an upgrade finds; otherwise its format is imitated")
)

// TestStateKilled kills what rewrites a state: a purge, a sync, and the first night of this version on the state of an earlier
// one. The next run finishes it: no line is lost, the purged text is gone, both machines agree, and the ledger is sound.
func TestStateKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	seed := uint64(time.Now().UnixNano())
	k := &killer{t: t, rng: rand.New(rand.NewPCG(seed, 0)), nas: filepath.Join(dir, "nas", "tend"), took: map[string]time.Duration{}}
	t.Logf("seed %d", seed)
	for _, name := range []string{"one", "two"} {
		k.machines = append(k.machines, newLaptop(t, filepath.Join(dir, name)))
	}
	k.begin()
	late := 0
	for n := range *stateKills {
		kind := []string{"purge", "sync", "upgrade"}[n%3]
		if k.kill(kind, n) {
			late++
		}
		k.check(fmt.Sprintf("%s, kill %d", kind, n))
		if t.Failed() {
			return
		}
	}
	t.Logf("%d kills, %d of them too late; %d lines written, %d texts purged", *stateKills, late, len(k.lines), len(k.purged))
}

// killer is two machines with one agent in a store, and what was written and purged there.
type killer struct {
	t        *testing.T
	rng      *rand.Rand
	machines []laptop
	nas      string
	now      time.Time
	lines    []string // must be found on both machines
	purged   []string // must be nowhere
	took     map[string]time.Duration
}

func (k *killer) clock() string { return "--clock=" + k.now.Format(time.RFC3339) }

// begin writes some months on the first machine and clones the agent on the second.
func (k *killer) begin() {
	one := k.machines[0]
	must(k.t, os.WriteFile(filepath.Join(one.dir, "tend.yaml"), []byte("version: 1\nstate_dir: ./state\nagents:\n"+
		"  ada: {workspace: ./ws, layout: openclaw, timezone: UTC, automation: curate}\n"), 0o644))
	one.put("MEMORY.md", "# Memory\n")
	one.put("SOUL.md", "# Soul\n")
	k.now = time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)
	one.run("store", "init", k.nas, k.clock())
	one.run("store", "push", "ada", k.clock())
	for range 4 {
		k.write(one)
		k.now = k.now.AddDate(0, 1, 0)
		one.run("nightly", k.clock())
	}
	one.run("sync", k.clock())
	k.machines[1].run("store", "clone", "ada", "ws", "--store", k.nas, k.clock())
}

// write adds notes and a file, two of them with a secret.
func (k *killer) write(l laptop) (secret string) {
	n := len(k.lines)
	secret = fmt.Sprintf("Hunter%dXyzzy", k.rng.Uint32())
	l.run("note", fmt.Sprintf("k%05d is a note", n), k.clock())
	l.put(fmt.Sprintf("topic-%d.md", n), fmt.Sprintf("# Topic\n\n- k%05d is in a topic with %s\n", n+1, secret))
	l.run("note", fmt.Sprintf("k%05d has %s", n+2, secret), k.clock())
	k.lines = append(k.lines, fmt.Sprintf("k%05d is a note", n), fmt.Sprintf("k%05d is in a topic", n+1), fmt.Sprintf("k%05d has", n+2))
	l.run("run", "rotate", k.clock())
	return secret
}

// kill starts one kind of work, kills it at any moment, and lets the next run finish it.
func (k *killer) kill(kind string, n int) (late bool) {
	k.now = k.now.Add(time.Hour)
	l := k.machines[n%2]
	secret := k.write(l)
	l.run("sync", k.clock())
	args, input := []string{"sync", k.clock()}, ""
	switch kind {
	case "sync":
		k.write(l)
	case "purge":
		args, input = []string{"purge", "ada", "--yes", k.clock()}, secret
	case "upgrade":
		k.now = k.now.AddDate(0, 1, 0)
		args = []string{"nightly", k.clock()}
		k.downgrade(l)
	}
	began := time.Now()
	cmd := l.command(args...)
	cmd.Stdin = strings.NewReader(input)
	must(k.t, cmd.Start())
	if whole := k.took[kind]; whole > 0 {
		time.Sleep(time.Duration(k.rng.Int64N(int64(whole))))
		_ = cmd.Process.Kill()
	}
	late = cmd.Wait() == nil
	if late && k.took[kind] == 0 {
		k.took[kind] = time.Since(began)
	}
	again := l.command(args...)
	again.Stdin = strings.NewReader(input)
	r := finish(again, args)
	if !r.done() && (kind != "purge" || !strings.Contains(r.err, "still")) { // a purge also says what it cannot reach
		k.t.Fatalf("after a killed %s: %s", kind, r)
	}
	if kind == "purge" {
		k.purged = append(k.purged, secret)
	}
	return late
}

// downgrade makes a state what an earlier version left.
func (k *killer) downgrade(l laptop) {
	state := filepath.Join(l.dir, "state")
	must(k.t, walk(filepath.Join(state, "agents", "ada", "ledger"), func(name string, text []byte) {
		plain, err := ledger.Unzipped(text)
		must(k.t, err)
		must(k.t, os.WriteFile(name, plain, 0o600))
	}))
	bound := filepath.Join(state, "configuration.json")
	text, err := os.ReadFile(bound)
	must(k.t, err)
	must(k.t, os.WriteFile(bound, []byte(strings.Replace(string(text), `"format": 2`, `"format": 1`, 1)), 0o600))
	if *older == "" {
		return
	}
	n := len(k.lines)
	cmd := l.command("note", fmt.Sprintf("k%05d is a note", n), k.clock())
	cmd.Path = *older
	if r := finish(cmd, cmd.Args); !r.done() {
		k.t.Fatal(r)
	}
	k.lines = append(k.lines, fmt.Sprintf("k%05d is a note", n))
}

// check brings both machines together and looks at everything that they keep.
func (k *killer) check(label string) {
	k.t.Helper()
	for range 2 {
		for _, l := range k.machines {
			l.run("sync", k.clock())
		}
	}
	for i, l := range k.machines {
		var all strings.Builder
		must(k.t, walk(l.dir, func(name string, text []byte) {
			if filepath.Base(filepath.Dir(name)) == "ledger" {
				plain, err := ledger.Unzipped(text)
				must(k.t, err)
				text = plain
			}
			if strings.HasPrefix(filepath.Base(name), vault.TempPrefix) {
				return
			}
			for _, secret := range k.purged {
				if strings.Contains(string(text), secret) {
					k.t.Errorf("%s: %s is still in %s of machine %d", label, secret, strings.TrimPrefix(name, l.dir), i)
				}
			}
			all.Write(text)
		}))
		for _, line := range k.lines {
			if !strings.Contains(all.String(), line) {
				k.t.Errorf("%s: %q is lost on machine %d", label, line, i)
			}
		}
		if r := l.tend("doctor", k.clock()); !strings.Contains(r.out, "the hash chain is intact") {
			k.t.Errorf("%s: %s", label, r)
		}
	}
	for name, text := range k.machines[0].files() {
		if k.machines[1].files()[name] != text {
			k.t.Errorf("%s: %s differs: %q", label, name, text)
		}
	}
}
