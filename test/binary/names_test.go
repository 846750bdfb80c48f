//go:build linux

package binary

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/sync/store/storetest"
)

// oddNames are names that this disk allows and others may not: every byte but the two that no disk allows, other scripts,
// invisible signs, names of devices, and what shells, URLs and other programs read as something else.
func oddNames() []string {
	var names []string
	for b := 1; b < 256; b += 2 {
		if b != '/' {
			names = append(names, "a"+string([]byte{byte(b)})+"b.md")
		}
	}
	names = append(names, strings.Split(` lead.md|trail.md |-c.md|--help.md|con.md|NUL.md|com1.md|a..b.md|..md|...md|.md|~.md|$(id).md|%00.md|%2f.md|
		&amp;.md|é.md|e`+"\u0301"+`.md|日本語.md|नोट.md|🗒.md|👩‍🔧.md|`+"\u202egnp.md|\u200b.md|\ufeff.md|\u2028.md|a\r\nb.md|\x1b[2J.md"+`|
		C:\x.md|..\..\x.md|\\host\x.md|'; rm.md|"q".md|*.md|?.md|<x>.md|a:b.md|#x.md|@x.md|!x.md|[x].md|{a,b}.md|x=1.md|x+y.md|`+"`x`.md|"+
		`A.md|a.MD|a.md.md|a.md.bak.md|readme.md|README.md|index.md|lock.md|position.json.md|2026-13-45.md|2026-11-15 (1).md|
		x.sync-conflict-20261115-1.md|x (conflicted copy).md|x~.md|#x#.md|x.md.aside-0123456789.md`, "|")...)
	names = append(names, strings.Repeat("x", 200)+".md", strings.Repeat("x", 240)+".md", strings.Repeat("語", 77)+".md")
	for _, dir := range []string{"con", "a b", ".hidden", "d.md", "-r", "é", "e\u0301", "a\\b", "a\nb", "...", strings.Repeat("d", 240),
		"deep/er/yet"} {
		names = append(names, dir+"/x.md")
	}
	for i, n := range names {
		names[i] = strings.TrimLeft(n, "\n\t")
	}
	return names
}

// isMemory reports whether a file of this name is the agent's memory: hidden ones and other programs' files are not.
func isMemory(name string) bool { return vault.Path(name).Markdown() && !vault.Path(name).Hidden() }

// laptop is one of several machines with a copy of one agent.
type laptop struct {
	*world
	t *testing.T
}

func newLaptop(t *testing.T, dir string) laptop {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	keys := []string{"AWS_ACCESS_KEY_ID=" + storetest.AccessKey, "AWS_SECRET_ACCESS_KEY=" + storetest.SecretKey}
	return laptop{&world{dir: dir, env: keys}, t}
}

// run runs a command that may have findings.
func (l laptop) run(args ...string) result {
	l.t.Helper()
	r := l.tend(args...)
	if !r.done() {
		l.t.Fatal(r)
	}
	return r
}

// sync returns the files that this machine says are not in the store.
func (l laptop) sync() map[string]bool {
	l.t.Helper()
	var got []struct {
		Findings []finding.Finding `json:"findings"`
	}
	r := l.run("sync", "--json")
	if err := json.Unmarshal([]byte(r.out), &got); err != nil {
		l.t.Fatalf("%v: %s", err, r)
	}
	left := map[string]bool{}
	for _, f := range got[0].Findings {
		if f.Code == finding.StoreLeftOut.Code {
			left[f.File] = true
		}
	}
	return left
}

func (l laptop) put(name, text string) {
	l.t.Helper()
	name = filepath.Join(l.dir, "ws", name)
	must(l.t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(l.t, os.WriteFile(name, []byte(text), 0o644))
}

// printed is a name as JSON has it.
func printed(name string) string {
	var b strings.Builder
	for _, r := range name { // each byte that is not UTF-8 by itself
		b.WriteRune(r)
	}
	return b.String()
}

// files are the workspace's files.
func (l laptop) files() map[string]string {
	l.t.Helper()
	out := map[string]string{}
	ws := filepath.Join(l.dir, "ws")
	must(l.t, walk(ws, func(name string, text []byte) { out[strings.TrimPrefix(name, ws+"/")] = string(text) }))
	return out
}

// TestOddNames: three machines with more than 200 odd names share an agent over each kind of store. Each memory file
// arrives on all of them or is named as left out by the machine that has it, and whatever the names, the rest is the same.
func TestOddNames(t *testing.T) {
	for _, kind := range []string{"folder", "s3", "sealed", "syncing"} {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			where := []string{filepath.Join(dir, "nas", "tend")}
			switch kind {
			case "s3":
				where = []string{"s3://memory/tend", "--endpoint", storetest.Serve(t, "memory").Endpoint}
			case "sealed":
				where = append(where, "--key-file", filepath.Join(dir, "key"))
			}
			var all []laptop
			for i := range 3 {
				all = append(all, newLaptop(t, filepath.Join(dir, fmt.Sprintf("laptop%d", i))))
			}
			first := all[0]
			must(t, os.WriteFile(filepath.Join(first.dir, "tend.yaml"),
				[]byte("version: 1\nstate_dir: ./state\nagents:\n  ada: {workspace: ./ws, layout: openclaw, timezone: UTC}\n"), 0o644))
			first.put("MEMORY.md", "# Memory\n")
			first.put("SOUL.md", "# Soul\n")
			if kind == "sealed" {
				first.run("store", "key", "new", where[2])
			}
			made := append([]string{"store", "init"}, where...)
			if kind == "syncing" {
				made = append(made, "--syncing")
			}
			first.run(made...)
			first.run("store", "push", "ada")
			for _, l := range all[1:] {
				l.run(append([]string{"store", "clone", "ada", "ws", "--store"}, where...)...)
			}
			names := oddNames()
			for i, n := range names {
				all[i%3].put("memory/"+n, fmt.Sprintf("- from machine %d: %q\n", i%3, n))
			}
			left := make([]map[string]bool, 3)
			for _, l := range all {
				l.sync()
			}
			for i, l := range all { // the journal goes on for everybody
				l.put(fmt.Sprintf("later-%d.md", i), "later\n")
				l.sync()
			}
			for i, l := range append(all, all...) {
				left[i%3] = l.sync()
			}
			compare(t, all, names, left)
		})
	}
}

// compare checks that machines have the same files, but for those that they report as left out.
func compare(t *testing.T, all []laptop, names []string, left []map[string]bool) {
	t.Helper()
	shared := make([]map[string]string, len(all))
	for i, l := range all {
		shared[i] = l.files()
		for j := range all {
			if shared[i][fmt.Sprintf("later-%d.md", j)] == "" {
				t.Errorf("machine %d lacks what machine %d wrote later", i, j)
			}
		}
		maps.DeleteFunc(shared[i], func(name, _ string) bool { return left[i][printed(name)] || !isMemory(name) })
	}
	for i := range all[1:] {
		for _, name := range slices.Sorted(maps.Keys(shared[0])) {
			if shared[i+1][name] != shared[0][name] {
				t.Errorf("%q: %q on machine 0, %q on machine %d", name, shared[0][name], shared[i+1][name], i+1)
			}
		}
		if len(shared[i+1]) != len(shared[0]) {
			t.Errorf("machine %d has %d files, machine 0 %d", i+1, len(shared[i+1]), len(shared[0]))
		}
	}
	carried := 0
	for i, n := range names {
		text, there := shared[0]["memory/"+n]
		switch {
		case there && strings.Contains(text, fmt.Sprintf("%q", n)):
			carried++
		case isMemory(n) && !left[i%3][printed("memory/"+n)]:
			t.Errorf("memory/%q: neither carried nor reported", n)
		}
	}
	t.Logf("%d names, %d on all machines, the others reported", len(names), carried)
	if len(names) < 200 || carried < len(names)/2 {
		t.Errorf("%d names, %d carried", len(names), carried)
	}
}
