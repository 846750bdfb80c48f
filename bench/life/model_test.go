package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tend/internal/engine/curator"
	"tend/test/require"
)

var must = require.NoError

// TestMain lets this binary stand in for a model: started as "model LIFE", it answers one request.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "model" {
		if err := answerAsModel(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// answerAsModel picks the entries that state a core fact of the life, as a good model would, and adds a pick with a number
// that no entry has, as a bad one would.
func answerAsModel(name string) error {
	l, err := load(name)
	if err != nil {
		return err
	}
	var r struct {
		curator.Request
		Prompt string `json:"prompt"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&r); err != nil {
		return err
	}
	if !strings.Contains(r.Prompt, "You choose what an agent should remember") {
		return fmt.Errorf("no prompt: %q", r.Prompt)
	}
	picks := []curator.Pick{}
	for _, e := range r.Entries {
		core := slices.ContainsFunc(l.Facts, func(f fact) bool {
			return f.Weight == "core" && slices.ContainsFunc(f.Values, func(v value) bool { return v.Match.in(e.Text) })
		})
		if core && len(picks) < r.Max {
			tag := "decision"
			if len(e.Tags) > 0 {
				tag = e.Tags[0]
			}
			picks = append(picks, curator.Pick{Text: e.Text, Tag: tag, Sources: []string{e.ID}})
		}
	}
	if len(r.Entries) > 0 && len(picks) == 0 {
		picks = append(picks, curator.Pick{Text: "Invented: the answer is 987654", Tag: "lesson", Sources: []string{r.Entries[0].ID}})
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"picks": picks})
}

// TestModelJudges plays one life twice: with the rules alone, and with a scripted model that is asked every night. The
// model's picks are checked: what it invents is never written.
func TestModelJudges(t *testing.T) {
	name, err := filepath.Abs("testdata/larkhill.json")
	must(t, err)
	l, err := load(name)
	must(t, err)
	self, err := os.Executable()
	must(t, err)
	l.Days = l.Days[:30] // enough to see both; the facts of later days are left out below
	last := l.Days[len(l.Days)-1].Date
	l.Facts = slices.DeleteFunc(l.Facts, func(f fact) bool { return f.Values[len(f.Values)-1].From.After(last.Time) || f.Ended != nil })
	kept := map[string]share{}
	for _, judge := range []string{"rules", "model"} {
		w, err := newWorkspace(t.TempDir(), l, inProcess)
		must(t, err)
		if judge == "model" {
			config, err := os.ReadFile(filepath.Join(w.dir, "tend.yaml"))
			must(t, err)
			text := string(config) + "    policy:\n      curator: command\ncurator:\n  command: [" + fmt.Sprintf("%q, model, %q", self, name) + "]\n"
			must(t, os.WriteFile(filepath.Join(w.dir, "tend.yaml"), []byte(text), 0o644))
		}
		s := scores{shares: map[string]share{}, missed: map[string][]string{}}
		if s.played, err = play(w, l); err != nil {
			t.Fatal(err)
		}
		must(t, s.loaded(w, l))
		kept[judge] = s.shares["core_kept"]
		t.Logf("%s: core %v, superseded %v, passing %v", judge, s.shares["core_kept"], s.shares["stale_loaded"], s.shares["passing_loaded"])
		if strings.Contains(s.hot, "987654") {
			t.Errorf("what the model invented is in memory:\n%s", s.hot)
		}
		if judge == "model" && s.played.codes["curator-rejected"] == 0 {
			t.Errorf("no invented pick was rejected: %v", s.played.codes)
		}
	}
	if kept["model"].Got < kept["rules"].Got {
		t.Errorf("the model keeps less of the core: %v against %v", kept["model"], kept["rules"])
	}
}
