package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"tend/internal/app/doctor"
	"tend/internal/text/session"
)

// hookInputs are the harnesses' inputs for the session-start hook.
var hookInputs = map[session.Hook]string{
	session.ClaudeCode: `{"session_id":"s1","transcript_path":"/t.jsonl","cwd":"/","hook_event_name":"SessionStart","source":"startup","model":"m"}`,
	session.Codex:      `{"session_id":"s1","transcript_path":null,"cwd":"/","hook_event_name":"SessionStart","model":"m","permission_mode":"default","source":"startup"}`,
	session.Gemini:     `{"session_id":"s1","transcript_path":"/t.json","cwd":"/","hook_event_name":"SessionStart","timestamp":"2026-11-15T00:00:00Z","source":"startup"}`,
	session.Hermes:     `{"hook_event_name":"pre_llm_call","tool_name":null,"tool_input":null,"session_id":"s1","cwd":"/","profile":"default","extra":{"is_first_turn":true,"user_message":"hello"}}`,
	session.Cursor:     `{"conversation_id":"c1","generation_id":"g1","hook_event_name":"sessionStart","workspace_roots":["/"],"session_id":"s1"}`,
	session.Generic:    "{}",
	session.OpenClaw:   `{"hook_event_name":"SessionStart"}`,
}

// commandIn finds a hook's command (context or checkpoint) in a settings file, with a parser other than Tend's own.
func commandIn(name, what string, data []byte) (string, error) {
	var v any
	switch filepath.Ext(name) {
	case ".json":
		if err := json.Unmarshal(data, &v); err != nil {
			return "", err
		}
	case ".yaml":
		if err := yaml.Unmarshal(data, &v); err != nil {
			return "", err
		}
	case ".toml":
		m := regexp.MustCompile(`(?m)^command = (".* ` + what + ` .*")$`).FindSubmatch(data)
		if m == nil {
			return "", errors.New("no command")
		}
		return unquoteJSON(string(m[1]))
	case ".js":
		tend := regexp.MustCompile(`(?m)^const tend = (".*");$`).FindSubmatch(data)
		args := regexp.MustCompile(`(?m)^const \w+ = (\[.*"` + what + `".*\]);$`).FindSubmatch(data)
		if tend == nil || args == nil {
			return "", errors.New("no command")
		}
		var list []string
		if err := json.Unmarshal(args[1], &list); err != nil {
			return "", err
		}
		bin, err := unquoteJSON(string(tend[1]))
		var command strings.Builder
		for _, word := range append([]string{bin}, list...) {
			command.WriteString("'" + strings.ReplaceAll(word, "'", `'\''`) + "' ")
		}
		return command.String(), err
	}
	var found string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if strings.Contains(v, " "+what+" ") {
				found = v
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(v)
	if found == "" {
		return "", fmt.Errorf("%s has no hook", name)
	}
	return found, nil
}

func unquoteJSON(s string) (out string, err error) {
	err = json.Unmarshal([]byte(s), &out)
	return out, err
}

func verbRunHook(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "run-hook HARNESS FILE")
	h := session.Hook(args[0])
	out, _ := runSettings(ts, args[1], "context", "", hookInputs[h])
	text, err := h.Read(out)
	ts.Check(err)
	_, err = ts.Stdout().Write([]byte(text))
	ts.Check(err)
}

// verbRunCheckpoint runs the settings' pre-compaction hook on a short transcript in the harness's format.
func verbRunCheckpoint(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "run-checkpoint HARNESS FILE")
	file := ts.MkAbs("talk.jsonl")
	text, input := doctor.SampleTalk(session.Hook(args[0]), file)
	input["session_id"] = "s1-" + args[0] // unlike the doctor's own session
	ts.Check(os.WriteFile(file, []byte(text), 0o600))
	data, err := json.Marshal(input)
	ts.Check(err)
	more := ""
	if session.Hook(args[0]) == session.Hermes {
		more = " --window 1"
	}
	out, said := runSettings(ts, args[1], "checkpoint", more, string(data))
	_, err = ts.Stdout().Write(append(out, said...))
	ts.Check(err)
}

// runSettings runs the command that a settings file has, as its harness would.
func runSettings(ts *testscript.TestScript, file, what, more, input string) (stdout, stderr []byte) {
	data, err := os.ReadFile(ts.MkAbs(file))
	ts.Check(err)
	command, err := commandIn(file, what, data)
	ts.Check(err)
	cmd := exec.Command("/bin/sh", "-c", command+more)
	cmd.Stdin = strings.NewReader(input)
	cmd.Dir = "/"
	cmd.Env = []string{"HOME=" + ts.Getenv("HOME"), "PATH=/nonexistent"}
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	ts.Check(err)
	return out, said.Bytes()
}

func listFiles(ts *testscript.TestScript, dirs []string) map[string]string {
	found := map[string]string{}
	for _, dir := range dirs {
		ts.Check(filepath.WalkDir(ts.MkAbs(dir), func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			what := info.Mode().String()
			switch {
			case info.Mode()&fs.ModeSymlink != 0:
				target, err := os.Readlink(p)
				if err != nil {
					return err
				}
				what += " " + target
			case info.Mode().IsRegular():
				data, err := os.ReadFile(p)
				if err != nil {
					return err
				}
				what += fmt.Sprintf(" %x", sha256.Sum256(data))
			}
			found[p] = what
			return nil
		}))
	}
	return found
}

func verbKeepFiles(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "keep-files NAME DIR…")
	data, err := json.Marshal(listFiles(ts, args[1:]))
	ts.Check(err)
	ts.Setenv("kept_"+args[0], string(data))
}

func verbSameFiles(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "same-files NAME DIR…")
	var want map[string]string
	ts.Check(json.Unmarshal([]byte(ts.Getenv("kept_"+args[0])), &want))
	if diff := cmp.Diff(want, listFiles(ts, args[1:])); diff != "" {
		ts.Fatalf("not as it was (-was +is):\n%s", diff)
	}
}

func verbCRLF(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "crlf FILE")
	data, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(string(data), "\n", "\r\n")), 0o644))
}

func verbTruncate(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "truncate FILE")
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), info.Size()/2))
}
