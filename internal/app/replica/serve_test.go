package replica

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tend/internal/engine/fleet"
	"tend/internal/engine/job/write"
	"tend/internal/engine/runner"
	"tend/internal/engine/schedule"
	"tend/internal/state/token"
	"tend/internal/sync/journal"
	"tend/internal/sync/store/dial"
	"tend/internal/sync/store/sealed"
)

// shared creates a store in a folder, with a configuration of some agents.
func shared(t *testing.T, agents ...string) dial.Settings {
	t.Helper()
	return sharedIn(t, dial.Settings{URL: t.TempDir()}, agents...)
}

// sharedIn creates a store with a configuration of some agents.
func sharedIn(t *testing.T, set dial.Settings, agents ...string) dial.Settings {
	t.Helper()
	c, err := dial.Init(t.Context(), set, time.Now())
	must(t, err)
	defer c.Close()
	var text strings.Builder
	text.WriteString("version: 1\nstate_dir: ./state\nstore: {freshness: 0}\ndefaults: {layout: openclaw@2026.8, timezone: UTC}\nagents:\n")
	for _, a := range agents {
		text.WriteString("  " + a + ": {workspace: workspaces/" + a + "}\n")
	}
	must(t, SetConfig(t.Context(), c, "test", time.Now(), text.String()))
	return set
}

// node is a replica with its fleet.
type node struct {
	*Replica
	*fleet.Fleet
}

func start(t *testing.T, set dial.Settings) node {
	t.Helper()
	r, err := Start(t.Context(), Options{Settings: set, Cache: t.TempDir()})
	must(t, err)
	t.Cleanup(func() { must(t, r.Close()) })
	f, err := fleet.Open(r.Load(), fleet.Options{Write: true, Shared: r})
	must(t, err)
	t.Cleanup(func() { must(t, f.Close()) })
	return node{r, f}
}

// note writes a line with runner.Note.
func (n node) note(t *testing.T, agent, text string) (runner.Result, error) {
	t.Helper()
	a, err := n.Agent(t.Context(), agent)
	must(t, err)
	defer a.Close()
	return runner.Note(t.Context(), a, write.Request{Text: text}, runner.Options{Who: "test"})
}

func (n node) read(t *testing.T, agent string) string {
	t.Helper()
	must(t, n.Fetch(t.Context(), agent))
	var all strings.Builder
	names, _ := filepath.Glob(filepath.Join(n.Dir, "workspaces", agent, "memory", "*.md"))
	for _, name := range names {
		text, err := os.ReadFile(name)
		must(t, err)
		all.WriteString(string(text))
	}
	return all.String()
}

// TestReplicas: two replicas write to one agent concurrently; each reads what the other wrote, and nothing is lost or
// duplicated.
func TestReplicas(t *testing.T) {
	set := shared(t, "ada")
	nodes := []node{start(t, set), start(t, set)}
	var wg sync.WaitGroup
	for i, n := range nodes {
		wg.Go(func() {
			for j := range 15 {
				if _, err := n.note(t, "ada", fmt.Sprintf("line %d.%d.", i, j)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	one, two := nodes[0].read(t, "ada"), nodes[1].read(t, "ada")
	if one != two {
		t.Errorf("the replicas differ:\n%s\n%s", one, two)
	}
	for i := range 2 {
		for j := range 15 {
			if n := strings.Count(one, fmt.Sprintf("line %d.%d.", i, j)); n != 1 {
				t.Errorf("line %d.%d is there %d times", i, j, n)
			}
		}
	}
}

// TestSlotOnce: two replicas that both consider a slot theirs serve it once, whether or not the job changes something.
func TestSlotOnce(t *testing.T) {
	set := shared(t, "ada")
	nodes := []node{start(t, set), start(t, set)}
	slot := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for round := range 6 {
		at := slot.Add(time.Duration(round) * time.Hour)
		var wg sync.WaitGroup
		for _, n := range nodes {
			wg.Go(func() {
				end, err := n.Serve(t.Context(), n.Fleet, "ada", "rotate", at, func(ctx context.Context) schedule.End {
					if round%2 == 0 {
						return schedule.Over
					}
					a, err := n.Agent(ctx, "ada")
					must(t, err)
					defer a.Close()
					_, err = runner.Note(ctx, a, write.Request{Text: fmt.Sprintf("slot %d.", round)}, runner.Options{Who: "test"})
					if err != nil && !strings.Contains(err.Error(), fleet.ErrServed.Error()) {
						t.Error(err)
					}
					return schedule.Over
				})
				if err != nil || end != schedule.Over {
					t.Errorf("round %d: %v, %v", round, end, err)
				}
			})
		}
		wg.Wait()
	}
	text := nodes[0].read(t, "ada")
	for _, round := range []int{1, 3, 5} {
		if n := strings.Count(text, fmt.Sprintf("slot %d.", round)); n != 1 {
			t.Errorf("the job of slot %d ran %d times to its end", round, n)
		}
	}
	seen := map[string]int{}
	for at := (journal.Position{}); ; {
		e, next, err := journal.New(nodes[0].conn, "ada").Next(t.Context(), at)
		if err == journal.ErrEnd {
			break
		}
		must(t, err)
		at = next
		seen[e.Slot]++
	}
	delete(seen, "")
	for s, n := range seen {
		if n != 1 {
			t.Errorf("%s was served %d times", s, n)
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d slots were served, want 6", len(seen))
	}
}

// TestTrim: files of unused agents are removed when there are too many, and fetched again when needed.
func TestTrim(t *testing.T) {
	n := start(t, shared(t, "ada", "bob"))
	for _, agent := range []string{"ada", "bob"} {
		_, err := n.note(t, agent, "of "+agent+".")
		must(t, err)
	}
	must(t, n.Trim(t.Context(), n.Fleet))
	if n.AgentsHere() != 2 {
		t.Error("files in use were removed")
	}
	n.Replica.config.Store.CacheSize = 0
	must(t, n.trimIdle(t.Context(), n.Fleet, 0))
	if left, _ := filepath.Glob(filepath.Join(n.Dir, "workspaces", "*", "memory", "*.md")); n.AgentsHere() != 0 || len(left) > 0 {
		t.Errorf("%d agents are held, with %v", n.AgentsHere(), left)
	}
	if text := n.read(t, "bob"); !strings.Contains(text, "of bob.") {
		t.Errorf("fetched again: %q", text)
	}
}

// TestConfigurationsReachNoHost: anyone who can write to a store without a key makes a replica run nothing, read no file of its
// machine and write nowhere else: neither when it starts nor when the configuration changes. With a key the writer is one of
// the operator's machines.
func TestConfigurationsReachNoHost(t *testing.T) {
	const head = "version: 1\nstate_dir: ./state\ndefaults: {layout: openclaw@2026.8, timezone: UTC}\n"
	hostile := map[string]string{
		"a curator's program": "agents:\n  ada: {workspace: workspaces/ada, policy: {curator: [touch, x]}}\n",
		"a curator's program, by a layout": "layouts:\n  own:\n    extends: openclaw\n    policy:\n      curator: [touch, x]\n" +
			"agents:\n  ada: {workspace: workspaces/ada, layout: own}\n",
		"a key file":         "agents:\n  ada: {workspace: workspaces/ada, policy: {curator.key_file: /etc/shadow}}\n",
		"an alert's program": "alerts: {command: [touch, x]}\nagents:\n  ada: {workspace: workspaces/ada}\n",
		"an alert's key": "alerts: {webhook: \"https://example.com/x\", secret_file: /etc/shadow}\n" +
			"agents:\n  ada: {workspace: workspaces/ada}\n",
		"a workspace elsewhere": "agents:\n  ada: {workspace: ../../elsewhere}\n",
		"an archive elsewhere":  "archive_dir: /var/elsewhere\nagents:\n  ada: {workspace: workspaces/ada}\n",
		"a baseline elsewhere":  "agents:\n  ada: {workspace: workspaces/ada, baselines: {SOUL.md: /etc/passwd}}\n",
	}
	for what, text := range hostile {
		set := shared(t, "ada")
		c, err := dial.Connect(t.Context(), set)
		must(t, err)
		put := func(c *Common) error { c.Config = head + text; return nil }
		n := start(t, set)
		_, err = ChangeCommon(t.Context(), c, "test", time.Now(), put)
		must(t, err)
		if err := n.followCommon(t.Context()); !errors.Is(err, ErrBeyond) {
			t.Errorf("%s: a running replica took it: %v", what, err)
		}
		if r, err := Start(t.Context(), Options{Settings: set, Cache: t.TempDir()}); !errors.Is(err, ErrBeyond) {
			t.Errorf("%s: a replica started: %v", what, err)
			if err == nil {
				must(t, r.Close())
			}
		}
		must(t, c.Close())
	}
	key := filepath.Join(t.TempDir(), "key")
	must(t, os.WriteFile(key, []byte(sealed.NewKey().Text()), 0o600))
	set := sharedIn(t, dial.Settings{URL: t.TempDir(), KeyFile: key}, "ada")
	c, err := dial.Connect(t.Context(), set)
	must(t, err)
	defer c.Close()
	must(t, SetConfig(t.Context(), c, "test", time.Now(), head+hostile["a curator's program"]))
	start(t, set)
}

// TestCommon: an invalid configuration is refused, agents and tokens reach a replica, and concurrent changes all count.
func TestCommon(t *testing.T) {
	set := shared(t, "ada")
	n := start(t, set)
	c, err := dial.Connect(t.Context(), set)
	must(t, err)
	defer c.Close()
	for _, bad := range []string{"nonsense: 1\n", "version: 1\nagents:\n  x: {workspace: w, layout: openclaw@2026.8}\n"} {
		if err := SetConfig(t.Context(), c, "test", time.Now(), bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			made, _ := token.Issue(token.Token{Agent: "ada", Name: fmt.Sprint(i)})
			_, err := ChangeTokens(t.Context(), c, "test", time.Now(),
				func(list []token.Token) ([]token.Token, error) { return append(list, made), nil })
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	must(t, n.followCommon(t.Context()))
	list, err := n.common.TokenList()
	must(t, err)
	if len(list) != 4 {
		t.Errorf("the replica has %d tokens, want 4", len(list))
	}
	if _, ok := n.Since("ada"); !ok || n.Peers() != 1 || !n.Mine("ada") {
		t.Error("the only replica does not know that the agent is its own")
	}
}
