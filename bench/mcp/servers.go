package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// server is a program to measure, with files of its own.
type server struct {
	name    string
	files   string // folder its files are in
	command []string
	calls   map[string]string // operation: its call as JSON, with {FILE} and {TEXT}

	cmd     *exec.Cmd
	session *mcp.ClientSession
}

// peerFlags name a server to compare with.
type peerFlags struct {
	command *string
	calls   map[string]string
}

func (p *peerFlags) add() {
	p.calls = map[string]string{}
	p.command = flag.String("peer", "", "`COMMAND` of another server; {DIR} stands for the folder of its files")
	for _, op := range []string{"read", "write", "replace", "list", "search"} {
		flag.Func("peer-"+op, fmt.Sprintf("its call to %s, as `JSON` {\"name\": …, \"arguments\": …} with {DIR}, {FILE}, {TEXT}, {OLD}", op),
			func(s string) error {
				p.calls[op] = s
				return nil
			})
	}
}

// ours are the calls of Tend's tools; the floor has the same.
var ours = map[string]string{
	"read":    `{"name":"memory_read","arguments":{"filename":"{FILE}"}}`,
	"write":   `{"name":"memory_write","arguments":{"filename":"{FILE}","content":"{TEXT}"}}`,
	"replace": `{"name":"memory_replace","arguments":{"filename":"{FILE}","old_str":"{OLD}","new_str":"{TEXT}"}}`,
	"list":    `{"name":"memory_list","arguments":{}}`,
}

// prepare creates the same files for every server.
func prepare(dir, tend, floor string, peer peerFlags, n int) ([]*server, error) {
	with := map[string]string{"search": `{"name":"memory_search","arguments":{"query":"{TEXT}"}}`}
	maps.Copy(with, ours)
	list := []*server{
		{name: "floor", files: filepath.Join(dir, "floor-ws"), calls: ours},
		{name: "tend", files: filepath.Join(dir, "ws", "memory"), calls: with}, // what this layout gives the agent
	}
	list[0].command = []string{floor, list[0].files}
	list[1].command = []string{tend, "--config", filepath.Join(dir, "tend.yaml"), "mcp", "ada"}
	if *peer.command != "" {
		s := &server{name: "peer", files: filepath.Join(dir, "peer-ws"), calls: map[string]string{}}
		s.command = strings.Fields(strings.ReplaceAll(*peer.command, "{DIR}", s.files))
		for op, call := range peer.calls {
			s.calls[op] = strings.ReplaceAll(call, "{DIR}", s.files)
		}
		list = append(list, s)
	}
	for _, s := range list {
		if err := os.MkdirAll(filepath.Join(s.files, "notes"), 0o755); err != nil {
			return nil, err
		}
		for i := range n {
			if err := os.WriteFile(filepath.Join(s.files, file(i)), []byte(sample(i)), 0o644); err != nil {
				return nil, err
			}
		}
	}
	conf := "version: 1\nstate_dir: ./state\nagents:\n  ada:\n    layout: harness@0.1\n    timezone: UTC\n    workspace: ./ws\n"
	if err := os.WriteFile(filepath.Join(dir, "tend.yaml"), []byte(conf), 0o644); err != nil {
		return nil, err
	}
	// Flush these files now. Otherwise the first durable write that is measured also pays for writing all of them.
	return list, exec.Command("sync").Run()
}

// start starts the server and initializes the session.
func (s *server) start(ctx context.Context) error {
	s.cmd = exec.Command(s.command[0], s.command[1:]...)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil).
		Connect(ctx, &mcp.CommandTransport{Command: s.cmd}, nil)
	if err != nil {
		return fmt.Errorf("start %s: %w", s.name, err)
	}
	s.session = session
	return nil
}

func (s *server) stop() error {
	if s.session == nil {
		return nil
	}
	err := s.session.Close()
	s.session = nil
	return err
}

// call runs one operation.
func (s *server) call(ctx context.Context, op, file, text, old string) error {
	params, err := s.params(op, file, text, old)
	if err != nil {
		return err
	}
	res, err := s.session.CallTool(ctx, params)
	if err == nil && res.IsError {
		err = errors.New(res.Content[0].(*mcp.TextContent).Text)
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w", s.name, op, err)
	}
	return nil
}

func (s *server) params(op, file, text, old string) (*mcp.CallToolParams, error) {
	quote := func(s string) string {
		b, _ := json.Marshal(s)
		return string(b[1 : len(b)-1])
	}
	body := strings.NewReplacer("{FILE}", quote(file), "{TEXT}", quote(text), "{OLD}", quote(old)).Replace(s.calls[op])
	var p mcp.CallToolParams
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", s.name, op, err)
	}
	return &p, nil
}
