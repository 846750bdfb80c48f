// Command web measures the dashboard: the fleet page with many agents and the page of an agent with many files, compared
// with a bare handler that sends the same bytes, and the cost of open pages while nothing changes.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"html"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptrace"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tend/bench/kit"
)

func main() {
	agents := flag.Int("agents", 10_000, "number of agents")
	files := flag.Int("files", 10_000, "number of files of the agent that has many")
	rounds := flag.Int("rounds", 200, "how often each page is fetched")
	open := flag.Int("open", 200, "number of live connections")
	watch := flag.Duration("watch", 30*time.Second, "how long the live connections are watched")
	asJSON := flag.Bool("json", false, "print figures as JSON")
	bare := flag.String("bare", "", "serve this file by net/http alone (the bench starts itself so)")
	flag.Parse()
	if *bare != "" {
		log.Fatal(serveBare(*bare))
	}
	kit.Measure("", fmt.Sprintf("the dashboard of %d agents, one with %d files", *agents, *files), *asJSON,
		func(dir string) ([]kit.Row, error) {
			return measure(dir, *agents, *files, *rounds, *open, *watch)
		})
}

func measure(dir string, agents, files, rounds, open int, watch time.Duration) (rows []kit.Row, err error) {
	tend, f, err := kit.TendAndFleet(dir, agents)
	if err != nil {
		return nil, err
	}
	if err := addAgent(f, files); err != nil {
		return nil, err
	}
	k, _, err := kit.Up(tend, f.Config)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, k.Stop()) }()
	client, err := login(k)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := looked(k, client); err != nil {
		return nil, err
	}
	rows = append(rows, kit.Row{What: "every agent checked, after the first visit", Value: time.Since(began).Seconds(), Unit: "s"})
	for _, p := range []struct{ what, path string }{
		{fmt.Sprintf("fleet page, %d agents", agents), "/"},
		{fmt.Sprintf("page of an agent with %d files", files), "/a/many?role=daily"},
	} {
		more, err := compare(dir, client, p.what, "http://"+k.Addr+p.path, rounds)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	found, err := searched(k, client)
	if err != nil {
		return nil, err
	}
	rows = append(rows, found...)
	if err := quiet(k); err != nil {
		return nil, err
	}
	more, err := live(k, client, open, watch)
	return append(rows, more...), err
}

// addAgent adds an agent with many files to the fleet.
func addAgent(f kit.Fleet, files int) error {
	ws := filepath.Join(f.Dir, "ws", "many", "memory")
	if err := os.MkdirAll(ws, 0o755); err != nil {
		return err
	}
	day := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for i := range files {
		name := fmt.Sprintf("%s-%02d.md", day.AddDate(0, 0, -i/20).Format(time.DateOnly), i%20)
		if err := os.WriteFile(filepath.Join(ws, name), fmt.Appendf(nil, "# Day\n\n- [lesson] note %d of a day\n- read the feeds\n", i),
			0o644); err != nil {
			return err
		}
	}
	return kit.Append(f.Config, "  many:\n    layout: openclaw@2026.9\n    workspace: ./ws/many\nkeeper: {listen: 127.0.0.1:0}\n")
}

// login returns a client that is logged in to the dashboard.
func login(k *kit.Keeper) (*http.Client, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Jar: jar}
	_, err = get(client, k.Login())
	return client, err
}

// looked visits the fleet page, which makes the dashboard check every agent, and waits for that.
func looked(k *kit.Keeper, client *http.Client) error {
	if _, err := get(client, "http://"+k.Addr+"/"); err != nil {
		return err
	}
	return quiet(k)
}

// quiet waits until the keeper has nothing more to do.
func quiet(k *kit.Keeper) error {
	for {
		if busy, err := processor(k, 2*time.Second); err != nil || busy < 2 {
			return err
		}
	}
}

func get(client *http.Client, address string) (string, error) {
	res, err := client.Get(address)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s\n%s", address, res.Status, body)
	}
	return string(body), err
}

// compare fetches a page and the same bytes from a bare handler alternately, so that both see the same noise.
func compare(dir string, client *http.Client, what, page string, rounds int) (rows []kit.Row, err error) {
	began := time.Now()
	body, err := get(client, page)
	if err != nil {
		return nil, err
	}
	first := time.Since(began)
	name := filepath.Join(dir, "page.html")
	if err := os.WriteFile(name, []byte(body), 0o644); err != nil {
		return nil, err
	}
	cmd := exec.Command(os.Args[0], "-bare", name)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	var floor string
	if _, err := fmt.Fscanln(out, &floor); err != nil {
		return nil, err
	}
	var ours, bare []time.Duration
	for range rounds {
		for _, x := range []struct {
			address string
			times   *[]time.Duration
		}{{page, &ours}, {floor, &bare}} {
			d, err := firstByte(client, x.address)
			if err != nil {
				return nil, err
			}
			*x.times = append(*x.times, d)
		}
	}
	low, high := kit.Ms(kit.Median(bare)), kit.Ms(kit.Median(ours))
	return []kit.Row{
		{What: "bare handler, the same bytes", Value: low, Unit: "ms"},
		{What: what + ", first byte", Value: high, Unit: "ms", Ratio: high / low, Goal: "2000 ms"},
		{What: "the same, first time", Value: kit.Ms(first), Unit: "ms"},
		{What: "its size", Value: float64(len(body)) / 1000, Unit: "KB", Goal: "100"},
	}, nil
}

// firstByte returns how long a request takes until its first byte.
func firstByte(client *http.Client, address string) (time.Duration, error) {
	var at time.Time
	ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{GotFirstResponseByte: func() { at = time.Now() }})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	res, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return at.Sub(began), err
}

// serveBare sends a file from memory, in a process of its own like the keeper.
func serveBare(name string) error {
	body, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + l.Addr().String() + "/")
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(body)
	}))
}

// searched searches all agents, page by page to the end.
func searched(k *kit.Keeper, client *http.Client) ([]kit.Row, error) {
	next := "/search?q=note&past=1"
	var times []time.Duration
	began, largest := time.Now(), 0
	for next != "" {
		at := time.Now()
		body, err := get(client, "http://"+k.Addr+next)
		if err != nil {
			return nil, err
		}
		times, largest = append(times, time.Since(at)), max(largest, len(body))
		next = ""
		if m := nextPage().FindStringSubmatch(body); m != nil {
			next = html.UnescapeString(m[1])
		}
	}
	return []kit.Row{
		{What: "search of all agents, past included", Value: time.Since(began).Seconds(), Unit: "s"},
		{What: "its pages", Value: float64(len(times)), Unit: ""},
		{What: "slowest page", Value: slices.Max(times).Seconds(), Unit: "s"},
		{What: "largest page", Value: float64(largest) / 1000, Unit: "KB", Goal: "100"},
	}, nil
}

var nextPage = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`id="goon" class="[^"]*" href="([^"]+)"`) })

// live opens connections and compares what the keeper does with and without them while nothing changes. Half are fleet
// pages, half are pages of one agent.
func live(k *kit.Keeper, client *http.Client, open int, watch time.Duration) ([]kit.Row, error) {
	without, err := processor(k, watch)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var sent atomic.Int64
	for i := range open {
		address := "http://" + k.Addr + "/events"
		if i%2 == 1 {
			address += "?agent=many"
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return nil, err
		}
		res, err := client.Do(req)
		if err != nil {
			return nil, err
		}
		if res.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("/events: %s", res.Status)
		}
		go func() {
			for lines := bufio.NewScanner(res.Body); lines.Scan(); {
				if strings.HasPrefix(lines.Text(), "event:") {
					sent.Add(1)
				}
			}
		}()
	}
	with, err := processor(k, watch)
	return []kit.Row{
		{What: "processor, no page open", Value: without, Unit: "% of a core"},
		{What: fmt.Sprintf("processor, %d pages open", open), Value: with, Unit: "% of a core"},
		{What: "what the open pages cost", Value: max(0, with-without), Unit: "% of a core", Goal: "1"},
		{What: "changes sent to them meanwhile", Value: float64(sent.Load()), Unit: ""},
	}, err
}

// processor returns how much of a core the keeper uses.
func processor(k *kit.Keeper, d time.Duration) (float64, error) {
	before, err := k.Metrics()
	if err != nil {
		return 0, err
	}
	time.Sleep(d)
	after, err := k.Metrics()
	const name = "process_cpu_seconds_total"
	return 100 * (after[name] - before[name]) / d.Seconds(), err
}
