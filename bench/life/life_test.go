package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func ownLives(t *testing.T) (lives []life) {
	t.Helper()
	names, err := filepath.Glob("testdata/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no lives in testdata: %v", err)
	}
	for _, name := range names {
		l, err := load(name)
		must(t, err)
		lives = append(lives, l)
	}
	return lives
}

// TestLivesAreFair checks the test data: every value of a fact was written on the day it begins, in words that its
// pattern matches, and every edit finds the text it replaces.
func TestLivesAreFair(t *testing.T) {
	for _, l := range ownLives(t) {
		written, files := map[string][]string{}, map[string]string{}
		first := l.Days[0].Date.String()
		for name, text := range l.Files {
			files[name] = text
			written[first] = append(written[first], strings.Split(text, "\n")...)
		}
		for _, d := range l.Days {
			lines := append(written[d.Date.String()], strings.Split(d.Log+"\n"+d.Buffer, "\n")...)
			for _, e := range d.Edits {
				if n := strings.Count(files[e.File], e.Old); n != 1 {
					t.Errorf("%s %s: the edit of %s finds its text %d times: %q", l.Name, d.Date, e.File, n, e.Old)
				}
				files[e.File] = strings.Replace(files[e.File], e.Old, e.New, 1)
				lines = append(lines, e.New)
			}
			written[d.Date.String()] = lines
		}
		for _, f := range l.Facts {
			for _, v := range f.Values {
				if found := written[v.From.String()]; !anyLine(found, v.Match) {
					t.Errorf("%s: %s is not stated on %s", l.Name, f.ID, v.From)
				}
			}
		}
	}
}

func anyLine(lines []string, p pattern) bool {
	return slices.ContainsFunc(lines, p.in)
}

func TestEntries(t *testing.T) {
	got := entries("# Memory\n\n- one\n  - below one\nmore of one\n2. two\n\nplain\nlines\n```\n- in a fence\n```\n")
	want := []string{"# Memory", "- one - below one more of one", "2. two", "plain lines ``` - in a fence ```"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestJudge scores a page by hand.
func TestJudge(t *testing.T) {
	l := ownLives(t)[1]
	lines := entries("- Spend up to £40 without asking\n- Spare key: in the lockbox by the shed\n- the spare key is in the lockbox\n- Pip has piano on Mondays\n- Mina has a tummy bug\n")
	s := scores{shares: map[string]share{}, missed: map[string][]string{}, played: played{last: date{time.Date(2026, 7, 4, 0, 0, 0, 0, time.UTC)}}}
	for _, f := range l.Facts {
		switch f.ID {
		case "spend", "key", "piano", "p-tummy":
			s.judge(f, lines)
		}
	}
	want := map[string]share{"core_kept": {1, 2}, "stale_loaded": {2, 3}, "passing_loaded": {1, 1}}
	if diff := cmp.Diff(want, s.shares); diff != "" {
		t.Error(diff)
	}
	missed := map[string][]string{"core_kept": {"spend"}, "stale_loaded": {"spend", "piano"}, "passing_loaded": {"p-tummy"}, "repeated": {"key"}}
	if diff := cmp.Diff(missed, s.missed); diff != "" {
		t.Error(diff)
	}
}
