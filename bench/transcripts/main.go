// Command transcripts measures the import of past sessions: gigabytes of them, interrupted by a signal, killed, and run to
// the end.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"tend/bench/kit"
)

func main() {
	size := flag.Int64("size", 2, "gigabytes of sessions")
	asJSON := flag.Bool("json", false, "print figures as JSON")
	flag.Parse()
	kit.Measure("", fmt.Sprintf("Import of %d GB of sessions", *size), *asJSON, func(dir string) ([]kit.Row, error) {
		return measure(dir, *size<<30)
	})
}

const config = "version: 1\nstate_dir: ./state\ndefaults: {layout: openclaw@2026.9, timezone: UTC}\nagents:\n  scout: {workspace: ./ws}\n"

func measure(dir string, size int64) ([]kit.Row, error) {
	tend, err := kit.BuildTend(dir)
	if err != nil {
		return nil, err
	}
	sessions := filepath.Join(dir, "sessions")
	n, said, err := generate(sessions, size)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.MkdirAll(filepath.Join(dir, "ws", "memory"), 0o755),
		os.WriteFile(filepath.Join(dir, "ws", "MEMORY.md"), []byte("# Memory\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "tend.yaml"), []byte(config), 0o644)); err != nil {
		return nil, err
	}
	began := time.Now()
	if err := readAll(sessions); err != nil {
		return nil, err
	}
	floor := time.Since(began)
	args := []string{"--config", filepath.Join(dir, "tend.yaml"), "--json", "import", "--transcripts", sessions}
	stop, peakStopped, err := interrupted(tend, args, dir, 0, os.Interrupt)
	if err != nil {
		return nil, err
	}
	_, peakKilled, err := interrupted(tend, args, dir, notes(dir), os.Kill)
	if err != nil {
		return nil, err
	}
	rest, err := kit.Run(tend, args...)
	if err != nil {
		return nil, err
	}
	again, err := kit.Run(tend, args...)
	if err != nil {
		return nil, err
	}
	var out struct {
		Imported int   `json:"imported"`
		Actions  []any `json:"actions"`
	}
	if err := json.Unmarshal(again.Out, &out); err != nil || out.Imported != 0 || len(out.Actions) != 0 {
		return nil, fmt.Errorf("a second run added something: %s %w", again.Out, err)
	}
	if err := complete(dir, n); err != nil {
		return nil, err
	}
	return []kit.Row{
		{What: "sessions", Value: float64(n)},
		{What: "statements in them", Value: float64(said)},
		{What: "floor: a bare read of every line", Value: floor.Seconds(), Unit: "s"},
		{What: "from SIGINT to the end", Value: stop.Seconds(), Unit: "s", Goal: "<= 1"},
		{What: "peak memory until SIGINT", Value: peakStopped, Unit: "MiB", Goal: "<= 200"},
		{What: "peak memory until SIGKILL", Value: peakKilled, Unit: "MiB", Goal: "<= 200"},
		{What: "the rest, to the end", Value: rest.Wall.Seconds(), Unit: "s"},
		{What: "peak memory of the rest", Value: rest.PeakMiB, Unit: "MiB", Goal: "<= 200"},
		{What: "again, nothing new", Value: again.Wall.Seconds(), Unit: "s"},
		{What: "peak memory of that", Value: again.PeakMiB, Unit: "MiB", Goal: "<= 200"},
		{What: "notes it made", Value: float64(notes(dir)) / (1 << 20), Unit: "MiB"},
	}, nil
}

// generate writes sessions in the manner of Claude Code's: a few words of people among pages of tools' output.
func generate(dir string, size int64) (n, said int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, 0, err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("build deploy error warning test passed failed line module server port config cache queue retry index token " +
		"user file path")
	var page strings.Builder
	for page.Len() < 1<<20 {
		page.WriteString(words[rng.IntN(len(words))] + " ")
	}
	at := time.Date(2026, 1, 1, 6, 0, 0, 0, time.UTC)
	for written := int64(0); written < size; n++ {
		at = at.Add(time.Duration(rng.IntN(300)) * time.Minute)
		if at.Year() > 2026 || at.YearDay() > 300 {
			at = time.Date(2026, 1, 1, 6, n%60, 0, 0, time.UTC)
		}
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%08d-0000-4000-8000-000000000000.jsonl", n)))
		if err != nil {
			return n, said, err
		}
		w := bufio.NewWriterSize(f, 1<<20)
		now := at
		for range 10 + rng.IntN(60) {
			stamp := now.Format(time.RFC3339)
			head := fmt.Sprintf(`"sessionId":"%08d-0000-4000-8000-000000000000","uuid":"u","timestamp":%q`, n, stamp)
			from := rng.IntN(page.Len() - 400)
			k, err := fmt.Fprintf(w, `{"type":"user","message":{"role":"user","content":"Please look at %s"},%s}`+"\n", page.String()[from:from+20+rng.IntN(300)], head)
			written += int64(k)
			for range 1 + rng.IntN(8) {
				from, length := rng.IntN(page.Len()/2), 500+rng.IntN(40_000)
				k, _ := fmt.Fprintf(w, `{"type":"assistant","message":{"role":"assistant","model":"m","content":[{"type":"text","text":"Now %s"},{"type":"tool_use","name":"Bash","input":{"command":"make"}}],"usage":{"input_tokens":5}},%s}`+"\n",
					page.String()[from:from+80], head)
				j, _ := fmt.Fprintf(w, `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"%s"}]},"toolUseResult":{"stdout":"%s"},%s}`+"\n",
					page.String()[from:from+length], page.String()[from:from+length], head)
				written += int64(k + j)
			}
			said += 2
			now = now.Add(time.Duration(1+rng.IntN(12)) * time.Minute)
			if err != nil {
				return n, said, err
			}
		}
		if err := errors.Join(w.Flush(), f.Close()); err != nil {
			return n, said, err
		}
	}
	return n, said, nil
}

// readAll reads every line once.
func readAll(dir string) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		r := bufio.NewReaderSize(f, 1<<18)
		for err == nil || errors.Is(err, bufio.ErrBufferFull) {
			_, err = r.ReadSlice('\n')
		}
		if err := errors.Join(f.Close()); err != nil {
			return err
		}
		if !errors.Is(err, io.EOF) {
			return err
		}
	}
	return nil
}

// interrupted starts an import and ends it by a signal once the notes have grown. It returns how long it took to end.
func interrupted(tend string, args []string, dir string, from int64, sig os.Signal) (time.Duration, float64, error) {
	cmd := exec.Command(tend, args...)
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for notes(dir) <= from {
		select {
		case err := <-done:
			return 0, 0, fmt.Errorf("it ended before it was interrupted: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
	time.Sleep(100 * time.Millisecond) // in the middle of the next part
	began := time.Now()
	if err := cmd.Process.Signal(sig); err != nil {
		return 0, 0, err
	}
	<-done
	took := time.Since(began)
	return took, kit.PeakMiB(cmd.ProcessState), nil
}

// notes counts the bytes of the agent's logs.
func notes(dir string) (n int64) {
	list, _ := filepath.Glob(filepath.Join(dir, "ws", "memory", "*.md"))
	for _, name := range list {
		if i, err := os.Stat(name); err == nil {
			n += i.Size()
		}
	}
	return n
}

// complete checks that every session is in the logs, once on each of its days.
func complete(dir string, sessions int) error {
	list, err := filepath.Glob(filepath.Join(dir, "ws", "memory", "*.md"))
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, name := range list {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		here := map[string]bool{}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "source: ") {
				continue
			}
			_, id, _ := strings.Cut(line, ", session ")
			if here[id] {
				return fmt.Errorf("%s has a session twice: %s", name, id)
			}
			here[id], seen[id] = true, true
		}
	}
	if len(seen) != sessions {
		return fmt.Errorf("%d of %d sessions are in the logs", len(seen), sessions)
	}
	return nil
}
