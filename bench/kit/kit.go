// Package kit is what the benchmarks share: a fleet on disk, the tend binary,
// repeated timing and a table of ratios.
package kit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"
)

// Fleet is a folder of agents with baselines and notes.
type Fleet struct {
	Dir    string
	Config string
	Agents int
}

// Baseline returns a baseline of the usual size for one agent.
func Baseline(i int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Agent %d\n\n## Who I Am\n\n", i)
	for j := 0; b.Len() < 12<<10; j++ {
		fmt.Fprintf(&b, "Rule %d of agent %d: look before you leap, write down what you saw, and ask when unsure.\n", j, i)
	}
	b.WriteString("\n---\n## Scratch Notes\n")
	return []byte(b.String())
}

// Notes returns what an agent adds in a few hours.
func Notes(i, round int) []byte {
	var b strings.Builder
	for j := range 20 {
		fmt.Fprintf(&b, "- [lesson] agent %d, round %d, note %d: the port is %d and not what the page says\n", i, round, j, 8000+j)
	}
	return []byte(b.String())
}

// Build creates a fleet below dir and approves its baselines.
func Build(dir, tend string, agents int) (Fleet, error) {
	f := Fleet{Dir: dir, Config: filepath.Join(dir, "tend.yaml"), Agents: agents}
	var conf strings.Builder
	conf.WriteString("version: 1\nstate_dir: ./state\ndefaults:\n  layout: shepherd\n  timezone: UTC\nagents:\n")
	for i := range agents {
		name := f.name(i)
		fmt.Fprintf(&conf, "  %s:\n    workspace: ./ws/%s\n    baselines:\n      MEMORY.md: ./base/%s.md\n", name, name, name)
		if err := write(filepath.Join(dir, "base", name+".md"), Baseline(i)); err != nil {
			return f, err
		}
		if err := write(f.Memory(i), Baseline(i)); err != nil {
			return f, err
		}
	}
	if err := write(f.Config, []byte(conf.String())); err != nil {
		return f, err
	}
	_, err := Run(tend, "--config", f.Config, "--quiet", "baseline", "approve", "--all")
	return f, err
}

func (f Fleet) name(i int) string { return fmt.Sprintf("a%05d", i) }

// Memory returns the path of an agent's memory file.
func (f Fleet) Memory(i int) string { return filepath.Join(f.Dir, "ws", f.name(i), "MEMORY.md") }

// Source returns the path of an agent's baseline.
func (f Fleet) Source(i int) string { return filepath.Join(f.Dir, "base", f.name(i)+".md") }

// AddNotes appends notes to every agent's memory and syncs the disk.
func (f Fleet) AddNotes(round int) error {
	for i := range f.Agents {
		if err := Append(f.Memory(i), string(Notes(i, round))); err != nil {
			return err
		}
	}
	flushDisk()
	return nil
}

func write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}

// Append adds to a file.
func Append(name, text string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// Usage is what a command used.
type Usage struct {
	Wall    time.Duration
	CPU     time.Duration
	PeakMiB float64
	Out     []byte
}

// Run runs a command to its end.
func Run(name string, args ...string) (Usage, error) {
	cmd := exec.Command(name, args...)
	var diag strings.Builder
	cmd.Stderr = &diag
	began := time.Now()
	out, err := cmd.Output()
	u := Usage{Wall: time.Since(began), Out: out}
	u.PeakMiB = PeakMiB(cmd.ProcessState)
	if cmd.ProcessState != nil {
		u.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if err != nil {
		return u, fmt.Errorf("%s %s: %w: %s%s", filepath.Base(name), strings.Join(args, " "), err, diag.String(), tail(out))
	}
	return u, nil
}

func tail(out []byte) []byte { return out[max(0, len(out)-400):] }

// BuildTend compiles the program under test, static as it is shipped.
func BuildTend(dir string) (string, error) { return GoBuild(filepath.Join(dir, "tend"), "./cmd/tend") }

// TendAndFleet builds tend, and a fleet below the same folder.
func TendAndFleet(dir string, agents int) (tend string, f Fleet, err error) {
	if tend, err = BuildTend(dir); err == nil {
		f, err = Build(filepath.Join(dir, "fleet"), tend, agents)
	}
	return tend, f, err
}

// GoBuild compiles a package.
func GoBuild(out, pkg string) (string, error) {
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if diag, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w: %s", pkg, err, diag)
	}
	return out, nil
}

// Install copies a program as installers do. The page cache then has it in larger pieces than a file that was just linked
// or first read by running it.
func Install(program string) (string, error) {
	data, err := os.ReadFile(program)
	if err != nil {
		return "", err
	}
	installed := program + "-installed"
	return installed, os.WriteFile(installed, data, 0o755)
}

// Row is one line of a result: a measurement, and its ratio to the floor.
type Row struct {
	What  string  `json:"what"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Ratio float64 `json:"ratio,omitempty"` // to the floor of the same run
	Goal  string  `json:"goal,omitempty"`
}

// Print writes the rows as a table, or as JSON.
func Print(w io.Writer, title string, rows []Row, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(map[string]any{"benchmark": title, "rows": rows})
	}
	fmt.Fprintf(w, "\n%s\n\n", title)
	tw := tabwriter.NewWriter(w, 2, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "what\tvalue\tratio\tgoal\t")
	for _, r := range rows {
		ratio := ""
		if r.Ratio > 0 {
			ratio = fmt.Sprintf("%.2fx", r.Ratio)
		}
		fmt.Fprintf(tw, "%s\t%.3f %s\t%s\t%s\t\n", r.What, r.Value, r.Unit, ratio, r.Goal)
	}
	return tw.Flush()
}

// Median returns the median of timings.
func Median(ds []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(ds))
	return s[len(s)/2]
}

// Ms returns a duration in milliseconds.
func Ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Measure measures in a folder, or in a temporary one if it is "", and prints the figures.
func Measure(dir, title string, asJSON bool, measure func(dir string) ([]Row, error)) {
	In(dir, func(dir string) error {
		rows, err := measure(dir)
		if err != nil {
			return err
		}
		return Print(os.Stdout, title, rows, asJSON)
	})
}

// In calls do with a folder, a temporary one if dir is "". An error ends the program with exit code 1.
func In(dir string, do func(dir string) error) {
	log.SetFlags(0)
	err := in(dir, do)
	if err != nil {
		log.Fatal(err)
	}
}

func in(dir string, do func(dir string) error) (err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "tend-bench-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	return do(dir)
}

// Each calls do for 0 … n-1 with several workers and returns an error if there was one.
func Each(workers, n int, do func(int) error) error {
	var g errgroup.Group
	g.SetLimit(workers)
	for i := range n {
		g.Go(func() error { return do(i) })
	}
	return g.Wait()
}
