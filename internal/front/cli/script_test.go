package cli

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tend/internal/state/ledger/actid"
	"tend/test/light"
	"tend/test/require"

	"tend/internal/front/cli/clitest"
)

var update = flag.Bool("update", false, "write what commands print into the scripts that compare it")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"tend": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs testdata/script: each file is a shell session in a folder of its own ($WORK), without access to the
// user's files. verbs lists the verbs besides those of testscript.
//
// With the race detector, tend takes six times as long to start. Then one script in eight runs a tend built with it, and
// the others one built as shipped: up, mcp and sync, which use goroutines, run with it in test/mcp, test/replicas and
// internal/front/keeper.
func TestScripts(t *testing.T) {
	shipped := ""
	if light.Race {
		shipped = t.TempDir()
		must(t, clitest.Build(filepath.Join(shipped, "tend")))
	}
	root, err := os.MkdirTemp("", "go-test-script")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(root) }) // testscript leaves it if some scripts are not run
	testscript.Run(t, testscript.Params{
		WorkdirRoot:         root,
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			for k, v := range map[string]string{
				"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "XDG_STATE_HOME": filepath.Join(home, ".state"),
				"TZ": "UTC", "LC_ALL": "C", "USER": "operator", "SUDO_USER": "", "TEND_CONFIG": "", "NO_COLOR": "", "TERM": "xterm",
				"GORACE": "atexit_sleep_ms=0", // else each tend built with -race takes a second to end
			} {
				env.Setenv(k, v)
			}
			if light.Race && crc32.ChecksumIEEE([]byte(filepath.Base(env.WorkDir)))%8 > 0 {
				env.Setenv("PATH", shipped+string(filepath.ListSeparator)+env.Getenv("PATH"))
			}
			env.Values[openKey{}] = openFiles{}
			env.Values[testKey{}] = env.T()
			return os.MkdirAll(home, 0o755)
		},
		Cmds: verbs,
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	})
}

// verbs are the scripts' verbs besides those of testscript.
//
//	needs PROGRAM…           skip the script on a machine without these programs
//	fleet NAME…              tend.yaml with these agents, each with an approved baseline of 1200 bytes that ends with
//	                         the line and a scratch heading: agents/NAME/MEMORY.md, baselines/NAME.md
//	baseline FILE BYTES      write a baseline of exactly that many bytes
//	agent-write FILE TEXT    append TEXT to a file as agents do, with the escapes \n, \r and \t
//	agent-open FILE          keep the file open, like a slow writer
//	agent-say FILE TEXT      write TEXT to the file that agent-open has open
//	edit FILE OLD NEW        replace a text in a file that contains it
//	tend-fails CODE ARG…     run tend, which must exit with this code
//	json                     the last command printed one JSON value, and not null
//	action NAME [AGENT]      set $NAME to the id of the newest action
//	[!] kept FILE            every line of FILE is (not) found somewhere in agents/, state/ or git history
//	run-hook HARNESS FILE    run the session-start hook of FILE as the harness does; stdout is what the model gets
//	run-checkpoint HARNESS FILE  run the pre-compaction hook of FILE on a short transcript; stdout is its output
//	truncate FILE            cut off the second half of a file
//	crlf FILE                convert a file to Windows line endings
//	keep-files NAME DIR…     record every file, folder, link and mode below these folders
//	same-files NAME DIR…     they are as recorded, to the byte
//	hold-lock AGENT          take the agent's lock, like another tend; release-lock AGENT releases it
var verbs = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"fleet":          verbFleet,
	"baseline":       verbBaseline,
	"agent-write":    verbWrite,
	"agent-open":     verbOpen,
	"agent-say":      verbSay,
	"edit":           verbEdit,
	"tend-fails":     verbFails,
	"json":           verbJSON,
	"action":         verbAction,
	"kept":           verbKept,
	"hold-lock":      verbHold,
	"needs":          verbNeeds,
	"release-lock":   verbRelease,
	"run-hook":       verbRunHook,
	"run-checkpoint": verbRunCheckpoint,
	"keep-files":     verbKeepFiles,
	"crlf":           verbCRLF,
	"truncate":       verbTruncate,
	"same-files":     verbSameFiles,
}

// openFiles are the files a script keeps open, by name.
type openFiles map[string]io.Closer

type openKey struct{}

func opened(ts *testscript.TestScript) openFiles { return ts.Value(openKey{}).(openFiles) }

func need(ts *testscript.TestScript, neg bool, args []string, n int, usage string) {
	if neg || len(args) < n {
		ts.Fatalf("usage: %s", usage)
	}
}

func putFile(ts *testscript.TestScript, name, text string) {
	name = ts.MkAbs(name)
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o755))
	ts.Check(os.WriteFile(name, []byte(text), 0o644))
}

func verbFleet(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "fleet NAME…")
	var conf strings.Builder
	conf.WriteString("version: 1\nstate_dir: ./state\ndefaults:\n  layout: shepherd\n  timezone: UTC\nagents:\n")
	for _, name := range args {
		fmt.Fprintf(&conf, "  %s:\n    workspace: ./agents/%[1]s\n    baselines:\n      MEMORY.md: ./baselines/%[1]s.md\n", name)
		putFile(ts, "baselines/"+name+".md", baselineText(name, 1200))
		putFile(ts, "agents/"+name+"/MEMORY.md", baselineText(name, 1200))
	}
	putFile(ts, "tend.yaml", conf.String())
	ts.Check(ts.Exec("tend", "baseline", "approve", "--all", "--quiet"))
}

func verbBaseline(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "baseline FILE BYTES")
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	name := strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))
	putFile(ts, args[0], baselineText(name, n))
}

// baselineText returns a baseline of n bytes.
func baselineText(name string, n int) string {
	head := "# " + name + "\n\n## Who I Am\n\nI am " + name + ".\n\n## Critical Rules\n\n"
	tail := "\n---\n## Scratch Notes (" + name + ")\n"
	var b strings.Builder
	b.WriteString(head)
	for i := 1; b.Len()+len(tail) < n; i++ {
		fmt.Fprintf(&b, "- Rule %d of %s: ask before what cannot be undone.\n", i, name)
	}
	return b.String()[:max(0, n-len(tail)-1)] + "\n" + tail
}

func verbWrite(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "agent-write FILE TEXT")
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	ts.Check(err)
	_, err = f.WriteString(unescape(args[1]))
	ts.Check(errors.Join(err, f.Close()))
}

func unescape(s string) string {
	return strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t", `\0`, "\x00", `\u2028`, "\u2028", `\ufeff`, "\ufeff").Replace(s)
}

func verbOpen(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "agent-open FILE")
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY|os.O_APPEND, 0)
	ts.Check(err)
	opened(ts)[args[0]] = f
	ts.Defer(func() { f.Close() })
}

func verbSay(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "agent-say FILE TEXT")
	f, ok := opened(ts)[args[0]].(*os.File)
	if !ok {
		ts.Fatalf("%s is not open", args[0])
	}
	_, err := f.WriteString(unescape(args[1]))
	ts.Check(err)
}

func verbEdit(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 3, "edit FILE OLD NEW")
	old, text := unescape(args[1]), ts.ReadFile(args[0])
	if !strings.Contains(text, old) {
		ts.Fatalf("%s does not contain %q", args[0], old)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, old, unescape(args[2]), 1)), 0o644))
}

func verbFails(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "tend-fails CODE ARG…")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec("tend", args[1:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want || want == 0 {
		ts.Fatalf("exit code: got %d, want %d, and not 0", got, want)
	}
}

func verbJSON(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 0, "json")
	var v any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &v); err != nil || v == nil {
		ts.Fatalf("not one JSON value: %v", err)
	}
}

func verbAction(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "action NAME [AGENT]")
	ts.Check(ts.Exec("tend", append([]string{"log", "--limit", "2", "--quiet"}, args[1:]...)...)) // the newest may be an edit
	for _, line := range strings.Split(ts.ReadFile("stdout"), "\n")[1:] {
		if words := strings.Fields(line); len(words) > 0 && actid.Valid(words[0]) {
			ts.Setenv(args[0], words[0])
			return
		}
	}
	ts.Fatalf("no action")
}

func verbKept(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] kept FILE")
	}
	var all strings.Builder
	for _, dir := range []string{"agents", "state"} {
		ts.Check(filepath.WalkDir(ts.MkAbs(dir), func(p string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			text, err := os.ReadFile(p)
			all.Write(text)
			all.WriteByte('\n')
			return err
		}))
	}
	repos, err := filepath.Glob(ts.MkAbs("state/history/*.git"))
	ts.Check(err)
	for _, repo := range repos {
		text, err := exec.Command("git", "--git-dir="+repo, "log", "--all", "-p", "--format=", "--output-indicator-new= ").Output()
		ts.Check(err)
		all.Write(text)
	}
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if strings.Contains(all.String(), strings.TrimSuffix(line, "\n")) == neg {
			ts.Fatalf("found: %v: %q", neg, line)
		}
	}
}

// testKey is the key of a script's test.
type testKey struct{}

// skippable is a script's test.
type skippable struct{ testscript.T }

func (skippable) Helper() {}

func verbNeeds(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		require.Program(skippable{ts.Value(testKey{}).(testscript.T)}, name)
	}
}
