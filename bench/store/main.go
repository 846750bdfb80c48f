// Command store measures the shared store on a real S3 server (versitygw on loopback): a commit and a complete sync
// compared with a bare conditional PUT and GET in the same run, the requests and bytes of an action, many writers on one
// agent, and a clone of an agent with a long history.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync"
	"time"

	"tend/bench/kit"
	"tend/internal/app/replica"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/state/plan"
	"tend/internal/sync/journal"
	"tend/internal/sync/store"
	"tend/internal/sync/store/dial"
	"tend/internal/sync/store/storetest"
)

func main() {
	rounds := flag.Int("rounds", 200, "how often each is measured")
	entries := flag.Int("past", 10000, "entries of the agent that is cloned")
	only := flag.String("only", "", "measure one part: bare, sync, crowd, replicas, start or clone")
	asJSON := flag.Bool("json", false, "print figures as JSON")
	flag.Parse()
	log.SetFlags(0)
	kit.Measure("", "the shared store", *asJSON, func(dir string) ([]kit.Row, error) {
		return measure(context.Background(), dir, *rounds, *entries, *only)
	})
}

func measure(ctx context.Context, dir string, rounds, entries int, only string) (rows []kit.Row, err error) {
	served := filepath.Join(dir, "served")
	if err := errors.Join(os.Mkdir(served, 0o755), os.Setenv("AWS_ACCESS_KEY_ID", storetest.AccessKey),
		os.Setenv("AWS_SECRET_ACCESS_KEY", storetest.SecretKey)); err != nil {
		return nil, err
	}
	server, err := storetest.Launch(served, "bucket")
	if err != nil {
		return nil, err
	}
	defer server.Kill()
	set := config.Store{URL: "s3://bucket/tend", Endpoint: server.Endpoint}
	s, err := dial.Init(ctx, replica.Settings(set), time.Now())
	if err != nil {
		return nil, err
	}
	defer s.Close()
	b := &bench{ctx: ctx, dir: dir, endpoint: server.Endpoint, rounds: rounds, entries: entries, s: s, asked: map[string]int{}}
	s.Store = store.Counted(s.Store, b.count)
	for _, part := range []struct {
		name string
		do   func() ([]kit.Row, error)
	}{
		{"bare", b.bare}, {"sync", b.sync}, {"crowd", b.crowd},
		{"replicas", func() ([]kit.Row, error) { return b.replicas(replica.Settings(set)) }},
		{"start", func() ([]kit.Row, error) { return b.startUp(10000) }}, {"clone", b.clone},
	} {
		if only != "" && part.name != only {
			continue
		}
		more, err := part.do()
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

type bench struct {
	ctx             context.Context
	dir             string
	endpoint        string
	rounds, entries int
	s               *dial.Connected
	floor           time.Duration // a bare PUT and GET

	mu    sync.Mutex
	asked map[string]int
}

func (b *bench) count(request string) {
	b.mu.Lock()
	b.asked[request]++
	b.mu.Unlock()
}

// took returns the requests since the last call.
func (b *bench) took() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	was := b.asked
	b.asked = map[string]int{}
	return was
}

// times repeats something and returns the median.
func (b *bench) times(do func(i int) error) (time.Duration, error) {
	var all []time.Duration
	for i := range b.rounds {
		began := time.Now()
		if err := do(i); err != nil {
			return 0, err
		}
		all = append(all, time.Since(began))
	}
	return kit.Median(all), nil
}

// bare measures the requests any protocol needs, alternating with commits.
func (b *bench) bare() ([]kit.Row, error) {
	body := make([]byte, 1000)
	for i := range body {
		body[i] = 'x'
	}
	j := journal.New(b.s, "bare")
	var at journal.Position
	var floor, commit []time.Duration
	for i := range b.rounds {
		key := fmt.Sprintf("bare/%06d", i)
		began := time.Now()
		err := b.s.Create(b.ctx, key, body)
		if err == nil {
			_, err = b.s.Get(b.ctx, key)
		}
		if err != nil {
			return nil, err
		}
		floor = append(floor, time.Since(began))
		began = time.Now()
		if _, _, err = j.Next(b.ctx, at); !errors.Is(err, journal.ErrEnd) {
			return nil, fmt.Errorf("the journal has an entry: %w", err)
		}
		if at, err = j.Commit(b.ctx, at, journal.Entry{Writer: "bench", Actions: []string{string(body[:700])}}); err != nil {
			return nil, err
		}
		commit = append(commit, time.Since(began))
	}
	b.floor = kit.Median(floor)
	c := kit.Median(commit)
	return []kit.Row{
		{What: "bare conditional PUT and GET of 1 KB, p50", Value: kit.Ms(b.floor), Unit: "ms"},
		{What: "catch up and commit an entry, p50", Value: kit.Ms(c), Unit: "ms", Ratio: float64(c) / float64(b.floor), Goal: "1.5x"},
	}, nil
}

// agent creates a fleet with one agent.
func (b *bench) agent(name string) (*fleet.Fleet, error) {
	home := filepath.Join(b.dir, name)
	ws := filepath.Join(home, "ws")
	if err := os.MkdirAll(filepath.Join(ws, "memory"), 0o755); err != nil {
		return nil, err
	}
	for file, text := range map[string]string{"MEMORY.md": string(kit.Baseline(1)), "memory/2026-11-15.md": string(kit.Notes(1, 1))} {
		if err := os.WriteFile(filepath.Join(ws, file), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	env, err := config.OSEnv()
	if err != nil {
		return nil, err
	}
	cfg, err := config.Parse(filepath.Join(home, "tend.yaml"),
		[]byte("version: 1\nstate_dir: ./state\nagents:\n  "+name+":\n    workspace: ./ws\n    layout: openclaw@2026.8\n"), env)
	if err != nil {
		return nil, err
	}
	return fleet.Open(cfg, fleet.Options{Write: true})
}

// act appends a line in an action.
func act(ctx context.Context, f *fleet.Fleet, name string, i int) error {
	a, err := f.Agent(ctx, name)
	if err != nil {
		return err
	}
	defer a.Close()
	s, err := a.Ledger.Begin(ctx, "bench")
	if err != nil {
		return err
	}
	defer s.Close()
	file := vault.Path("memory/2026-11-15.md")
	doc, err := a.Vault.Read(ctx, file)
	if err != nil {
		return err
	}
	_, err = s.Apply(ctx, plan.Plan{Job: "note", Changes: []plan.Change{{
		Path: file, Op: plan.Append, Before: doc.Version, Old: doc.Data, New: fmt.Appendf(nil, "- note %d: the port is %d\n", i, 8000+i),
	}}})
	return err
}

// sync measures complete syncs of an agent.
func (b *bench) sync() ([]kit.Row, error) {
	f, err := b.agent("ada")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := replica.Push(b.ctx, f, b.s, "ada", "bench", false); err != nil {
		return nil, err
	}
	one := func() error { return replica.Sync(b.ctx, f, b.s, []string{"ada"}, "bench")[0].Err }
	b.took()
	idle, err := b.times(func(int) error { return one() })
	if err != nil {
		return nil, err
	}
	quiet := b.took()
	var acted []time.Duration
	for i := range b.rounds {
		if err := act(b.ctx, f, "ada", i); err != nil {
			return nil, err
		}
		began := time.Now()
		if err := one(); err != nil {
			return nil, err
		}
		acted = append(acted, time.Since(began))
	}
	busy := b.took()
	list, err := b.s.List(b.ctx, "agents/ada/journal/")
	if err != nil {
		return nil, err
	}
	var bytes int64
	for _, o := range list[1:] { // the first holds the agent itself
		bytes += o.Size
	}
	n := float64(b.rounds)
	return []kit.Row{
		{What: "sync with nothing to do, p50", Value: kit.Ms(idle), Unit: "ms"},
		{What: "  GETs", Value: float64(quiet["get"]) / n, Goal: "1"},
		{What: "sync after one action, p50", Value: kit.Ms(kit.Median(acted)), Unit: "ms"},
		{What: "  PUTs", Value: float64(busy["create"]) / n, Goal: "1"},
		{What: "  GETs", Value: float64(busy["get"]) / n, Goal: "1"},
		{What: "  bytes of an entry for a line of 25 bytes", Value: float64(bytes) / float64(len(list)), Unit: "B"},
	}, nil
}

// crowd measures commits of several writers to one agent.
func (b *bench) crowd() (rows []kit.Row, err error) {
	for _, writers := range []int{1, 3, 12} {
		j := journal.New(b.s, fmt.Sprintf("crowd%d", writers))
		conflicts := 0
		began := time.Now()
		err := kit.Each(writers, writers, func(int) error {
			var at journal.Position
			for done := 0; done < b.rounds/writers; {
				next, err := j.Commit(b.ctx, at, journal.Entry{Writer: "bench"})
				if err == nil {
					at, done = next, done+1
					continue
				}
				if !errors.Is(err, journal.ErrConflict) {
					return err
				}
				b.mu.Lock()
				conflicts++
				b.mu.Unlock()
				for {
					if _, next, err = j.Next(b.ctx, at); errors.Is(err, journal.ErrEnd) {
						break
					} else if err != nil {
						return err
					}
					at = next
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		rows = append(rows,
			kit.Row{What: fmt.Sprintf("commits a second, %d writers on one agent", writers),
				Value: float64(b.rounds/writers*writers) / time.Since(began).Seconds()},
			kit.Row{What: "  conflicts, resolved", Value: float64(conflicts)})
	}
	return rows, nil
}

// clone measures a clone of an agent with a long history compared with reading the same bytes.
func (b *bench) clone() ([]kit.Row, error) {
	j := journal.New(b.s, "old")
	x, tree := journal.Texts{}, journal.Tree{}
	var at journal.Position
	log := "ledger/2026-11.jsonl"
	for i := range b.entries {
		day := fmt.Sprintf("workspace/memory/2026-%02d-%02d.md", 1+i/900%12, 1+i/30%28)
		e := journal.Entry{Writer: "bench", Kind: journal.Synced}
		for p, add := range map[string]string{day: fmt.Sprintf("- note %d: the port is %d\n", i, i),
			log: fmt.Sprintf(`{"v":1,"id":"%010d","state":"intent","job":"note"}`+"\n", i)} {
			next := append(x[p][:len(x[p]):len(x[p])], add...)
			c := journal.NewChange(p, x[p], next)
			e.Changes = append(e.Changes, c)
			x[p], tree[p] = next, c.After
		}
		e.Tree = tree.Digest()
		var err error
		if at, err = j.Commit(b.ctx, at, e); err != nil {
			return nil, err
		}
		if at.N%journal.Every == 0 {
			if err := j.Snapshot(b.ctx, at, x); err != nil {
				return nil, err
			}
		}
	}
	var bare, whole []time.Duration
	var asked map[string]int
	for range 15 {
		began := time.Now()
		if err := b.readOld(); err != nil {
			return nil, err
		}
		bare = append(bare, time.Since(began))
		b.took()
		began = time.Now()
		got, _, err := j.Rebuild(b.ctx, 0)
		if err != nil {
			return nil, err
		}
		whole = append(whole, time.Since(began))
		asked = b.took()
		if got.Tree().Digest() != x.Tree().Digest() {
			return nil, errors.New("the clone is another one")
		}
	}
	floor, took := kit.Median(bare), kit.Median(whole)
	return []kit.Row{
		{What: "a LIST and GETs of the same objects, one after the other, p50", Value: kit.Ms(floor), Unit: "ms"},
		{What: fmt.Sprintf("clone of an agent with %d entries, p50", b.entries), Value: kit.Ms(took), Unit: "ms",
			Ratio: float64(took) / float64(floor), Goal: "2x"},
		{What: "  GETs", Value: float64(asked["get"])},
	}, nil
}

// readOld reads what a clone needs and discards it.
func (b *bench) readOld() error {
	list, err := b.s.List(b.ctx, "agents/old/snapshots/")
	if err != nil {
		return err
	}
	last := uint64(b.entries) / journal.Every * journal.Every
	if len(list) > 0 {
		if _, err := b.s.Get(b.ctx, list[len(list)-1].Key); err != nil {
			return err
		}
	}
	for n := max(last, 1); n <= uint64(b.entries); n++ {
		if _, err := b.s.Get(b.ctx, fmt.Sprintf("agents/old/journal/%012d", n)); err != nil {
			return err
		}
	}
	return nil
}
