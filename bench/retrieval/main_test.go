package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/test/require"
)

var must = require.NoError

func TestRun(t *testing.T) {
	var out bytes.Buffer
	must(t, run(&out, filepath.Join("testdata", "talk.json"), true, false))
	got := map[string]map[string]float64{}
	must(t, json.Unmarshal(out.Bytes(), &got))
	// The second question has two turns of evidence, so one hit is half of it.
	want := map[string]map[string]float64{
		"session": {"r1": 100, "r5": 100, "r10": 100, "r20": 100},
		"turn":    {"r1": 75, "r5": 100, "r10": 100, "r20": 100},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	out.Reset()
	must(t, run(&out, filepath.Join("testdata", "talk.json"), false, true))
	if rows := strings.Count(out.String(), "\n"); rows != 3 {
		t.Errorf("want a head, the conversation and the sum:\n%s", out.String())
	}
}

func TestLoad(t *testing.T) {
	cs, err := load(filepath.Join("testdata", "talk.json"))
	must(t, err)
	c := cs[0]
	if len(c.sessions) != 2 || len(c.questions) != 2 {
		t.Fatalf("%d sessions, %d questions with evidence", len(c.sessions), len(c.questions))
	}
	if diff := cmp.Diff([]string{"D2:1", "D2:2"}, c.questions[1].evidence); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
	if got, want := entry(c.sessions[0].turns[1]), "Bob: Well done. I baked bread. The oven is new. [image: a loaf on a table]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := day(c.sessions[0].date).String(); got != "2023-05-08" {
		t.Errorf("got day %s", got)
	}
}

func TestBadFiles(t *testing.T) {
	for name, text := range map[string]string{"no json": "{", "no questions": "[]"} {
		path := filepath.Join(t.TempDir(), "x.json")
		must(t, os.WriteFile(path, []byte(text), 0o600))
		if err := run(&bytes.Buffer{}, path, true, false); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want an error that names the file", name, err)
		}
	}
}

func TestRunSet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "set.json")
	must(t, os.WriteFile(path, []byte(`[{"name": "harbor", "now": "2026-03-01",
		"files": {"memory/2026-01-05.md": "- The crane lifts forty tons\n", "memory/2026-02-05.md": "- The crane lifts fifty tons\n"},
		"questions": [{"kind": "update", "q": "How much does the crane lift?", "new": [["memory/2026-02-05.md", 1]], "old": [["memory/2026-01-05.md", 1]]}]}]`), 0o600))
	var out bytes.Buffer
	must(t, runSet(&out, path, true))
	for _, want := range []string{"new  0 old  1", "R@1 100.0", "old above new   0.0, unmarked   0.0 of 1"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing:\n%s", want, out.String())
		}
	}
}
