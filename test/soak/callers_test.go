//go:build !windows

package soak

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// caller writes over MCP. What was acknowledged is durable, even if the keeper is killed.
type caller struct {
	town   *town
	id     int
	secret string
	addr   *atomic.Value // of the current keeper
	asked  int
	acked  []int // numbers of lines
	failed int   // calls without an answer
	took   []time.Duration
}

// operatorToken creates a token for all agents.
func operatorToken(t *testing.T, bin string, w *town) string {
	t.Helper()
	out, err := exec.Command(bin, "--config", w.path("tend.yaml"), "--quiet", "token", "create", "--operator").Output()
	if err != nil {
		t.Fatalf("make a token: %v", err)
	}
	return strings.TrimSpace(string(out))
}

func (c *caller) run(ctx context.Context, every time.Duration) {
	r := rand.New(rand.NewPCG(uint64(c.id), 11))
	tick := time.NewTicker(every)
	defer tick.Stop()
	client := &http.Client{Timeout: time.Minute}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		addr, _ := c.addr.Load().(string)
		if addr == "" {
			continue
		}
		n := c.asked
		c.asked++
		began := time.Now()
		if err := c.call(client, addr, c.town.agents[r.IntN(len(c.town.agents))], line(c.id, n)); err != nil {
			c.failed++
			continue
		}
		c.took = append(c.took, time.Since(began))
		c.acked = append(c.acked, n)
	}
}

func (c *caller) call(client *http.Client, addr, agent, text string) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": "memory_append", "arguments": map[string]any{"filename": "MEMORY.md", "text": text},
		"_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "soak", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		},
	}})
	if err != nil {
		return err
	}
	req, err := http.NewRequest(http.MethodPost, "http://"+addr+"/mcp/"+agent, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for k, v := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + c.secret,
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "memory_append",
	} {
		req.Header.Set(k, v)
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err == nil && (res.StatusCode != http.StatusOK || bytes.Contains(answer, []byte(`"isError":true`)) ||
		!bytes.Contains(answer, []byte(`"result"`))) {
		err = fmt.Errorf("%s: %.300s", res.Status, answer)
	}
	return err
}
