package connect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/text/confedit"
	"tend/test/require"
)

var must = require.NoError

// hostile has unusual settings that the harnesses accept, by the extension of the file.
var hostile = map[string][]string{
	".json": {
		"", "{}", " \n", "{ }\n", "\ufeff{\n\t\"a\": 1\n}\n", "{\r\n    \"a\": 1\r\n}", `{"a":{"b":[1,2,3]}}`,
		"{\n  \"hooks\": {},\n  \"mcpServers\": {},\n  \"mcp\": {}\n}\n",
		"{\n  \"hooks\": {\n    \"SessionStart\": [],\n    \"sessionStart\": []\n  }\n}\n",
		"{\n  \"mcpServers\": {\"x\": {\"command\": \"a\"}},\n  \"z\": \"\\u00e9\\\" // no comment\"\n}\n\n\n",
		"{\"version\": 1, \"hooks\": {\"preCompact\": [{\"command\": \"mine\"}]}}\n",
	},
	"commented.json": {
		"// mine\n{\n  // a\n  \"a\": 1, // one\n  /* b */ \"b\": [1, 2,], \n}\n// end",
		"{\n  \"mcpServers\": { // servers\n  }, // none\n}\n", "{\r\n\t// tab\r\n\t\"hooks\": {/* none */},\r\n}\r\n",
	},
	".toml": {
		"", "\n", "# mine\n", "model = \"x\" # mine\n", "\ufeffmodel = \"x\"\n", "model = \"x\"\r\n\r\n[a]\r\nb = 1\r\n",
		"mcp_servers.other.command = \"x\"\n",
		"[mcp_servers.other]\ncommand = \"\"\"\n[hooks]\n\"\"\"\n\n# the end",
		"[[hooks.SessionStart]]\nmatcher = \"startup\"\n[[hooks.SessionStart.hooks]]\ntype = \"command\"\n" +
			"command = \"date\"\n\n[hooks.state]\nx = 1\n",
	},
	".yaml": {
		"", "# mine\n", "model: x # mine\n", "model: x\r\nhooks:\r\n  pre_llm_call:\r\n  - command: date\r\n",
		"mcp_servers:\n\n  # docs\n  docs:\n    command: uvx\n\n# end\n",
		"hooks:\n    post_llm_call:\n        - command: 'date'\n    on_session_end:\n        - command: x\n", "---\nmodel: x\n",
	},
	".md": {"", "# Mine", "# Mine\n", "# Mine\r\n\r\ntext\r\n", "\n\n"},
}

// texts returns the hostile texts for a file of a harness.
func texts(h string, f File) []string {
	ext := filepath.Ext(f.Path)
	if _, ours := f.pieces[0].(whole); ours {
		return nil
	}
	list := hostile[ext]
	if ext == ".json" && h != "claude-code" && h != "generic" {
		list = append(list[:len(list):len(list)], hostile["commented.json"]...)
	}
	return list
}

func target(t *testing.T, scope Scope, agent string) Target {
	dir := t.TempDir()
	g := Target{
		Agent: agent, Workspace: filepath.Join(dir, "ws"), Binary: "/opt/it's \"a\" $dir/tend", Config: "/etc/a b/tend.yaml",
		Dir: filepath.Join(dir, "project"), Home: filepath.Join(dir, "home"),
		Scope: scope, Rules: "<!-- tend:rules begin: x -->\n# Memory\n<!-- tend:rules end -->\n", Env: func(string) string { return "" },
	}
	for _, d := range []string{g.Workspace, g.Dir, g.Home} {
		must(t, os.MkdirAll(d, 0o755))
	}
	return g
}

func put(t *testing.T, name, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.WriteFile(name, []byte(text), 0o644))
}

func apply(t *testing.T, edits []Edit) {
	t.Helper()
	for _, e := range edits {
		switch {
		case !e.Changed():
		case e.After == nil:
			must(t, os.Remove(e.Real))
		default:
			put(t, e.Real, *e.After)
		}
	}
}

func get(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	must(t, err)
	return string(data)
}

func doConnect(t *testing.T, files []File, known ...Record) Record {
	t.Helper()
	edits, err := Plan(files, known)
	must(t, err)
	var r Record
	r.Take(edits, known)
	apply(t, edits)
	again, err := Plan(files, append([]Record{r}, known...))
	must(t, err)
	for _, e := range again {
		if e.Changed() {
			t.Errorf("%s is changed by a second run:\n%s", e.File, cmp.Diff(*e.Before, *e.After))
		}
	}
	return r
}

func doUndo(t *testing.T, r Record, files []File) []Edit {
	t.Helper()
	edits, err := r.Undo(files, nil)
	must(t, err)
	apply(t, edits)
	return edits
}

func TestHostileSettings(t *testing.T) {
	for _, h := range Harnesses() {
		for _, scope := range h.Scopes {
			for k := range h.Files(target(t, scope, "claw")) {
				for _, base := range texts(h.Name, h.Files(target(t, scope, "claw"))[k]) {
					g := target(t, scope, "claw")
					files := h.Files(g)
					name := files[k].Path
					put(t, name, base)
					r := doConnect(t, files)
					if get(t, name) == base {
						t.Errorf("%s: %q was not changed", name, base)
					}
					// Unchanged since: undo restores it to the byte.
					doUndo(t, r, files)
					if diff := cmp.Diff(base, get(t, name)); diff != "" {
						t.Errorf("%s %q undone (-was +is):\n%s", filepath.Base(name), base, diff)
					}
					// Changed since, at the end: undo removes only our pieces.
					r = doConnect(t, files)
					now := get(t, name)
					put(t, name, now+"\n")
					doUndo(t, r, files)
					left, err := os.ReadFile(name)
					must(t, err)
					if want, got := squash(base), squash(string(left)); want != got {
						t.Errorf("%s %q undone after a change (-was +is):\n%s", filepath.Base(name), base, cmp.Diff(base, string(left)))
					}
				}
			}
		}
	}
}

// squash removes white space, and an empty object.
func squash(text string) string {
	if t := strings.Join(strings.Fields(strings.TrimPrefix(text, "\ufeff")), ""); t != "{}" {
		return t
	}
	return ""
}

// Two agents in one file, connected and undone in every order, leave nothing behind.
func TestTwoAgentsInOneFile(t *testing.T) {
	for _, h := range Harnesses() {
		for _, order := range []string{"first", "second"} {
			a := target(t, h.Scopes[0], "claw")
			b := a
			b.Agent, b.Rules, a.Rules = "second", "", ""
			ra := doConnect(t, h.Files(a))
			rb := doConnect(t, h.Files(b))
			if order == "second" {
				doUndo(t, rb, h.Files(b))
				doUndo(t, ra, h.Files(a))
			} else {
				edits := doUndo(t, ra, h.Files(a))
				rb.Forget(ra, h.Files(a), edits)
				if gone, err := Missing(h.Files(b)); err != nil || len(gone) > 0 {
					t.Errorf("%s: undoing one removes pieces of the other: %v %v", h.Name, gone, err)
				}
				doUndo(t, rb, h.Files(b))
			}
			for _, root := range []string{a.Home, a.Dir} {
				err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
					if err == nil && !d.IsDir() {
						t.Errorf("%s, %s undone first: %s is left:\n%s", h.Name, order, p, get(t, p))
					}
					return err
				})
				must(t, err)
			}
		}
	}
}

func TestForeignFileOfOurNameIsRefused(t *testing.T) {
	for _, h := range Harnesses() {
		g := target(t, h.Scopes[0], "claw")
		for _, f := range h.Files(g) {
			if _, ok := f.pieces[0].(whole); !ok {
				continue
			}
			put(t, f.Path, "export const mine = 1;\n")
			if _, err := Plan(h.Files(g), nil); err == nil {
				t.Errorf("%s is overwritten", f.Path)
			}
			put(t, f.Path, "")
		}
	}
}

// The settings are found after the home folder moved.
func TestUndoAfterTheHomeMoved(t *testing.T) {
	for _, h := range Harnesses() {
		if h.Scopes[len(h.Scopes)-1] != User && h.Scopes[0] != User {
			continue
		}
		g := target(t, User, "claw")
		g.Dir, g.Workspace = "", filepath.Join(g.Home, "ws")
		put(t, filepath.Join(g.Workspace, "SOUL.md"), "x\n")
		r := doConnect(t, h.Files(g))
		moved := g
		moved.Home = g.Home + "-moved"
		moved.Workspace = filepath.Join(moved.Home, "ws")
		must(t, os.Rename(g.Home, moved.Home))
		doUndo(t, r, h.Files(moved))
		err := filepath.WalkDir(moved.Home, func(p string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() && filepath.Base(p) != "SOUL.md" {
				t.Errorf("%s: %s is left:\n%s", h.Name, p, get(t, p))
			}
			return err
		})
		must(t, err)
	}
}

// Codex rewrites its file when a server is added: the first of our comments is lost, and other tables are between ours.
func TestTOMLRewrittenByTheHarness(t *testing.T) {
	g := target(t, User, "claw")
	p := codex(g)[0].pieces[0]
	const base = "model = \"x\" # mine\n\n[mcp_servers.zeta]\ncommand = \"z\"\n"
	text, err := p.in(base)
	must(t, err)
	_, block, _ := strings.Cut(text, "# tend: memory of claw (begin)\n")
	server, hooks, ok := strings.Cut(block, "\n[[hooks")
	if !ok {
		t.Fatal(text)
	}
	const other = "\n# about other\n[mcp_servers.other]\ncommand = \"o\"\n"
	rewritten := base + "\n" + strings.ReplaceAll(server, `","`, `", "`) + other + "\n[[hooks" + hooks
	if again, err := p.in(rewritten); err != nil || again != rewritten {
		t.Errorf("a second time: %v\n%s", err, cmp.Diff(rewritten, again))
	}
	back, err := p.out(rewritten, base)
	must(t, err)
	if want := base + other; strings.TrimRight(back, "\n")+"\n" != want {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, back))
	}
}

// FuzzTOML: adding and removing our tables leaves any file's bytes, except for a newline at its end.
func FuzzTOML(f *testing.F) {
	for _, text := range hostile[".toml"] {
		f.Add(text)
	}
	f.Add("[a]\n# tend: memory of claw (begin)\nb = 1\n# tend: memory of claw (end)\n")
	p := codex(Target{Agent: "claw", Binary: "/b/tend", Config: "/c", Home: "/h"})[0].pieces[0]
	f.Fuzz(func(t *testing.T, text string) {
		bare, err := p.out(text, text)
		if err != nil || bare != text {
			return // it contains our names
		}
		got, err := p.in(text)
		if err != nil {
			return
		}
		if again, err := p.in(got); err != nil || again != got {
			t.Fatalf("a second time: %v\n%q\n%q", err, got, again)
		}
		back, err := p.out(got, text)
		must(t, err)
		if back != text && strings.TrimRight(back, "\r\n") != strings.TrimRight(text, "\r\n") {
			t.Fatalf("%q is %q", text, back)
		}
	})
}

// FuzzYAML: adding and removing our entries leaves any file's meaning.
func FuzzYAML(f *testing.F) {
	for _, text := range hostile[".yaml"] {
		f.Add(text)
	}
	pieces := hermes(Target{Agent: "claw", Binary: "/b/tend", Config: "/c", Home: "/h"})[0].pieces
	f.Fuzz(func(t *testing.T, text string) {
		before, err := confedit.ReadYAML(text)
		if err != nil || strings.Contains(text, "claw") {
			return
		}
		got := text
		for _, p := range pieces {
			if got, err = p.in(got); err != nil {
				return
			}
		}
		back := got
		for i := len(pieces) - 1; i >= 0; i-- {
			if back, err = pieces[i].out(back, text); err != nil {
				t.Fatalf("%q: %v", got, err)
			}
		}
		after, err := confedit.ReadYAML(back)
		if err != nil {
			t.Fatalf("%q: %v", back, err)
		}
		if diff := cmp.Diff(bareTree(before), bareTree(after)); diff != "" {
			t.Fatalf("%q is %q:\n%s", text, back, diff)
		}
	})
}

// bareTree returns a tree without empty keys.
func bareTree(m map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		if sub, ok := v.(map[string]any); ok {
			v = bareTree(sub)
			if len(v.(map[string]any)) == 0 {
				continue
			}
		}
		if list, ok := v.([]any); v != nil && !(ok && len(list) == 0) {
			out[k] = v
		}
	}
	return out
}

// Hermes rewrites its file with sorted keys, folded lines and no comments.
func TestYAMLRewrittenByTheHarness(t *testing.T) {
	pieces := hermes(Target{Agent: "claw", Binary: "/b/tend", Config: "/c", Home: "/h"})[0].pieces
	const rewritten = `hooks:
  post_llm_call:
  - command: /b/tend --config /c checkpoint --agent claw
      --hook hermes
    timeout: 30
  - command: date
  pre_llm_call:
  - command: /b/tend --config /c context claw --hook hermes
    timeout: 30
mcp_servers:
  claw-memory:
    args:
    - --config
    - /c
    - mcp
    - claw
    command: /b/tend
model: x
`
	back := rewritten
	for i := len(pieces) - 1; i >= 0; i-- {
		if again, err := pieces[i].in(rewritten); err != nil || again != rewritten {
			t.Errorf("a second time: %v\n%s", err, cmp.Diff(rewritten, again))
		}
		var err error
		if back, err = pieces[i].out(back, "model: x # mine\n"); err != nil {
			t.Fatal(err)
		}
	}
	if want := "hooks:\n  post_llm_call:\n  - command: date\nmodel: x\n"; back != want {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, back))
	}
}
