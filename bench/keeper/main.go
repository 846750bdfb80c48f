// Command keeper measures the keeper: an idle one over many agents (processor, memory,
// start), and MCP over HTTP through it against a bare handler of the same SDK.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"tend/bench/kit"
)

func main() {
	agents := flag.Int("agents", 10000, "number of agents")
	idle := flag.Duration("idle", time.Minute, "how long the idle keeper is watched")
	length := flag.Duration("length", 5*time.Second, "how long each number of clients calls")
	asJSON := flag.Bool("json", false, "print figures as JSON")
	plain := flag.String("bare", "", "serve this file by the SDK alone (the bench starts itself so)")
	flag.Parse()
	log.SetFlags(0)
	if *plain != "" {
		log.Fatal(serveBare(*plain))
	}
	kit.In("", func(dir string) error {
		rows, err := measure(dir, *agents, *idle, *length)
		if err != nil {
			return err
		}
		return kit.Print(os.Stdout, fmt.Sprintf("the keeper of %d agents", *agents), rows, *asJSON)
	})
}

func measure(dir string, agents int, idle, length time.Duration) ([]kit.Row, error) {
	tend, err := kit.BuildTend(dir)
	if err != nil {
		return nil, err
	}
	f, err := kit.Build(filepath.Join(dir, "fleet"), tend, agents)
	if err != nil {
		return nil, err
	}
	if err := appendTo(f.Config, "keeper: {listen: 127.0.0.1:0}\n"); err != nil {
		return nil, err
	}
	// A fleet in use: the keeper has been up before.
	k, _, err := up(tend, f.Config)
	if err != nil {
		return nil, err
	}
	time.Sleep(2 * time.Second)
	if err := k.stop(); err != nil {
		return nil, err
	}
	k, started, err := up(tend, f.Config)
	if err != nil {
		return nil, err
	}
	now, err := scrape(k.addr)
	if err != nil {
		return nil, errJoin(err, k.stop())
	}
	rows := []kit.Row{
		{What: "start until ready", Value: kit.Ms(started), Unit: "ms", Goal: "2000"},
		{What: "processor time by then", Value: 1000 * now["process_cpu_seconds_total"], Unit: "ms"},
	}
	idleRows, err := k.idle(idle)
	if err != nil {
		return nil, err
	}
	rows = append(rows, idleRows...)
	mcpRows, err := calls(tend, f.Config, k.addr, length)
	return append(rows, mcpRows...), errJoin(err, k.stop())
}

// keeper is a running `tend up`.
type keeper struct {
	cmd  *exec.Cmd
	addr string
}

var listening = regexp.MustCompile(`msg=keeping .*listen=(\S+)`)

func up(tend, config string) (*keeper, time.Duration, error) {
	began := time.Now()
	cmd := exec.Command(tend, "up", "--config", config)
	pipe, err := cmd.StderrPipe()
	if err != nil {
		return nil, 0, err
	}
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	lines := bufio.NewReader(pipe)
	var said strings.Builder
	for {
		text, err := lines.ReadString('\n')
		said.WriteString(text)
		if m := listening.FindStringSubmatch(text); m != nil {
			took := time.Since(began)
			go func() { _, _ = io.Copy(io.Discard, lines) }()
			return &keeper{cmd, m[1]}, took, nil
		}
		if err != nil {
			return nil, 0, fmt.Errorf("the keeper did not start: %w\n%s", cmd.Wait(), said.String())
		}
	}
}

func (k *keeper) stop() error {
	if err := k.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return k.cmd.Wait()
}

// idle watches the keeper while nothing but its schedule asks for work.
func (k *keeper) idle(d time.Duration) ([]kit.Row, error) {
	time.Sleep(5 * time.Second) // the first look at everything
	before, err := scrape(k.addr)
	if err != nil {
		return nil, err
	}
	time.Sleep(d)
	after, err := scrape(k.addr)
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
