package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"tend/bench/kit"
	"tend/internal/app/memory"
	"tend/internal/app/replica"
	"tend/internal/engine/fleet"
	"tend/internal/sync/store/dial"
)

// served is a replica in this process.
type served struct {
	*replica.Replica
	*fleet.Fleet
}

// serve starts a replica and counts its requests.
func (b *bench) serve(set dial.Settings, name string) (served, func() error, error) {
	r, err := replica.Start(b.ctx, replica.Options{Settings: set, Cache: filepath.Join(b.dir, name)})
	if err != nil {
		return served{}, nil, err
	}
	f, err := fleet.Open(r.Load(), fleet.Options{Write: true, Shared: r})
	if err != nil {
		return served{}, nil, errors.Join(err, r.Close())
	}
	return served{r, f}, func() error { return errors.Join(f.Close(), r.Close()) }, nil
}

// appends writes lines to an agent's log as a client does.
func (b *bench) appends(s served, agent string, n int, took func(time.Duration)) error {
	a, err := s.Agent(b.ctx, agent)
	if err != nil {
		return err
	}
	defer a.Close()
	m := memory.New(a, memory.Options{})
	for i := range n {
		began := time.Now()
		if err := s.Fetch(b.ctx, agent); err != nil {
			return err
		}
		if _, err := m.Writer.Append(b.ctx,
			memory.AppendRequest{Path: "memory/2026-11-15.md", Text: fmt.Sprintf("- note %d: the port is %d", i, 8000+i)}); err != nil {
			return err
		}
		took(time.Since(began))
	}
	return nil
}

func fleetConfig(freshness string, agents int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "version: 1\nstate_dir: ./state\nstore: {freshness: %s}\n"+
		"defaults: {layout: openclaw@2026.8, timezone: UTC}\nagents:\n", freshness)
	for i := range agents {
		fmt.Fprintf(&text, "  a%05d: {workspace: workspaces/a%05d}\n", i, i)
	}
	return text.String()
}

// replicas measures the cost of an action on a replica, actions per second, and the start of a replica with many agents.
func (b *bench) replicas(set dial.Settings) (rows []kit.Row, err error) {
	tend, err := kit.BuildTend(b.dir)
	if err != nil {
		return nil, err
	}
	for _, fresh := range []string{"0", "2s"} {
		if err := replica.SetConfig(b.ctx, b.s, "bench", time.Now(), fleetConfig(fresh, 16)); err != nil {
			return nil, err
		}
		more, err := b.overMCP(tend, fresh)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	for _, n := range []int{1, 3} {
		rate, err := b.rate(set, n)
		if err != nil {
			return nil, err
		}
		rows = append(rows, kit.Row{What: fmt.Sprintf("appends a second, %d replica(s), 4 clients each on agents of their own", n), Value: rate})
	}
	return rows, nil
}

// rate returns the actions per second of several replicas.
func (b *bench) rate(set dial.Settings, n int) (float64, error) {
	var nodes []served
	for i := range n {
		s, done, err := b.serve(set, fmt.Sprintf("rate%d.%d", n, i))
		if err != nil {
			return 0, err
		}
		defer func() { _ = done() }()
		nodes = append(nodes, s)
	}
	began := time.Now()
	err := kit.Each(4*n, 4*n, func(i int) error {
		return b.appends(nodes[i/4], fmt.Sprintf("a%05d", 1+i), b.rounds, func(time.Duration) {})
	})
	return float64(4*n*b.rounds) / time.Since(began).Seconds(), err
}

// up starts the program as a replica.
func (b *bench) up(tend, name string) (*kit.Keeper, time.Duration, error) {
	return kit.UpWith(tend, "--store", "s3://bucket/tend", "--endpoint", b.endpoint, "--cache", filepath.Join(b.dir, name), "--listen",
		"127.0.0.1:0")
}

// overMCP measures appends of an MCP client, alternating with the requests that any protocol needs.
func (b *bench) overMCP(tend, fresh string) ([]kit.Row, error) {
	k, _, err := b.up(tend, "mcp"+fresh)
	if err != nil {
		return nil, err
	}
	defer func() { _ = k.Stop() }()
	text, err := exec.Command(tend, "token", "create", "--operator", "--quiet", "--store", "s3://bucket/tend", "--endpoint", b.endpoint).
		Output()
	if err != nil {
		return nil, err
	}
	c := client{"http://" + k.Addr + "/mcp/a00000", strings.TrimSpace(string(text))}
	if err := c.accepted(); err != nil {
		return nil, err
	}
	body := bytes.Repeat([]byte("x"), 800) // as large as an entry
	var floor, took []time.Duration
	var before map[string]float64
	for i := range b.rounds + 5 {
		if i == 5 { // the agent's files are there
			floor, took = nil, nil
			if before, err = k.Metrics(); err != nil {
				return nil, err
			}
		}
		key, began := fmt.Sprintf("bare%s/%06d", fresh, i), time.Now()
		err := b.s.Create(b.ctx, key, body)
		if err == nil {
			_, err = b.s.Get(b.ctx, key)
		}
		if err != nil {
			return nil, err
		}
		floor, began = append(floor, time.Since(began)), time.Now()
		if err := c.append(i); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
	}
	after, err := k.Metrics()
	if err != nil {
		return nil, err
	}
	// A replica's heartbeat is not part of an action.
	per := func(kind string) float64 {
		name := `tend_store_requests_total{kind="` + kind + `"}`
		return (after[name] - before[name]) / float64(b.rounds)
	}
	p50, bare := kit.Median(took), kit.Median(floor)
	return []kit.Row{
		{What: "bare conditional PUT and GET of 800 B, in turn with", Value: kit.Ms(bare), Unit: "ms"},
		{What: "append over MCP, freshness " + fresh + ", p50", Value: kit.Ms(p50), Unit: "ms", Ratio: float64(p50) / float64(bare),
			Goal: "1.5x"},
		{What: "  PUTs", Value: per("create"), Goal: "1"},
		{What: "  GETs", Value: per("get"), Goal: "1"},
	}, nil
}

// client calls the tools of one agent.
type client struct{ url, token string }

// accepted waits until the replica knows the token.
func (c client) accepted() error {
	for try := 0; ; try++ {
		err := c.append(0)
		if err == nil || try == 200 {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (c client) append(i int) error {
	call, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name":      "memory_append",
		"arguments": map[string]any{"filename": "memory/2026-11-15.md", "text": fmt.Sprintf("- note %d: the port is %d", i, 8000+i)},
	}})
	if err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodPost, c.url, bytes.NewReader(call))
	if err != nil {
		return err
	}
	req.Header = http.Header{"Authorization": {"Bearer " + c.token}, "Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && (resp.StatusCode != http.StatusOK || !bytes.Contains(text, []byte("tend/receipt"))) {
		err = fmt.Errorf("append: %s %s", resp.Status, text)
	}
	return err
}

// startUp measures the program itself with many agents in the store.
func (b *bench) startUp(agents int) ([]kit.Row, error) {
	tend, err := kit.BuildTend(b.dir)
	if err != nil {
		return nil, err
	}
	if err := replica.SetConfig(b.ctx, b.s, "bench", time.Now(), fleetConfig("2s", agents)); err != nil {
		return nil, err
	}
	k, took, err := b.up(tend, "many")
	if err != nil {
		return nil, err
	}
	defer func() { _ = k.Stop() }()
	cpu, peak, err := k.Used()
	return []kit.Row{
		{What: fmt.Sprintf("start of a replica with %d agents in the store", agents), Value: kit.Ms(took), Unit: "ms", Goal: "3000"},
		{What: "  CPU time of it", Value: kit.Ms(cpu), Unit: "ms"},
		{What: "  memory at its peak", Value: peak, Unit: "MiB", Goal: "200"},
	}, err
}
