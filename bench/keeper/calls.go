package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tend/bench/kit"
)

// request is one tool call of the stateless protocol.
func request(tool string, args map[string]any) []byte {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": tool, "arguments": args,
		"_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "bench", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		},
	}})
	if err != nil {
		panic(err)
	}
	return body
}

// serveBare serves a tool that reads a file with the SDK alone, in a process of its own like the keeper.
func serveBare(file string) error {
	s := sdk.NewServer(&sdk.Implementation{Name: "bare", Version: "1"}, nil)
	type in struct {
		Filename string `json:"filename"`
	}
	sdk.AddTool(s, &sdk.Tool{Name: "memory_read", Description: "read"},
		func(context.Context, *sdk.CallToolRequest, in) (*sdk.CallToolResult, any, error) {
			text, err := os.ReadFile(file)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}, nil, err
		})
	h := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: true})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return http.Serve(l, h)
}

func bare(file string) (addr string, stop func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command(self, "-bare", file)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	addr, err = bufio.NewReader(pipe).ReadString('\n')
	return strings.TrimSpace(addr), cmd.Process.Kill, err
}

// calls measures both with the same client, in alternating rounds.
func calls(tend, config, addr string, length time.Duration) ([]kit.Row, error) {
	secret, err := exec.Command(tend, "--config", config, "--quiet", "token", "create", "a00000").Output()
	if err != nil {
		return nil, fmt.Errorf("make a token: %w", err)
	}
	floor, stop, err := bare(strings.TrimSuffix(config, "tend.yaml") + "ws/a00000/MEMORY.md")
	if err != nil {
		return nil, err
	}
	defer stop()
	body := request("memory_read", map[string]any{"filename": "MEMORY.md"})
	var rows []kit.Row
	for _, clients := range []int{1, 16, 64} {
		base, err := load("http://"+floor+"/mcp", "", body, clients, length)
		if err != nil {
			return nil, err
		}
		ours, err := load("http://"+addr+"/mcp", strings.TrimSpace(string(secret)), body, clients, length)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("MCP over HTTP, %d clients: ", clients)
		rows = append(rows,
			kit.Row{What: name + "p50", Value: kit.Ms(ours.p50), Unit: "ms", Ratio: float64(ours.p50) / float64(base.p50),
				Goal: "1.5x a bare handler"},
			kit.Row{What: name + "p99", Value: kit.Ms(ours.p99), Unit: "ms", Ratio: float64(ours.p99) / float64(base.p99)},
			kit.Row{What: name + "throughput", Value: ours.rate, Unit: "calls/s", Ratio: base.rate / ours.rate, Goal: "1.5x a bare handler"})
	}
	return rows, nil
}

type result struct {
	p50, p99 time.Duration
	rate     float64
}

func load(url, secret string, body []byte, clients int, length time.Duration) (result, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	defer client.CloseIdleConnections()
	took := make([][]time.Duration, clients)
	errs := make([]error, clients)
	until := time.Now().Add(length)
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for time.Now().Before(until) {
				began := time.Now()
				if errs[c] = one(client, url, secret, body); errs[c] != nil {
					return
				}
				took[c] = append(took[c], time.Since(began))
			}
		})
	}
	wg.Wait()
	all := slices.Concat(took...)
	if err := errors.Join(errs...); err != nil || len(all) == 0 {
		return result{}, err
	}
	slices.Sort(all)
	return result{all[len(all)/2], all[len(all)*99/100], float64(len(all)) / length.Seconds()}, nil
}

func one(client *http.Client, url, secret string, body []byte) error {
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for k, v := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "memory_read",
	} {
		req.Header.Set(k, v)
	}
	if secret != "" {
		req.Header.Set("Authorization", "Bearer "+secret)
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && (res.StatusCode != http.StatusOK || bytes.Contains(text, []byte(`"isError":true`))) {
		err = fmt.Errorf("answered %s: %.200s", res.Status, text)
	}
	return err
}
