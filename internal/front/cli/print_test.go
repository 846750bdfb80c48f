package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
	"tend/internal/text/scan/scantest"
)

// hiddenTexts returns the texts of the scanner's corpus with invisible characters or terminal controls.
func hiddenTexts(t *testing.T) []string {
	t.Helper()
	list := scantest.Invisible()
	if len(list) < 40 {
		t.Fatalf("only %d texts", len(list))
	}
	return list
}

// unseen returns the first invisible or control character of an output.
func unseen(out string) (rune, bool) {
	before := rune(0)
	for i, r := range out {
		_, n := utf8.DecodeRuneInString(out[i:])
		if r == utf8.RuneError && n == 1 {
			return r, true
		}
		// Joiners of emoji and scripts are allowed: textfmt.Safe knows where.
		if r != '\n' && r != '\t' && textfmt.Unseen(r) && textfmt.Safe(string(before)+string(r)+out[i+n:]) != string(before)+string(r)+out[i+n:] {
			return r, true
		}
		before = r
	}
	return 0, false
}

// TestEveryPrinter passes the scanner's corpus through everything that prints.
func TestEveryPrinter(t *testing.T) {
	texts := hiddenTexts(t)
	printers := map[string]func(a *printer, text string){
		"printf":       func(a *printer, s string) { a.printf("%s and %v\n", s, errors.New(s)) },
		"printf, path": func(a *printer, s string) { a.printf("%s:%d\n", vault.Path(s), 1) },
		"paint":        func(a *printer, s string) { a.printf("%s\n", a.paint(red, s)) },
		"warning":      func(a *printer, s string) { a.warnf("look at %s", s) },
		"error":        func(a *printer, s string) { a.reportError(errors.New(s)) },
		"table": func(a *printer, s string) {
			a.table([]string{"a", "b", "c"}, [][]cell{{{s, ""}, {s, bold}, {s, red}}, {{"x", ""}, {"y", ""}, {"z", ""}}})
		},
		"diff":          func(a *printer, s string) { a.diff("--- a\n+++ b\n@@ -1 +1 @@\n-" + s + "\n+" + s + "\n") },
		"findings":      func(a *printer, s string) { a.findings([]finding.Finding{finding.Drift.In(s, "%s", s).WithDiff(s)}) },
		"JSON":          func(a *printer, s string) { _ = a.printJSON(map[string]string{"text": strings.ToValidUTF8(s, "?")}) },
		"history":       func(a *printer, s string) { w := &safeLines{out: a.out}; _, _ = w.Write([]byte(s)); _ = w.flushLine() },
		"marks of ours": func(a *printer, s string) { a.printf("%s\n", markBegin+"31"+markStyle+s+markEnd) },
	}
	tries, held := 0, 0
	for name, print := range printers {
		for _, text := range texts {
			tries++
			var out bytes.Buffer
			a := &printer{out: &output{Writer: &out}, errw: &out}
			print(a, text)
			if out.Len() == 0 {
				t.Errorf("%s prints nothing of %q", name, text)
			} else if r, bad := unseen(out.String()); bad {
				t.Errorf("%s of %q prints %U: %q", name, text, r, out.String())
			} else {
				held++
			}
			if name == "table" && strings.Count(out.String(), "\n") != 3 {
				t.Errorf("table of %q breaks its lines: %q", text, out.String())
			}
		}
	}
	t.Logf("printers: %d tries, %d held", tries, held)
}

// JSON output keeps the value, escaped or not.
func TestJSONKeepsItsValue(t *testing.T) {
	for _, text := range hiddenTexts(t) {
		if !utf8.ValidString(text) {
			continue
		}
		var out bytes.Buffer
		a := &printer{out: &out}
		must(t, a.printJSON(text))
		var back string
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != text {
			t.Errorf("%q came back as %q: %v", text, back, err)
		}
	}
}

// TestOnePrinter: everything this package prints goes through put.
func TestOnePrinter(t *testing.T) {
	files, err := filepath.Glob("*.go")
	must(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || name == "print.go" {
			continue
		}
		src, err := os.ReadFile(name)
		must(t, err)
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, src, 0)
		must(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			fun, _ := call.Fun.(*ast.SelectorExpr)
			to, _ := call.Args[0].(*ast.SelectorExpr)
			if fun == nil || to == nil || !strings.HasPrefix(fun.Sel.Name, "Fprint") || to.Sel.Name != "out" && to.Sel.Name != "errw" {
				return true
			}
			line := strings.Split(string(src), "\n")[set.Position(call.Pos()).Line-1]
			if !strings.Contains(line, "b.a.errw") && !strings.Contains(line, `"%s\n", data`) { // the progress bar; an error as JSON
				t.Errorf("%s: print with a.printf or a.errorf: %s", set.Position(call.Pos()), strings.TrimSpace(line))
			}
			return true
		})
	}
}
