// Package replicas runs several `tend up --store` processes on a real S3 server, with failing machines and networks.
package replicas

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tend/internal/app/replica"
	"tend/internal/front/cli"
	"tend/internal/sync/store/dial"
	"tend/internal/sync/store/storetest"
	"tend/test/require"
)

// asTend makes the test binary behave as tend.
const asTend = "TEND_TEST_AS_TEND"

func TestMain(m *testing.M) {
	if os.Getenv(asTend) != "" {
		os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

var must = require.NoError

// world is a store with replicas.
type world struct {
	t      *testing.T
	dir    string
	server *storetest.Server
	proxy  *storetest.Proxy
	store  *dial.Connected // direct connection to the server
	token  string
	nodes  []*node
	client *http.Client
}

const bucket = "memory"

// newWorld creates a store with a configuration and an operator's token.
func newWorld(t *testing.T, seed uint64, fleet string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), server: storetest.Serve(t, bucket), client: &http.Client{Timeout: 5 * time.Minute}}
	w.proxy = storetest.NewProxy(t, w.server.Endpoint, seed)
	t.Cleanup(w.client.CloseIdleConnections)
	var err error
	w.store, err = dial.Init(t.Context(), w.settings(w.server.Endpoint), time.Now())
	must(t, err)
	t.Cleanup(func() { w.store.Close() })
	must(t, replica.SetConfig(t.Context(), w.store, "test", time.Now().Add(-time.Hour), fleet))
	w.token = strings.TrimSpace(w.tend("token", "create", "--operator", "--quiet", "--store", "s3://"+bucket+"/tend",
		"--endpoint", w.server.Endpoint))
	return w
}

func (w *world) settings(endpoint string) dial.Settings {
	return dial.Settings{URL: "s3://" + bucket + "/tend", Endpoint: endpoint}
}

func command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asTend+"=1")
	return cmd
}

// tend runs a command to its end.
func (w *world) tend(args ...string) string {
	w.t.Helper()
	out, err := command(args...).Output()
	if err != nil {
		var e *exec.ExitError
		if errors.As(err, &e) {
			w.t.Fatalf("tend %s: %v\n%s", strings.Join(args, " "), err, e.Stderr)
		}
		w.t.Fatal(err)
	}
	return string(out)
}

// node is one replica.
type node struct {
	w     *world
	name  string
	addr  string
	cmd   *exec.Cmd
	log   *lines
	ready chan struct{}
	over  chan struct{}
}

// lines is a log that is read while it is written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
	saw  func(string)
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	if l.saw != nil {
		l.saw(l.text.String())
	}
	return len(p), nil
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// start starts a replica on an empty disk and waits until it serves.
func (w *world) start(name string, beat time.Duration) *node {
	w.t.Helper()
	addr, err := storetest.FreeAddr()
	must(w.t, err)
	n := &node{w: w, name: name, addr: addr}
	must(w.t, n.start(beat))
	w.nodes = append(w.nodes, n)
	w.t.Cleanup(n.kill)
	return n
}

func (n *node) cache() string { return filepath.Join(n.w.dir, n.name) }

func (n *node) start(beat time.Duration) error {
	n.log, n.ready, n.over = &lines{}, make(chan struct{}), make(chan struct{})
	once := sync.OnceFunc(func() { close(n.ready) })
	n.log.saw = func(text string) {
		if strings.Contains(text, "msg=keeping") {
			once()
		}
	}
	n.cmd = command("up", "--store", "s3://"+bucket+"/tend", "--endpoint", n.w.proxy.Endpoint, "--cache", n.cache(), "--listen", n.addr,
		"--beat", beat.String(), "--verbose")
	n.cmd.Stderr, n.cmd.Stdout = n.log, n.log
	if err := n.cmd.Start(); err != nil {
		return err
	}
	cmd, over := n.cmd, n.over
	go func() { _ = cmd.Wait(); close(over) }()
	select {
	case <-n.ready:
		return nil
	case <-n.over:
		return fmt.Errorf("%s ended: %s", n.name, n.log)
	case <-time.After(10 * time.Minute):
		n.kill()
		return fmt.Errorf("%s does not serve: %s", n.name, n.log)
	}
}

// kill ends a replica with SIGKILL.
func (n *node) kill() {
	_ = n.cmd.Process.Kill()
	<-n.over
}

// answer is a tool's answer.
type answer struct {
	Text   string
	Error  string // its code
	Action string
	Lost   bool // unknown whether it was done
}

// call calls a tool of an agent on one replica.
func (n *node) call(ctx context.Context, agent, tool string, args map[string]any) answer {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": args}})
	must(n.w.t, err)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+n.addr+"/mcp/"+agent, bytes.NewReader(body))
	must(n.w.t, err)
	req.Header.Set("Authorization", "Bearer "+n.w.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := n.w.client.Do(req)
	if err != nil {
		return answer{Lost: true, Text: err.Error()}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return answer{Lost: true, Text: fmt.Sprint(resp.Status, " ", string(text))}
	}
	for line := range strings.Lines(string(text)) {
		data, ok := strings.CutPrefix(line, "data:")
		if !ok {
			continue
		}
		var m struct {
			Result struct {
				Meta struct {
					Error struct {
						Code string `json:"code"`
					} `json:"tend/error"`
					Receipt struct {
						Action string `json:"action"`
					} `json:"tend/receipt"`
				} `json:"_meta"`
				Content []struct {
					Text string `json:"text"`
				} `json:"content"`
				IsError bool `json:"isError"`
			} `json:"result"`
			Error *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal([]byte(data), &m) != nil || m.Error != nil || len(m.Result.Content) == 0 {
			return answer{Lost: true, Text: data}
		}
		a := answer{Text: m.Result.Content[0].Text, Action: m.Result.Meta.Receipt.Action}
		if m.Result.IsError {
			a.Error = m.Result.Meta.Error.Code
			a.Lost = a.Error == "failed" || a.Error == ""
		}
		return a
	}
	return answer{Lost: true, Text: string(text)}
}

// until waits for a condition.
func (w *world) until(what string, is func() bool) {
	w.t.Helper()
	for end := time.Now().Add(10 * time.Minute); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			for _, n := range w.nodes {
				log := n.log.String()
				w.t.Logf("%s:\n%s", n.name, log[max(0, len(log)-3000):])
			}
			w.t.Fatalf("%s: waited in vain", what)
		}
	}
}

// files returns the files of an agent in a replica's folder that are in the journal.
func (n *node) files(t *testing.T, agent string) map[string]string {
	t.Helper()
	homes, err := filepath.Glob(filepath.Join(n.cache(), "*", "tend.yaml"))
	must(t, err)
	if len(homes) != 1 {
		t.Fatalf("%s has the folders %v", n.name, homes)
	}
	out, home := map[string]string{}, filepath.Dir(homes[0])
	for _, dir := range []string{"workspaces/" + agent, "state/agents/" + agent + "/ledger",
		"state/archive/" + agent, "state/trash/" + agent} {
		err := filepath.WalkDir(filepath.Join(home, dir), func(p string, e os.DirEntry, err error) error {
			if errors.Is(err, os.ErrNotExist) || err == nil && e.IsDir() {
				return nil
			}
			if err != nil {
				return err
			}
			text, err := os.ReadFile(p)
			rel, _ := filepath.Rel(home, p)
			out[rel] = string(text)
			return err
		})
		must(t, err)
	}
	return out
}
