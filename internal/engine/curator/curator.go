// Package curator is the contract with a model that curates an agent's memory: what it is asked, which operations it may
// answer with, how an answer is read, and how each operation is checked.
//
// A model only points. It names lines of memory and entries of the log, and quotes what should stand on the page. What is
// written comes from the cited text, not from the quote, so a changed word, a dropped condition or an invented addition
// cannot get in. Words of the model's own are accepted only where the operator allows it and where they say what the cited
// lines say. The package is pure: it reads no files and talks to nobody.
package curator

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"strings"
	"unicode/utf8"

	"tend/internal/text/note"
)

// Request is what a model is asked about one agent's memory. It is a pure function of the agent's files, so that an answer
// that arrives later can be checked against a request that was built again.
type Request struct {
	Key   string `json:"request"` // names the request; an answer to another one is rejected
	Agent string `json:"agent"`
	Date  string `json:"date"`
	Task  Task   `json:"task"`
	// Part of Parts: a long log is offered in several requests.
	Part  int     `json:"part"`
	Parts int     `json:"parts"`
	Pages []Page  `json:"pages"`
	Log   []Entry `json:"log,omitempty"`
	// Brief is how many characters of a line of memory the text shows where the page leaves too little room for the log; 0 is
	// all of them, and less than 0 shows headings only.
	Brief int `json:"-"`
	// OwnWords: the model is asked for words of its own, too. At the level that takes only quotes they would all wait for a person.
	OwnWords bool `json:"-"`
	// Suggestions are what Tend noticed without judging, one sentence each.
	Suggestions []string `json:"suggestions,omitempty"`
}

// Task is what the model is asked to do.
type Task string

// The tasks.
const (
	Night   Task = "night"   // read the unread log, keep what memory needs
	Shrink  Task = "shrink"  // bring a page within what the harness loads
	Compare Task = "compare" // find lines that contradict each other
)

// Author is who wrote a line, as far as the ledger knows.
type Author string

// The authors. A line of an unknown author counts as a person's.
const (
	Unknown  Author = ""
	Operator Author = "operator" // part of the approved baseline: read-only
	ByAgent  Author = "agent"
	ByTend   Author = "tend"
)

// Page is a file of long-term memory, line by line.
type Page struct {
	File  string `json:"file"`
	Lines []Line `json:"lines"`
	// Size and Limit are what the file has and what the harness loads of it, in Unit. A limit of 0 is none.
	Size     int       `json:"size"`
	Limit    int       `json:"limit,omitempty"`
	Unit     string    `json:"unit,omitempty"`
	Sections []Section `json:"sections,omitempty"` // of a page that is too long
	// Excluded says why nothing on the page may be changed from outside, "" if it may.
	Excluded string `json:"excluded,omitempty"`

	doc    *note.Doc // of the lines as they are shown
	starts []int     // of each line in it
}

// Line is a line of a page. Its id is its number, counted on over all pages.
type Line struct {
	ID   int    `json:"line"`
	Text string `json:"text"` // secrets are masked
	By   Author `json:"by,omitempty"`
	// Unseen: the harness does not load it, so that nothing is lost from what the agent sees if it moves.
	Unseen bool `json:"-"`

	pinned bool
}

// Section is a section of a page that is too long.
type Section struct {
	Line   int  `json:"line"`
	Size   int  `json:"size"`
	Unseen bool `json:"unseen,omitempty"` // some of it is not loaded by the harness
}

// Over reports whether the harness does not load the page whole.
func (p Page) Over() bool { return p.Limit > 0 && p.Size > p.Limit }

// count is the size of a text in the page's unit.
func (p Page) count(text string) int {
	if p.Unit == Bytes {
		return len(text)
	}
	return utf8.RuneCountInString(text)
}

// Bytes is the unit of a harness that counts bytes; others count characters.
const Bytes = "bytes"

// Entry is an unread entry of a log, whole: with its nested lines and the label above its list.
type Entry struct {
	ID      string   `json:"id"`
	Day     string   `json:"day,omitempty"`
	File    string   `json:"file"`
	Line    int      `json:"line"`
	Path    []string `json:"headings,omitempty"` // the headings above it, the outermost first
	Subject string   `json:"subject,omitempty"`  // those of them that say what it is about
	Tags    []string `json:"tags,omitempty"`
	Text    string   `json:"text"` // secrets are masked

	// Extent and version in the file, for the receipt.
	Start, End int    `json:"-"`
	Hash       string `json:"-"`
}

// Seal sets the request's key from everything the model is shown.
func (r *Request) Seal() {
	h := sha256.New()
	put := func(parts ...any) { _, _ = fmt.Fprintln(h, parts...) }
	put(r.Agent, r.Task)
	for _, p := range r.Pages {
		put(p.File, p.Excluded)
		for _, l := range p.Lines {
			put(l.ID, l.By, l.Text)
		}
	}
	first, last := "", ""
	for i, e := range r.Log {
		put(e.ID, e.File, e.Text)
		if last = e.ID; i == 0 {
			first = e.ID
		}
	}
	sum := strings.ToLower(base32.StdEncoding.EncodeToString(h.Sum(nil)))[:6]
	if r.Key = sum; first != "" {
		r.Key = strings.Join([]string{first, last, sum}, "-")
	}
}

// Span returns the first and last entry that a key names; ok is false if it names none.
func Span(key string) (first, last string, ok bool) {
	parts := strings.Split(key, "-")
	if len(parts) != 3 {
		return "", "", false
	}
	return parts[0], parts[1], true
}

// line finds a line by its id.
func (r Request) line(id int) (page int, l *Line, ok bool) {
	for p := range r.Pages {
		lines := r.Pages[p].Lines
		if n := len(lines); n == 0 || id < lines[0].ID || id > lines[n-1].ID {
			continue
		}
		return p, &lines[id-lines[0].ID], true
	}
	return 0, nil, false
}

// entry finds an entry of the log by its id.
func (r Request) entry(id string) (Entry, bool) {
	for _, e := range r.Log {
		if e.ID == id {
			return e, true
		}
	}
	return Entry{}, false
}
