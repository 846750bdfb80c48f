package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"

	"tend/internal/app/memory"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/state/guard"
)

var update = flag.Bool("update", false, "write what was answered into the conversations")

// TestTalks replays conversations with a server, as sent over the wire. In a script's talk section
//
//	> TOOL {arguments}     calls a tool
//	> {"method": …}        sends any request
//	$ COMMAND …            is another program that changes the disk: put, append, mkdir, symlink, link, fifo, rm, cat, ls
//	= …                    is the answer; ! is a tool's error
//
// The comment above the files says what it is about, and "flags:" in it what the
// server is started with. Files go into the workspace, those under base/ are the
// operator's, tend.yaml overrides the configuration.
func TestTalks(t *testing.T) {
	scripts, err := filepath.Glob("testdata/talk/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, name := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(name)
			must(t, err)
			got := talk(t, a)
			for i := range a.Files {
				if a.Files[i].Name != "talk" {
					continue
				}
				if *update {
					a.Files[i].Data = got
					must(t, os.WriteFile(name, txtar.Format(a), 0o644))
				}
				if diff := cmp.Diff(strings.Split(string(a.Files[i].Data), "\n"), strings.Split(string(got), "\n")); diff != "" {
					t.Errorf("the conversation went otherwise (-script +got):\n%s", diff)
				}
			}
		})
	}
}

const talkConfig = `version: 1
state_dir: ./state
defaults:
  layout: openclaw@2026.9
  timezone: UTC
agents:
  ada:
    workspace: ./ws
%s`

// talk runs a script and returns its talk section with the actual answers.
func talk(t *testing.T, a *txtar.Archive) []byte {
	dir := t.TempDir()
	ws := filepath.Join(dir, "ws")
	must(t, os.Mkdir(ws, 0o755))
	conf, script := "", []byte(nil)
	for _, f := range a.Files {
		switch {
		case f.Name == "talk":
			script = f.Data
		case f.Name == "tend.yaml":
			conf = string(f.Data)
		case strings.HasPrefix(f.Name, "base/"):
			put(t, filepath.Join(dir, f.Name), f.Data)
		default:
			put(t, filepath.Join(ws, f.Name), f.Data)
		}
	}
	if !strings.HasPrefix(conf, "version:") {
		conf = fmt.Sprintf(talkConfig, conf)
	}
	put(t, filepath.Join(dir, "tend.yaml"), []byte(conf))
	_, flags, _ := strings.Cut(string(a.Comment), "flags:")
	flags, _, _ = strings.Cut(flags, "\n")
	approve(t, dir)
	w := connect(t, dir, strings.Fields(flags))
	w.disk = ws

	var out bytes.Buffer
	for line := range strings.Lines(string(script)) {
		if line[0] == '=' || line[0] == '!' {
			continue
		}
		out.WriteString(line)
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, ">"):
			out.WriteString(w.ask(strings.TrimSpace(line[1:])))
		case strings.HasPrefix(line, "$"):
			out.WriteString(w.other(strings.TrimSpace(line[1:])))
		}
	}
	return out.Bytes()
}

func put(t *testing.T, name string, data []byte) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.WriteFile(name, data, 0o644))
}

// wire is a client that speaks lines of JSON.
type wire struct {
	t       *testing.T
	in      io.Writer
	out     *bufio.Reader
	id      int
	disk    string
	action  string // the last one answered
	version string
}

// open opens the agent of the configuration in a folder.
func open(t testing.TB, dir string, write bool) *fleet.Agent {
	t.Helper()
	env, err := config.OSEnv()
	must(t, err)
	cfg, err := config.Load(filepath.Join(dir, "tend.yaml"), env)
	must(t, err)
	clock := time.Date(2026, 11, 15, 14, 5, 0, 0, time.UTC)
	f, err := fleet.Open(cfg, fleet.Options{Write: write, Clock: func() time.Time { return clock }})
	must(t, err)
	ag, err := f.Agent(t.Context(), cfg.Agents[0].Name)
	must(t, err)
	t.Cleanup(func() {
		ag.Close()
		f.Close()
	})
	return ag
}

// approve approves all baselines: an unapproved draft has no effect.
func approve(t *testing.T, dir string) {
	t.Helper()
	ag := open(t, dir, true)
	list, err := ag.Baselines.List()
	must(t, err)
	list = slices.DeleteFunc(list, func(b guard.Baseline) bool { return b.Name == "draft.md" })
	if len(list) == 0 {
		return
	}
	if _, err := ag.Guard.Approve(list, "tester", 1, nil); err != nil {
		t.Fatal(err)
	}
}

// connect starts a server on a pair of pipes and initializes the session.
func connect(t *testing.T, dir string, flags []string) *wire {
	o := Options{Version: "test"}
	for i, f := range flags {
		switch f {
		case "--read-only":
			o.ReadOnly = true
		case "--profile":
			o.Profile = Profile(flags[i+1])
		case "--dialect":
			o.Dialect = Dialect(flags[i+1])
		}
	}
	ag := open(t, dir, !o.ReadOnly)
	o.NoTools = !ag.MemoryTools
	ctx, stop := context.WithCancel(context.Background())
	m := memory.New(ag, memory.Options{})
	s, err := New(m, o)
	must(t, err)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, &sdk.IOTransport{Reader: inR, Writer: outW}) }()
	t.Cleanup(func() {
		inW.Close()
		stop()
		outR.Close()
		<-done
	})
	w := &wire{t: t, in: inW, out: bufio.NewReaderSize(outR, 1<<20)}
	w.request(`{"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"talk","version":"1"}}}`)
	fmt.Fprintln(w.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return w
}

// request sends one request and returns what the answer has besides its id.
func (w *wire) request(body string) map[string]json.RawMessage {
	w.t.Helper()
	w.id++
	var msg map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &msg); err != nil {
		w.t.Fatalf("%s: %v", body, err)
	}
	msg["jsonrpc"], msg["id"] = json.RawMessage(`"2.0"`), json.RawMessage(fmt.Sprint(w.id))
	line, err := json.Marshal(msg)
	must(w.t, err)
	if _, err := fmt.Fprintf(w.in, "%s\n", line); err != nil {
		w.t.Fatal(err)
	}
	for {
		line, err := w.out.ReadBytes('\n')
		if err != nil {
			w.t.Fatalf("after %s: %v", body, err)
		}
		var answer map[string]json.RawMessage
		if err := json.Unmarshal(line, &answer); err != nil {
			w.t.Fatalf("%s: %v", line, err)
		}
		if string(answer["id"]) == fmt.Sprint(w.id) {
			return answer
		}
	}
}

// ask sends a line of a script and renders the answer.
func (w *wire) ask(line string) string {
	line = strings.NewReplacer("$ACTION", w.action, "$VERSION", w.version, "$NUL", `\u0000`).Replace(line)
	if strings.HasPrefix(line, "{") {
		answer := w.request(line)
		return prefixed("=", strings.ReplaceAll(canonical(w.t, answer), w.disk, "WS"))
	}
	name, args, _ := strings.Cut(line, " ")
	if args == "" {
		args = "{}"
	}
	answer := w.request(fmt.Sprintf(`{"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, args))
	var res struct {
		IsError bool `json:"isError"`
		Content []struct{ Text string }
	}
	if answer["result"] == nil {
		return prefixed("=", canonical(w.t, answer))
	}
	must(w.t, json.Unmarshal(answer["result"], &res))
	mark := "="
	if res.IsError {
		mark = "!"
	}
	var b strings.Builder
	for i, c := range res.Content {
		if i > 0 {
			b.WriteString(mark + "\n")
		}
		b.WriteString(prefixed(mark, w.steady(c.Text)))
	}
	return b.String()
}

var (
	actionID = regexp.MustCompile(`([Aa]ction |@)(1[0-9a-z]{9})\b`)
	versions = regexp.MustCompile(`version ([0-9a-f]{12})\b`)
	times    = regexp.MustCompile(`\b\d{4}-\d\d-\d\d \d\d:\d\d$`)
	logLines = regexp.MustCompile(`(?m)^1[0-9a-z]{9}(  \d{4}-\d\d-\d\d)`)
)

// steady records ids and versions, and masks what differs from run to run.
func (w *wire) steady(text string) string {
	if m := actionID.FindStringSubmatch(text); m != nil {
		w.action = m[2]
	}
	if m := versions.FindAllStringSubmatch(text, -1); m != nil {
		w.version = m[len(m)-1][1]
	}
	text = actionID.ReplaceAllString(text, "${1}ACTION")
	text = logLines.ReplaceAllString(text, "ACTION$1")
	var b strings.Builder
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, "\n")
		b.WriteString(times.ReplaceAllString(body, "TIME") + line[len(body):])
	}
	return b.String()
}

func prefixed(mark, text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		b.WriteString(strings.TrimRight(mark+" "+line, " ") + "\n")
	}
	return b.String()
}

// canonical prints an answer with sorted keys, without id and version of JSON-RPC.
func canonical(t *testing.T, answer map[string]json.RawMessage) string {
	t.Helper()
	delete(answer, "jsonrpc")
	delete(answer, "id")
	var v any
	data, err := json.Marshal(answer)
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	must(t, err)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	must(t, enc.Encode(v))
	return b.String()
}
