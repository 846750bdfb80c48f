package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/pflag"

	"tend/internal/engine/config"
)

// pages returns the pages for users.
func pages(t *testing.T) []string {
	t.Helper()
	docs, err := filepath.Glob("../../../docs/*.md")
	must(t, err)
	if len(docs) < 10 {
		t.Fatalf("only %d pages in docs", len(docs))
	}
	return append([]string{"../../../README.md"}, docs...)
}

// snippet is a block of code in a page.
type snippet struct {
	line       int
	mark, kind string // the comment above it, the language of its fence
	text       string
}

var commandLine = regexp.MustCompile(`(?m)^(\$ |sudo |make |go |tend )`)

// snippets reads the code blocks of a page, fenced and indented.
func snippets(text string) (list []snippet) {
	lines := strings.Split(text, "\n")
	mark := ""
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		s := snippet{line: i + 1, mark: mark}
		switch {
		case strings.HasPrefix(line, "```"):
			s.kind = strings.TrimPrefix(line, "```")
			for i++; i < len(lines) && !strings.HasPrefix(lines[i], "```"); i++ {
				s.text += lines[i] + "\n"
			}
		case strings.HasPrefix(line, "    ") && i > 0 && (lines[i-1] == "" || strings.HasPrefix(lines[i-1], "<!--")):
			for ; i < len(lines) && (strings.HasPrefix(lines[i], "    ") || lines[i] == ""); i++ {
				s.text += strings.TrimPrefix(lines[i], "    ") + "\n"
			}
			i--
		default:
			if m, ok := strings.CutPrefix(line, "<!-- "); ok {
				mark = strings.TrimSuffix(m, " -->")
			} else if line != "" {
				mark = ""
			}
			continue
		}
		mark = ""
		list = append(list, s)
	}
	return list
}

// TestDocsSnippetsRun runs every command that README and docs show, page by page, in a home with a few agents. A block that
// cannot run here says so above it: <!-- not run: why -->.
func TestDocsSnippetsRun(t *testing.T) {
	ran := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		must(t, err)
		var script strings.Builder
		for _, s := range snippets(string(text)) {
			where := fmt.Sprintf("%s:%d", filepath.Base(page), s.line)
			why, not := strings.CutPrefix(s.mark, "not run: ")
			switch {
			case s.kind == "yaml":
				yamlSnippet(t, where, s.text)
			case not && len(why) < 10:
				t.Errorf("%s: say why it does not run", where)
			case strings.HasPrefix(s.mark, "run after: "): // what happened meanwhile
				ran++
				fmt.Fprintf(&script, "# %s\n%s%s\n", where, commands(strings.TrimPrefix(s.mark, "run after: ")), commands(s.text))
			case not, s.mark != "run" && !commandLine.MatchString(s.text):
			case s.mark != "run":
				t.Errorf("%s: put <!-- run --> or <!-- not run: why --> above it", where)
			default:
				ran++
				fmt.Fprintf(&script, "# %s\n%s\n", where, commands(s.text))
			}
		}
		if script.Len() > 0 {
			t.Run(filepath.Base(page), func(t *testing.T) { runPage(t, script.String()) })
		}
	}
	if ran < 8 {
		t.Errorf("only %d snippets were run", ran)
	}
}

var shownID = regexp.MustCompile(`\b1r9ay8h441\b`)

// commands turns a snippet into lines of a script. Exit status 1 (findings) is fine; a sample id is replaced by the newest
// action's.
func commands(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "  #")
		line = strings.TrimPrefix(line, "$ ")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, "tend baseline a") && !strings.Contains(line, "--dry-run") {
			line += " --yes" // the reader is at a terminal
		}
		line = shownID.ReplaceAllString(line, `$(tend log scout --limit 1 | sed -n '2s/ .*//p')`)
		fmt.Fprintf(&b, "exec sh -c '%s || test $? = 1'\n", strings.ReplaceAll(line, "'", "''"))
	}
	return b.String()
}

func runPage(t *testing.T, script string) {
	dir := t.TempDir()
	file := filepath.Join(dir, "page.txtar")
	must(t, os.WriteFile(file, []byte(script), 0o644))
	testscript.Run(t, testscript.Params{
		Files: []string{file}, RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			for k, v := range map[string]string{
				"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "XDG_STATE_HOME": filepath.Join(home, ".local", "state"),
				"USER": "anna", "SUDO_USER": "", "TEND_CONFIG": "", "TZ": "UTC", "LC_ALL": "C", "TERM": "xterm", "GORACE": "atexit_sleep_ms=0",
			} {
				env.Setenv(k, v)
			}
			return someAgents(home)
		},
	})
}

// someAgents creates a typical home folder: OpenClaw agents, and a Claude Code project with its memory.
func someAgents(home string) error {
	files := map[string]string{
		"src/app/CLAUDE.md": "# App\n\n- Run the tests before a commit.\n",
		".claude/projects/" + strings.NewReplacer("/", "-", ".", "-").Replace(filepath.Join(home, "src/app")) +
			"/memory/MEMORY.md": "- reports begin with the reason\n",
	}
	for _, name := range []string{"", "-mail", "-scout", "-reviewer"} {
		at := ".openclaw/workspace" + name + "/"
		files[at+"SOUL.md"] = "# Soul\n\nYou are careful and brief.\n"
		files[at+"AGENTS.md"] = "# Rules\n\n- Never share keys or passwords.\n" + strings.Repeat("- Ask before what cannot be undone.\n", 30)
		files[at+"MEMORY.md"] = "# Memory\n\n- Piotr owns the billing service.\n- 2026-11-12: the releases go out on Tuesday.\n" +
			"- the staging host is stage-2\n"
	}
	for name, text := range files {
		name = filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// yamlSnippet reads a piece of tend.yaml as the program does.
func yamlSnippet(t *testing.T, where, text string) {
	t.Helper()
	env, err := config.OSEnv()
	must(t, err)
	if !strings.Contains(text, "version:") {
		text = "version: 1\n" + text
	}
	if !strings.Contains(text, "agents:") {
		text += "agents: {reviewer: {workspace: ./w}}\n"
	}
	if !strings.Contains(text, "layout:") {
		text += "defaults: {layout: openclaw}\n"
	}
	if _, err := config.Parse("/srv/tend/tend.yaml", []byte(text), env); err != nil {
		t.Errorf("%s: %v", where, err)
	}
}

var (
	inlineCommand = regexp.MustCompile("`(tend [^`]+)`")
	pageLink      = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
)

// TestDocsMentionWhatExists checks that every command and flag that a page mentions exists, and that links have a target.
func TestDocsMentionWhatExists(t *testing.T) {
	var everything app
	root := newRoot(&everything, []string{"help"})
	n := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		must(t, err)
		for _, m := range pageLink.FindAllStringSubmatch(string(text), -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(page), m[1]))
			_, inside := os.Stat(filepath.Join("../../../docs/internals", m[1]))
			if err != nil && inside != nil {
				t.Errorf("%s: the link to %s leads nowhere", filepath.Base(page), m[1])
			}
		}
		for _, m := range inlineCommand.FindAllStringSubmatch(string(text), -1) {
			n++
			args := strings.Fields(strings.NewReplacer("[", " ", "]", " ", "\\|", " ", "…", " ").Replace(m[1]))[1:]
			cmd, rest, err := root.Find(args)
			builtin := len(args) == 0 || strings.HasPrefix(args[0], "-") || args[0] == "completion" || args[0] == "help"
			if err != nil || cmd == root && !builtin {
				t.Errorf("%s: no command %q", filepath.Base(page), m[1])
				continue
			}
			for _, arg := range rest {
				name, ok := strings.CutPrefix(arg, "--")
				name, _, _ = strings.Cut(name, "=")
				if ok && name != "" && !slices.Contains([]string{"help", "version"}, name) && lookup(cmd.Flags(), name) == nil &&
					lookup(cmd.InheritedFlags(), name) == nil {
					t.Errorf("%s: %q: no flag --%s", filepath.Base(page), m[1], name)
				}
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d commands are mentioned", n)
	}
}

func lookup(set *pflag.FlagSet, name string) *pflag.Flag {
	return set.Lookup(strings.TrimRight(name, ".,;:)"))
}
