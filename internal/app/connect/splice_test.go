package connect

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/text/confedit"
)

var entry = map[string]any{"command": "/bin/tend", "args": []string{"mcp", "a"}}

func TestJSONEntryIsAddedAndRemoved(t *testing.T) {
	for name, c := range map[string]struct {
		d            confedit.Dialect
		before, want string
	}{
		"no file": {confedit.Strict, "", "{\n  \"s\": {\n    \"x\": {\n      \"args\": [\n        \"mcp\",\n        \"a\"\n      ],\n" +
			"      \"command\": \"/bin/tend\"\n    }\n  }\n}\n"},
		"empty": {confedit.Strict, "{}\n", "{\n  \"s\": {\n    \"x\": {\n      \"args\": [\n        \"mcp\",\n        \"a\"\n      ],\n" +
			"      \"command\": \"/bin/tend\"\n    }\n  }\n}\n"},
		"four steps": {confedit.Strict, "{\n    \"b\": 1\n}",
			"{\n    \"b\": 1,\n    \"s\": {\n        \"x\": {\n            \"args\": [\n                \"mcp\",\n                \"a\"\n" +
				"            ],\n            \"command\": \"/bin/tend\"\n        }\n    }\n}"},
		"one line": {confedit.Strict, `{"s": {"y": 1}}`, `{"s": {"y": 1, "x": {"args":["mcp","a"],"command":"/bin/tend"}}}`},
		"comment": {confedit.Comments, "{\n  // mine\n  \"s\": { // servers\n    \"y\": 1 // why\n    /* end */\n  }\n}\n",
			"{\n  // mine\n  \"s\": { // servers\n    \"y\": 1, // why\n    \"x\": {\n      \"args\": [\n        \"mcp\",\n        \"a\"\n" +
				"      ],\n      \"command\": \"/bin/tend\"\n    }\n    /* end */\n  }\n}\n"},
		"trailing comma": {confedit.JSON5, "{\n  s: {\n    y: 'it''s',\n  },\n}\n", ""},
		"json5": {confedit.JSON5, "{\n  s: {\n    y: 'its', // \"\n  },\n}\n",
			"{\n  s: {\n    y: 'its', // \"\n    \"x\": {\n      \"args\": [\n        \"mcp\",\n        \"a\"\n      ],\n" +
				"      \"command\": \"/bin/tend\"\n    },\n  },\n}\n"},
		"crlf": {confedit.Strict, "{\r\n\t\"b\": 1\r\n}\r\n",
			"{\r\n\t\"b\": 1,\r\n\t\"s\": {\r\n\t\t\"x\": {\r\n\t\t\t\"args\": [\r\n\t\t\t\t\"mcp\",\r\n\t\t\t\t\"a\"\r\n\t\t\t],\r\n" +
				"\t\t\t\"command\": \"/bin/tend\"\r\n\t\t}\r\n\t}\r\n}\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := jsonEntry{c.d, []string{"s", "x"}, entry, "mcp a"}
			got, err := p.in(c.before)
			if c.want == "" {
				if err == nil {
					t.Fatalf("accepted: %s", got)
				}
				return
			}
			must(t, err)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Fatal(diff)
			}
			if again, err := p.in(got); err != nil || again != got {
				t.Errorf("a second time: %v\n%s", err, again)
			}
			back, err := p.out(got, c.before)
			must(t, err)
			if want := c.before; back != want && !(want == "" || want == "{}\n") {
				t.Errorf("taken out:\n%s", cmp.Diff(want, back))
			}
		})
	}
}

func TestJSONItemLeavesOthersAlone(t *testing.T) {
	const before = "{\n  \"hooks\": {\n    \"Start\": [\n      {\"command\": \"mine\"} // keep\n    ]\n  }\n}\n"
	p := jsonItem{confedit.Comments, []string{"hooks", "Start"}, map[string]any{"command": "/new/tend context a --hook x"},
		"context a --hook x"}
	old := jsonItem{confedit.Comments, p.path, map[string]any{"command": "/old/tend context a --hook x"}, p.mark}
	text, err := old.in(before)
	must(t, err)
	if text, err = p.in(text); err != nil || strings.Contains(text, "/old/") || strings.Count(text, "command") != 2 {
		t.Fatalf("a moved program is a second entry: %v\n%s", err, text)
	}
	// The user adds another below ours.
	j, _ := confedit.ReadJSON(text, confedit.Comments)
	if err := j.Add(p.path, map[string]any{"command": "later"}); err != nil {
		t.Fatal(err)
	}
	got, err := p.out(j.Text, before)
	must(t, err)
	n, err := confedit.ReadJSON(got, confedit.Comments)
	must(t, err)
	want := []any{map[string]any{"command": "mine"}, map[string]any{"command": "later"}}
	if list := n.Find(p.path).Plain(); !reflect.DeepEqual(list, want) || !strings.Contains(got, "// keep") {
		t.Errorf("left:\n%s", got)
	}
}

func TestForeignEntryOfOurNameIsRefused(t *testing.T) {
	p := jsonEntry{confedit.Strict, []string{"s", "x"}, entry, "mcp a"}
	if _, err := p.in(`{"s": {"x": {"command": "theirs"}}}`); err == nil {
		t.Error("overwritten")
	}
}

func TestTOMLBlock(t *testing.T) {
	p := codex(Target{Agent: "a", Binary: "/b/tend", Config: "/c", Home: "/h"})[0].pieces[0]
	for name, before := range map[string]string{
		"empty":   "",
		"simple":  "model = \"o\" # mine\n\n[mcp_servers.other]\ncommand = \"x\"\nargs = [\n  \"[a]\", # ]\n]\n",
		"crlf":    "model = \"o\"\r\n",
		"hooks":   "[[hooks.SessionStart]]\n[[hooks.SessionStart.hooks]]\ntype = \"command\"\ncommand = \"mine\"\n",
		"strings": "a = \"\"\"\n[mcp_servers.a-memory]\n\"\"\"\nb = '''x\n'''\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := p.in(before)
			must(t, err)
			if !strings.HasPrefix(got, before) || !strings.Contains(got, "[mcp_servers.a-memory]") {
				t.Errorf("got:\n%s", got)
			}
			if again, err := p.in(got); err != nil || again != got {
				t.Errorf("a second time: %v\n%s", err, again)
			}
			if back, err := p.out(got, before); err != nil || back != before {
				t.Errorf("taken out: %v\n%q", err, back)
			}
			var bare []string
			for line := range strings.Lines(got) {
				if !strings.HasPrefix(line, "# tend:") {
					bare = append(bare, line)
				}
			}
			back, err := p.out(strings.Join(bare, ""), before)
			if err != nil || strings.TrimSpace(back) != strings.TrimSpace(before) {
				t.Errorf("taken out without marks: %v\n%q", err, back)
			}
		})
	}
	for _, text := range []string{"[mcp_servers.a-memory]\ncommand = \"theirs\"\n", "mcp_servers = {}\n", "hooks = {}\n",
		"[hooks]\nSessionStart = []\n", "[mcp_servers]\na-memory = {}\n"} {
		if got, err := p.in(text); err == nil {
			t.Errorf("accepted %q:\n%s", text, got)
		}
	}
}

func TestYAMLPieces(t *testing.T) {
	pieces := hermes(Target{Agent: "a", Binary: "/b/tend", Config: "/c", Home: "/h"})[0].pieces
	for name, before := range map[string]string{
		"empty":       "",
		"other keys":  "model: x # mine\nmemory:\n  memory_char_limit: 2200\n",
		"servers":     "mcp_servers:\n    docs:\n        command: uvx\n\n# the end\nmodel: x\n",
		"hooks":       "hooks:\n  pre_llm_call:\n  - command: mine\n    timeout: 5\n  post_llm_call:\n  - command: x\n",
		"crlf":        "model: x\r\nhooks:\r\n  pre_llm_call:\r\n    - command: mine\r\n",
		"empty flow":  "mcp_servers: {}\nhooks: {}\nmodel: x\n",
		"block text":  "prompt: |\n  mcp_servers:\n  hooks:\nmodel: x\n",
		"quoted keys": "\"mcp_servers\":\n  docs: {command: uvx}\n",
	} {
		t.Run(name, func(t *testing.T) {
			got := before
			var err error
			for _, p := range pieces {
				if got, err = p.in(got); err != nil {
					t.Fatal(err)
				}
			}
			tree, err := confedit.ReadYAML(got)
			must(t, err)
			for _, p := range pieces {
				y := p.(yamlPiece)
				if v, ours := y.value(tree); !ours || !reflect.DeepEqual(v, y.want()) {
					t.Errorf("%v is %v in\n%s", y.path, v, got)
				}
				if again, err := p.in(got); err != nil || again != got {
					t.Errorf("a second time: %v\n%s", err, again)
				}
			}
			back := got
			for i := len(pieces) - 1; i >= 0; i-- {
				if back, err = pieces[i].out(back, before); err != nil {
					t.Fatal(err)
				}
			}
			if want := before; back != want && name != "empty flow" {
				t.Errorf("taken out:\n%s", cmp.Diff(want, back))
			}
		})
	}
	for _, text := range []string{"mcp_servers: {docs: {command: x}}\n", "mcp_servers:\n  a-memory:\n    command: theirs\n"} {
		if got, err := pieces[0].in(text); err == nil {
			t.Errorf("accepted %q:\n%s", text, got)
		}
	}
}

func TestRulesBlock(t *testing.T) {
	p := rulesBlock("<!-- tend:rules begin: x -->\n# Memory\n<!-- tend:rules end -->\n")
	for _, before := range []string{"", "# Mine\n", "# Mine\r\nx\r\n", "# Mine\n\n"} {
		got, err := p.in(before)
		if err != nil || !strings.HasPrefix(got, before) {
			t.Fatalf("%v: %q", err, got)
		}
		if again, err := p.in(got); err != nil || again != got {
			t.Errorf("a second time: %v %q", err, again)
		}
		newer, err := rulesBlock("<!-- tend:rules begin: x -->\n# New\n<!-- tend:rules end -->\n").in(got + "tail\n")
		if err != nil || strings.Contains(newer, "# Memory") || !strings.HasSuffix(newer, "tail\n") {
			t.Errorf("replaced: %v %q", err, newer)
		}
		if back, err := p.out(got, before); err != nil || back != before {
			t.Errorf("taken out: %v %q, want %q", err, back, before)
		}
	}
	for _, text := range []string{"<!-- tend:rules begin -->\n", "<!-- tend:rules end -->\n",
		"<!-- tend:rules begin -->\n<!-- tend:rules begin -->\n"} {
		if _, err := p.in(text); err == nil {
			t.Errorf("accepted %q", text)
		}
	}
}

// FuzzJSON: adding and removing an entry leaves any file's meaning.
func FuzzJSON(f *testing.F) {
	f.Add("{}")
	f.Add("{a: 1, /* x */ 'b': [1, 2,],}\n")
	f.Add("{\"s\": {\"y\": 1 // c\n}}")
	f.Fuzz(func(t *testing.T, text string) {
		j, err := confedit.ReadJSON(text, confedit.JSON5)
		if err != nil || j.Find([]string{"s", "x"}) != nil {
			return
		}
		p := jsonEntry{confedit.JSON5, []string{"s", "x"}, entry, "mcp a"}
		got, err := p.in(text)
		if err != nil {
			return
		}
		back, err := p.out(got, text)
		must(t, err)
		after, err := confedit.ReadJSON(back, confedit.JSON5)
		must(t, err)
		if diff := cmp.Diff(j.Root.Plain(), after.Root.Plain()); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestScriptsHaveAllTheirValues: no name of a value is left in a script, and values are not searched for names.
func TestScriptsHaveAllTheirValues(t *testing.T) {
	target := Target{Agent: "a", Binary: "/@state@/tend", Config: "/c", Home: "/h", Workspace: "/w"}
	for _, text := range []string{openclawHandler(target), hermesPlugin(target), opencodePlugin(target)} {
		if left := regexp.MustCompile("@[a-z]+@").FindAllString(text, -1); len(left) != 1 || !strings.Contains(text, `"/@state@/tend"`) {
			t.Errorf("%q is left in:\n%.400s", left, text)
		}
	}
}
