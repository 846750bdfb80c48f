// Command harness compares Tend's truncation simulator with an installed OpenClaw, character by character.
//
//	harness -package DIR [-node NODE] [-layout openclaw@2026.9] [-n 1000] [-write FILE [-whole 12]]
//
// It creates random workspaces, has OpenClaw build what it would inject (through driver.mjs) and Tend simulate it, and
// shows the first difference. With -write it stores OpenClaw's answers, as digests and a few complete texts, for the
// ordinary tests, which run without OpenClaw.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/layout/loadview/loadviewtest"
)

//go:embed driver.mjs
var driver []byte

func main() {
	var (
		pkg   = flag.String("package", "", "folder of the installed openclaw package")
		node  = flag.String("node", "node", "node program, version 22 or later")
		ref   = flag.String("layout", "", "layout to compare with; by default the one for the package's version")
		n     = flag.Int("n", 1000, "number of workspaces")
		first = flag.Uint64("first", 1, "first seed")
		write = flag.String("write", "", "file of vectors to add the answers to")
		whole = flag.Int("whole", 12, "answers to store in full")
	)
	flag.Parse()
	if err := run(*pkg, *node, *ref, *first, *n, *write, *whole); err != nil {
		fmt.Fprintln(os.Stderr, "harness:", err)
		os.Exit(1)
	}
}

func run(pkg, node, ref string, first uint64, n int, write string, whole int) error {
	if pkg == "" {
		return errors.New("no -package given: npm install openclaw somewhere and name node_modules/openclaw")
	}
	version, err := versionOf(pkg)
	if err != nil {
		return err
	}
	ref = cmp.Or(ref, "openclaw@"+version)
	l, err := layout.Preset(ref)
	if err != nil {
		return err
	}
	answers, err := ask(pkg, node, l, first, n)
	if err != nil {
		return err
	}
	agree, shown := 0, 0
	for i, got := range answers {
		seed := first + uint64(i)
		w := loadviewtest.New(seed)
		want := loadviewtest.Shown(loadview.Inject(l, w.Files, w.Options))
		shown += len(got)
		if diff := difference(want, got); diff != "" {
			if i-agree < 3 {
				fmt.Printf("seed %d: %s\n  settings %+v\n", seed, diff, w.Options)
			}
			continue
		}
		agree++
	}
	fmt.Printf("openclaw %s against %s: %d of %d workspaces agree to the character (%d files shown)\n", version,
		l.Ref(), agree, len(answers), shown)
	if agree != len(answers) {
		return fmt.Errorf("%d workspaces differ", len(answers)-agree)
	}
	if write != "" {
		return store(write, version, loadviewtest.Record(l.Ref(), first, answers, whole))
	}
	return nil
}

func versionOf(pkg string) (string, error) {
	data, err := os.ReadFile(filepath.Join(pkg, "package.json"))
	if err != nil {
		return "", fmt.Errorf("read package: %w", err)
	}
	var p struct{ Name, Version string }
	if err := json.Unmarshal(data, &p); err != nil || p.Name != "openclaw" {
		return "", fmt.Errorf("%s is not the openclaw package", pkg)
	}
	return p.Version, nil
}

// request is a workspace as the driver reads it.
type request struct {
	ID       uint64        `json:"id"`
	Root     string        `json:"root"`
	Files    []requestFile `json:"files"`
	File     int           `json:"file,omitempty"`
	Total    int           `json:"total,omitempty"`
	Session  string        `json:"session,omitempty"`
	Defaults struct {
		File  int `json:"file"`
		Total int `json:"total"`
	} `json:"defaults"`
}

type requestFile struct {
	Name string        `json:"name"`
	Kind loadview.Kind `json:"kind,omitempty"`
	Data []byte        `json:"data,omitempty"`
}

// ask runs the driver once for all workspaces.
func ask(pkg, node string, l layout.Layout, first uint64, n int) ([][]loadviewtest.Text, error) {
	dir, err := os.MkdirTemp("", "tend-harness-")
	if err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	script := filepath.Join(dir, "driver.mjs")
	if err := os.WriteFile(script, driver, 0o600); err != nil {
		return nil, fmt.Errorf("write driver: %w", err)
	}
	var in, errOut bytes.Buffer
	enc := json.NewEncoder(&in)
	for i := range n {
		if err := enc.Encode(ask1(l, first+uint64(i))); err != nil {
			return nil, fmt.Errorf("encode workspace: %w", err)
		}
	}
	cmd := exec.Command(node, script, pkg)
	cmd.Stdin, cmd.Stderr = &in, &errOut
	cmd.Env = append(os.Environ(), "HOME="+dir, "TMPDIR="+dir)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w: %s", node, err, errOut.String())
	}
	return answers(bytes.NewReader(out), n)
}

func ask1(l layout.Layout, seed uint64) request {
	w := loadviewtest.New(seed)
	q := request{ID: seed, Root: loadviewtest.Root, File: w.Options.FileLimit, Total: w.Options.TotalLimit, Session: w.Options.Session}
	q.Defaults.File, q.Defaults.Total = l.Show.File.At(0), l.Show.Total
	for _, f := range w.Files {
		q.Files = append(q.Files, requestFile{Name: f.Name, Kind: f.Kind, Data: f.Data})
	}
	return q
}

func answers(r io.Reader, n int) ([][]loadviewtest.Text, error) {
	var out [][]loadviewtest.Text
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var a struct{ Files []loadviewtest.Text }
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			return nil, fmt.Errorf("read answer %d: %w", len(out)+1, err)
		}
		out = append(out, a.Files)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read answers: %w", err)
	}
	if len(out) != n {
		return nil, fmt.Errorf("%d answers to %d workspaces", len(out), n)
	}
	return out, nil
}

// difference describes the first difference between two answers, "" if there is none.
func difference(ours, theirs []loadviewtest.Text) string {
	for i := range max(len(ours), len(theirs)) {
		switch {
		case i >= len(ours):
			return fmt.Sprintf("openclaw also shows %s: %.200q", theirs[i].Name, theirs[i].Text)
		case i >= len(theirs):
			return fmt.Sprintf("tend also shows %s: %.200q", ours[i].Name, ours[i].Text)
		case ours[i].Name != theirs[i].Name:
			return fmt.Sprintf("tend shows %s where openclaw shows %s", ours[i].Name, theirs[i].Name)
		case ours[i].Text != theirs[i].Text:
			a, b := []rune(ours[i].Text), []rune(theirs[i].Text)
			at := 0
			for at < len(a) && at < len(b) && a[at] == b[at] {
				at++
			}
			return fmt.Sprintf("%s at character %d of %d/%d: tend %.120q, openclaw %.120q", ours[i].Name, at, len(a), len(b),
				string(a[at:]), string(b[at:]))
		}
	}
	return ""
}

// store adds a version's answers to the vectors.
func store(file, version string, v loadviewtest.Vectors) error {
	all := map[string]loadviewtest.Vectors{}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read vectors: %w", err)
	}
	all[version] = v
	data, err = json.MarshalIndent(all, "", " ")
	if err != nil {
		return fmt.Errorf("encode vectors: %w", err)
	}
	if err := os.WriteFile(file, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("write vectors: %w", err)
	}
	return nil
}
