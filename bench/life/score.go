package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// share is how many of how many.
type share struct{ Got, Of int }

func (s share) rate() float64 { return float64(s.Got) / float64(max(1, s.Of)) }

func (s share) MarshalJSON() ([]byte, error) { return json.Marshal([2]int{s.Got, s.Of}) }

// measure is a score with its goal.
type measure struct {
	name    string
	atLeast bool // whether the goal is the least there may be, otherwise the most
	goal    float64
}

func (m measure) met(rate float64) bool {
	if m.atLeast {
		return rate >= m.goal
	}
	return rate <= m.goal
}

var measures = []measure{
	{"core_kept", true, .97}, {"stale_loaded", false, .05}, {"passing_loaded", false, .10}, {"found_in_5", true, .93}, {"stale_first", false, .08},
	{"too_long", false, 0}, {"noisy_nights", false, .10}, {"pairs_found", true, .80}, {"pairs_false", false, .07},
}

// scores rates the memory at the end of a life.
type scores struct {
	shares   map[string]share
	repeated int // statements that are loaded more than once
	lost     int // lines that no file has any more
	played   played
	hot      string // the final MEMORY.md
	prefix   prefix
	missed   map[string][]string // what fell short, by measure
}

// add counts a fact in a measure and records failures.
func (s *scores) add(name, what string, hit, good bool) {
	n := s.shares[name]
	n.Of++
	if hit {
		n.Got++
	}
	s.shares[name] = n
	if hit != good {
		s.missed[name] = append(s.missed[name], what)
	}
}

func score(l life, dir string, tend runner) (scores, error) {
	s := scores{shares: map[string]share{}, missed: map[string][]string{}}
	w, err := newWorkspace(dir, l, tend)
	if err != nil {
		return s, err
	}
	if s.played, err = play(w, l); err != nil {
		return s, err
	}
	if err := s.loaded(w, l); err != nil {
		return s, err
	}
	for _, f := range l.Facts {
		if err := s.search(w, f); err != nil {
			return s, err
		}
	}
	if s.missed["lost"], err = s.lostLines(dir); err != nil {
		return s, err
	}
	s.lost = len(s.missed["lost"])
	s.shares["noisy_nights"] = share{s.played.noisy, s.played.nights}
	if err := s.comparePairs(l, dir, tend); err != nil {
		return s, err
	}
	s.prefix, err = prefixOf(l, dir, tend)
	return s, err
}

// loaded compares the files that are loaded at a session's start with the facts.
func (s *scores) loaded(w workspace, l life) error {
	names, err := filepath.Glob(w.path("*.md"))
	if err != nil {
		return err
	}
	var texts []string
	for _, name := range names {
		text, err := w.read(filepath.Base(name))
		if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	if s.hot, err = w.read("MEMORY.md"); err != nil {
		return err
	}
	all := strings.Join(texts, "\n")
	lines := entries(all)
	for _, f := range l.Facts {
		s.judge(f, lines)
	}
	grown := len(all)
	for _, text := range l.Files {
		grown -= len(text)
	}
	s.add("too_long", fmt.Sprintf("%d bytes, grown by %d", len(s.hot), grown), strings.Count(s.hot, "\n") > 100 || len(s.hot) > 10_000 || grown > 12_000, false)
	return nil
}

// judge looks for one fact in what is loaded.
func (s *scores) judge(f fact, lines []string) {
	now, old := f.current()
	if f.Weight == "passing" {
		if since := f.Values[len(f.Values)-1].From; s.played.last.Sub(since.Time) >= 30*24*time.Hour {
			if now != nil {
				old = append(old, *now)
			}
			s.add("passing_loaded", f.ID, slices.ContainsFunc(lines, func(l string) bool { return anyIn(old, l) }), false)
		}
		return
	}
	if len(old) > 0 {
		s.add("stale_loaded", f.ID, slices.ContainsFunc(lines, func(l string) bool { return anyIn(old, l) && (now == nil || !now.in(l)) }), false)
	}
	if now == nil {
		return
	}
	have := 0
	for _, l := range lines {
		if now.in(l) {
			have++
		}
	}
	if f.Weight == "core" {
		s.add("core_kept", f.ID, have > 0, true)
	}
	if have > 1 {
		s.repeated += have - 1
		s.missed["repeated"] = append(s.missed["repeated"], f.ID)
	}
}

// entries returns the bullets and paragraphs of a text with what is nested below them, each as one line.
func entries(text string) (out []string) {
	var cur []string
	end := func() {
		if len(cur) > 0 {
			out = append(out, strings.Join(cur, " "))
		}
		cur = nil
	}
	fence := false
	for l := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimSpace(l)
		if strings.HasPrefix(bare, "```") {
			fence = !fence
		}
		if !fence && (bare == "" || begins(l)) {
			end()
		}
		if bare != "" {
			cur = append(cur, bare)
		}
	}
	end()
	return out
}

// begins reports whether a line is a heading or an item of a list that is not indented.
func begins(l string) bool {
	if strings.HasPrefix(l, "#") || len(l) > 1 && strings.ContainsRune("-*+", rune(l[0])) && l[1] == ' ' {
		return true
	}
	rest := strings.TrimLeft(l, "0123456789")
	return rest != l && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") "))
}

// search asks for a fact that still holds.
func (s *scores) search(w workspace, f fact) error {
	now, old := f.current()
	if f.Weight == "passing" || now == nil {
		return nil
	}
	var found struct {
		Hits []hit `json:"hits"`
	}
	if err := w.run(s.played.last.String()+" 23:50", &found, "search", f.Question, "--agent", "a", "--limit", "5"); err != nil {
		return err
	}
	rank, stale := -1, -1
	for i, h := range found.Hits {
		text, err := h.text(w)
		if err != nil {
			return err
		}
		current := now.in(text)
		if rank < 0 && current {
			rank = i
		}
		if stale < 0 && !current && anyIn(old, text) {
			stale = i
		}
	}
	s.add("found_in_5", f.ID, rank >= 0, true)
	if len(old) > 0 {
		s.add("stale_first", f.ID, stale >= 0 && (rank < 0 || stale < rank), false)
	}
	return nil
}

// hit is one answer of a search.
type hit struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	EndLine int    `json:"end_line"`
	Snippet string `json:"snippet"`
}

// text is the whole text of a hit, on one line.
func (h hit) text(w workspace) (string, error) {
	if _, err := os.Stat(w.path(h.Path)); err != nil {
		return h.Snippet, nil // in the archive, say
	}
	text, err := w.read(h.Path)
	if err != nil {
		return "", err
	}
	lines := strings.Split(text, "\n")
	lines = lines[max(0, min(h.Line-1, len(lines))):min(h.EndLine, len(lines))]
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, " "), nil
}

// lostLines returns the lines that the agent wrote and that no file below the folder has, as text or as JSON.
func (s *scores) lostLines(dir string) (lost []string, err error) {
	var all bytes.Buffer
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".git"):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		all.WriteByte('\n')
		return err
	})
	slices.Sort(s.played.written)
	for _, l := range slices.Compact(s.played.written) {
		if bytes.Contains(all.Bytes(), []byte(l)) {
			continue
		}
		var quoted bytes.Buffer
		enc := json.NewEncoder(&quoted)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(l); err != nil {
			return nil, err
		}
		if !bytes.Contains(all.Bytes(), bytes.Trim(quoted.Bytes(), "\"\n")) {
			lost = append(lost, l)
		}
	}
	return lost, err
}

// comparePairs gives every pair to compare, in a workspace of its own.
func (s *scores) comparePairs(l life, dir string, tend runner) error {
	at := s.played.last.Add(12 * time.Hour)
	for i, p := range l.Pairs {
		w, err := newWorkspace(filepath.Join(dir, "pairs", fmt.Sprint(i)), l, tend)
		if err != nil {
			return err
		}
		memory, tools := "# Memory\n\n## Facts\n"+p.A+"\n", "# Tools\n\n"
		if p.SameFile {
			memory += "- the office plant is called Rudi\n" + p.B + "\n"
		} else {
			tools += p.B + "\n"
		}
		if err := w.put("MEMORY.md", memory, at); err != nil {
			return err
		}
		if err := w.put("TOOLS.md", tools, at); err != nil {
			return err
		}
		var reports []report
		if err := w.run(s.played.last.String()+" 12:30", &reports, "compare", "a"); err != nil {
			return err
		}
		name := "pairs_false"
		if p.Contradict {
			name = "pairs_found"
		}
		found := slices.ContainsFunc(reports, func(r report) bool { return len(r.Findings) > 0 })
		s.add(name, fmt.Sprintf("%s: %s | %s", p.Kind, p.A, p.B), found, p.Contradict)
	}
	return nil
}
