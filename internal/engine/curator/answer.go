package curator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// MaxAnswer bounds the size of an answer in bytes.
const MaxAnswer = 1 << 20

// mostOperations bounds how many operations of one answer are read.
const mostOperations = 1000

var (
	// ErrNoAnswer: the output has no operations in it.
	ErrNoAnswer = errors.New("the answer has no operations in it")
	// ErrOtherRequest: the answer says that it is for another request.
	ErrOtherRequest = errors.New("the answer is for another request")
	// ErrTooLong: the answer is longer than any valid one.
	ErrTooLong = errors.New("the answer is too long")
)

// Operation is one thing that a model asks for. Which fields count depends on Op.
type Operation struct {
	Op    string   `json:"op"`
	From  []string `json:"from,omitempty"` // entries of the log, or lines
	Quote string   `json:"quote,omitempty"`
	Under string   `json:"under,omitempty"`
	Until string   `json:"until,omitempty"`
	Dated bool     `json:"dated,omitempty"` // the day on which it was said goes with it
	Lines []int    `json:"lines,omitempty"`
	Keep  int      `json:"keep,omitempty"`
	Why   string   `json:"why,omitempty"`
	By    string   `json:"by,omitempty"`
	To    string   `json:"to,omitempty"`
	File  string   `json:"file,omitempty"`
	Text  string   `json:"text,omitempty"`
}

// The operations.
const (
	Keep    = "keep"    // the quote goes onto the page
	Replace = "replace" // the quote takes the place of a line
	Confirm = "confirm" // a line was said again
	Retire  = "retire"  // a line leaves the page
	Move    = "move"    // lines move to another file
	Merge   = "merge"   // of several lines that say the same, one stays
	Rewrite = "rewrite" // the model's words take the place of lines
	Add     = "add"     // the model's words go onto the page
	Propose = "propose" // the model's words for another file
	Skip    = "skip"    // read and declined
)

// Answer is what a model answered.
type Answer struct {
	Request    string      `json:"request,omitempty"` // the key it names, "" if it names none
	Model      string      `json:"model,omitempty"`   // who answered, as far as is known
	Operations []Operation `json:"operations"`
}

// Read finds the operations in a model's output: as an object with a list, as JSON lines, or as single objects, inside
// prose, code fences, thoughts or the wrapper of a program. Complete operations of an answer that was cut off are used.
func Read(output []byte) (Answer, error) {
	if len(output) > MaxAnswer {
		return Answer{}, ErrTooLong
	}
	var rd reader
	rd.text(string(output), 0)
	if !rd.found {
		return Answer{}, ErrNoAnswer
	}
	return rd.answer, nil
}

// reader collects operations.
type reader struct {
	answer Answer
	found  bool // an answer was seen, perhaps an empty one
	whole  bool // a list was read: what follows is talk
	tries  int
}

// How deep wrappers are opened, and how many objects are tried.
const (
	deepest   = 5
	mostTries = 4 * mostOperations
)

// thoughts matches what a model says to itself before it answers.
var thoughts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)<(think|thinking|reasoning)>.*?</(?:think|thinking|reasoning)>`)
})

// text reads the objects and lists in a text, outermost first.
func (r *reader) text(s string, depth int) {
	if depth > deepest {
		return
	}
	s = thoughts().ReplaceAllString(s, "")
	if i := strings.LastIndex(s, "</think>"); i >= 0 { // some servers leave out where they begin
		s = s[i:]
	}
	r.ranges(s, pairs(s), depth)
}

// ranges reads bracketed parts of a text. One that cannot be parsed is opened, as is one that was cut off.
func (r *reader) ranges(s string, list []pair, depth int) {
	for i := 0; i < len(list) && !r.whole && r.tries < mostTries; {
		p := list[i]
		r.tries++
		var v any
		if p.end > 0 && decode(s[p.start:p.end], &v) && r.value(v, depth) {
			for i++; i < len(list) && list[i].start < p.end; i++ {
			}
			continue
		}
		i++
	}
}

// value reads a decoded value and reports whether it was, or had in it, an answer.
func (r *reader) value(v any, depth int) bool {
	switch v := v.(type) {
	case map[string]any:
		if key, ok := v["request"].(string); ok && r.answer.Request == "" {
			r.answer.Request = key
		}
		if list, ok := listed(v); ok {
			r.found = true
			for _, x := range list {
				r.operation(x)
			}
			r.whole = len(r.answer.Operations) > 0 // an empty one may be an example
			return true
		}
		if r.operation(v) {
			r.found = true
			return true
		}
		return r.wrapped(v, depth)
	case []any:
		any := false
		for _, x := range v {
			any = r.value(x, depth) || any
		}
		return any
	}
	return false
}

// wrappers are the fields in which programs and servers hand on what a model said.
var wrappers = []string{
	"result", "final", "response", "output", "text", "content", "message", "payloads", "payload", "choices", "item", "arguments", "input",
	"answer", "data", "structured_output",
}

// wrapped looks for the answer inside a program's own object.
func (r *reader) wrapped(v map[string]any, depth int) bool {
	before := r.found
	for _, name := range wrappers {
		switch x := v[name].(type) {
		case string:
			r.text(x, depth+1)
		case map[string]any, []any:
			if depth < deepest {
				r.nested(x, depth+1)
			}
		}
		if r.whole {
			break
		}
	}
	return r.found && !before || r.whole
}

func (r *reader) nested(v any, depth int) {
	if list, ok := v.([]any); ok {
		for _, x := range list {
			r.nested(x, depth)
		}
		return
	}
	if s, ok := v.(string); ok {
		r.text(s, depth)
		return
	}
	r.value(v, depth)
}

// listed returns the list of operations of an object.
func listed(v map[string]any) ([]any, bool) {
	for _, name := range []string{"operations", "ops"} {
		if list, ok := v[name].([]any); ok {
			return list, true
		}
	}
	return nil, false
}

// operation reads one operation, and reports whether the object is one.
func (r *reader) operation(v any) bool {
	m, ok := v.(map[string]any)
	if !ok {
		return false
	}
	op, ok := operationOf(m)
	if ok && len(r.answer.Operations) < mostOperations {
		r.answer.Operations = append(r.answer.Operations, op)
	}
	return ok
}

var names = []string{Keep, Replace, Confirm, Retire, Move, Merge, Rewrite, Add, Propose, Skip}

func operationOf(m map[string]any) (Operation, bool) {
	name := ""
	for _, field := range []string{"op", "operation", "type", "action"} {
		s, _ := m[field].(string)
		if s = strings.ToLower(strings.TrimSpace(s)); slices.Contains(names, s) {
			name = s
			break
		}
	}
	if name == "" {
		for _, n := range names { // {"keep": {"from": …}}
			if inner, ok := m[n].(map[string]any); ok && len(m) == 1 {
				name, m = n, inner
			}
		}
	}
	if name == "" {
		return Operation{}, false
	}
	o := Operation{
		Op: name, From: ids(m["from"]), Quote: str(m["quote"]), Under: str(m["under"]), Until: str(m["until"]),
		Why: strings.ToLower(str(m["why"])), To: str(m["to"]), File: str(m["file"]), Text: str(m["text"]), Lines: numbers(m["lines"]),
	}
	o.Dated = m["dated"] == true || strings.EqualFold(str(m["dated"]), "true")
	if by := ids(m["by"]); len(by) > 0 {
		o.By = by[0]
	}
	o.Lines = append(numbers(m["line"]), o.Lines...)
	if keep := numbers(m["keep"]); len(keep) == 1 {
		o.Keep = keep[0]
	}
	return o, true
}

func str(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case []any: // a quote in several pieces
		var parts []string
		for _, x := range v {
			if s, ok := x.(string); ok {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, "\n")
	}
	return ""
}

// ids reads one id or several: "e3", 12, ["e3", "e4"], "e3, e4".
func ids(v any) []string {
	switch v := v.(type) {
	case string:
		return strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune(" ,;[]()", r) })
	case json.Number:
		return []string{v.String()}
	case []any:
		var out []string
		for _, x := range v {
			out = append(out, ids(x)...)
		}
		return out
	}
	return nil
}

// numbers reads one line or several: 12, "12", "line 12", [12, "14"], "12-14".
func numbers(v any) []int {
	var out []int
	for _, id := range ids(v) {
		id = strings.TrimLeft(strings.ToLower(id), "lmine#")
		from, to, isRange := strings.Cut(id, "-")
		a, err := strconv.Atoi(from)
		if err != nil {
			continue
		}
		b := a
		if isRange {
			if b, err = strconv.Atoi(strings.TrimLeft(to, "lm")); err != nil || b < a || b-a > 500 {
				continue
			}
		}
		for ; a <= b; a++ {
			out = append(out, a)
		}
	}
	return out
}

// pair is a bracketed part of a text; end is 0 if it is never closed.
type pair struct{ start, end int }

// pairs finds the objects and lists of a text in one pass, in the order of their starts.
func pairs(s string) []pair {
	var out []pair
	var open []int // indexes into out
	inString := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case inString && c == '\\':
			i++
		case c == '"' && len(open) > 0:
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if len(out) < mostTries {
				open = append(open, len(out))
				out = append(out, pair{start: i})
			}
		case (c == '}' || c == ']') && len(open) > 0:
			last := open[len(open)-1]
			open = open[:len(open)-1]
			out[last].end = i + 1
		case c == '\n' && len(open) == 1 && s[out[open[0]].start] == '[':
			// A bracket in prose that is never closed must not swallow the answer.
			if rest := bytes.TrimSpace([]byte(s[out[open[0]].start+1 : i])); len(rest) > 0 && rest[0] != '{' {
				open = open[:0]
			}
		}
	}
	return out
}

// decode decodes JSON as models write it: with trailing commas, missing ones, remarks, apostrophes, and line breaks
// inside strings.
func decode(s string, v *any) bool {
	try := func(s string) bool {
		d := json.NewDecoder(strings.NewReader(s))
		d.UseNumber()
		return d.Decode(v) == nil
	}
	return try(s) || try(mended(s))
}

// endsList reports that nothing but the end of a list follows.
func endsList(s string) bool {
	rest := strings.TrimLeft(s[:min(len(s), 80)], " \t\r\n,")
	return rest == "" || rest[0] == '}' || rest[0] == ']'
}

// apostrophed returns a string between apostrophes as JSON has it, and its length. An apostrophe that no comma, colon or
// bracket follows is a letter.
func apostrophed(s string) (text string, n int) {
	for n = 1; n < len(s); n++ {
		rest := strings.TrimLeft(s[n+1:min(len(s), n+80)], " \t\r\n")
		if s[n] == '\'' && s[n-1] != '\\' && (rest == "" || strings.IndexByte(",:}]", rest[0]) >= 0) {
			break
		}
	}
	quoted, _ := json.Marshal(strings.ReplaceAll(s[1:n], `\'`, "'")) // a string can be marshalled
	return string(quoted), min(n+1, len(s))
}

// mended corrects what JSON does not allow and models write anyway.
func mended(s string) string {
	var b strings.Builder
	inString := false
	var last byte // the last character outside strings that is no blank
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case inString && c == '\\' && i+1 < len(s):
			if strings.IndexByte(`"\/bfnrtu`, s[i+1]) < 0 {
				b.WriteString(`\\`)
				continue
			}
			b.WriteString(s[i : i+2])
			i++
			continue
		case inString && c < ' ':
			fmt.Fprintf(&b, `\u%04x`, c)
			continue
		case c == '"':
			if !inString && (last == '"' || last == '}' || last == ']') {
				b.WriteByte(',')
			}
			inString = !inString
			last = c
		case inString:
		case c == '/' && strings.HasPrefix(s[i:], "//"):
			i += max(0, strings.IndexByte(s[i:]+"\n", '\n')-1)
			continue
		case c == '\'' && strings.IndexByte("{[,:", last) >= 0:
			text, n := apostrophed(s[i:])
			b.WriteString(text)
			i += n - 1
			last = '"'
			continue
		case c == ',':
			if endsList(s[i+1:]) {
				continue
			}
			last = c
		case (c == '{' || c == '[') && (last == '}' || last == ']'):
			b.WriteByte(',')
			last = c
		case c > ' ':
			last = c
		}
		b.WriteByte(c)
	}
	return b.String()
}
