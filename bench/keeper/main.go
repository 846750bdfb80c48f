// Command keeper measures the keeper: an idle one with many agents (CPU, memory, start), and its MCP over HTTP compared
// with a bare handler of the same SDK.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"strings"
	"time"

	"tend/bench/kit"
)

func main() {
	agents := flag.Int("agents", 10000, "number of agents")
	still := flag.Duration("idle", time.Minute, "how long the idle keeper is watched")
	length := flag.Duration("length", 5*time.Second, "how long each number of clients calls")
	asJSON := flag.Bool("json", false, "print figures as JSON")
	plain := flag.String("bare", "", "serve this file by the SDK alone (the bench starts itself so)")
	flag.Parse()
	log.SetFlags(0)
	if *plain != "" {
		log.Fatal(serveBare(*plain))
	}
	kit.Measure("", fmt.Sprintf("the keeper of %d agents", *agents), *asJSON, func(dir string) ([]kit.Row, error) {
		return measure(dir, *agents, *still, *length)
	})
}

func measure(dir string, agents int, still, length time.Duration) ([]kit.Row, error) {
	tend, f, err := kit.TendAndFleet(dir, agents)
	if err != nil {
		return nil, err
	}
	if err := kit.Append(f.Config, "keeper: {listen: 127.0.0.1:0}\n"); err != nil {
		return nil, err
	}
	// A fleet in use: the keeper has run before.
	k, _, err := kit.Up(tend, f.Config)
	if err != nil {
		return nil, err
	}
	time.Sleep(2 * time.Second)
	if err := k.Stop(); err != nil {
		return nil, err
	}
	k, started, err := kit.Up(tend, f.Config)
	if err != nil {
		return nil, err
	}
	now, err := k.Metrics()
	if err != nil {
		return nil, errors.Join(err, k.Stop())
	}
	rows := []kit.Row{
		{What: "start until ready", Value: kit.Ms(started), Unit: "ms", Goal: "2000"},
		{What: "processor time by then", Value: 1000 * now["process_cpu_seconds_total"], Unit: "ms"},
	}
	idleRows, err := idle(k, still)
	if err != nil {
		return nil, err
	}
	rows = append(rows, idleRows...)
	mcpRows, err := calls(tend, f.Config, k.Addr, length)
	return append(rows, mcpRows...), errors.Join(err, k.Stop())
}

// idle measures the keeper while only its schedule causes work.
func idle(k *kit.Keeper, d time.Duration) ([]kit.Row, error) {
	time.Sleep(5 * time.Second) // the first scan of everything
	before, err := k.Metrics()
	if err != nil {
		return nil, err
	}
	time.Sleep(d)
	after, err := k.Metrics()
	if err != nil {
		return nil, err
	}
	ran := 0.0
	for name, v := range after {
		if strings.HasPrefix(name, "tend_job_runs_total") {
			ran += v - before[name]
		}
	}
	cpu := after["process_cpu_seconds_total"] - before["process_cpu_seconds_total"]
	return []kit.Row{
		{What: "processor while idle", Value: 100 * cpu / d.Seconds(), Unit: "% of a core", Goal: "1"},
		{What: "jobs run meanwhile", Value: ran / d.Seconds(), Unit: "a second"},
		{What: "resident memory", Value: after["process_resident_memory_bytes"] / (1 << 20), Unit: "MB", Goal: "200"},
		{What: "open descriptors", Value: after["process_open_fds"]},
	}, nil
}
