package config

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"tend/internal/model/policy"
)

// decoder turns the tree of one file into a Config and collects its problems. Its methods report a problem and
// continue; for a bad value they return the zero value.
type decoder struct {
	values
	resolver
}

// values reads single values of a file, and reports those that are wrong.
type values struct {
	report
	env Env
	dir string // the base of relative paths
}

func newDecoder(path, text string, env Env) *decoder {
	return &decoder{
		values:   values{report: report{file: path, text: text}, env: env, dir: filepath.Dir(path)},
		resolver: newResolver(),
	}
}

func (d *values) parse() (node, bool) {
	root, err := parseYAML([]byte(d.text))
	var bad *syntaxError
	if errors.As(err, &bad) {
		d.errorf(bad.pos, bad.hint, "%s", bad.text)
		return node{}, false
	}
	return root, true
}

// readMapping returns the entries of n, each key once. An empty value is an empty mapping.
func (d *values) readMapping(n *node, what string) []entry {
	if n.kind == nullNode {
		return nil
	}
	if n.kind != mappingNode {
		d.errorf(n.pos, "write it as indented lines of `key: value`", "%s is %s, not a mapping", what, n.kind)
		return nil
	}
	if !d.reportRepeats(n.entries, what) {
		return n.entries
	}
	var once []entry
	for _, e := range n.entries {
		if !slices.ContainsFunc(once, func(o entry) bool { return o.key == e.key }) {
			once = append(once, e)
		}
	}
	return once
}

// reportRepeats reports every key that was there before.
func (d *values) reportRepeats(entries []entry, what string) bool {
	found, first := false, make(map[string]int, len(entries)) // the line of each key
	for _, e := range entries {
		line, repeated := first[e.key]
		if !repeated {
			first[e.key] = e.line
			continue
		}
		d.errorf(e.pos, "remove one of them", "%s appears twice in %s, first in line %d", e.key, what, line)
		found = true
	}
	return found
}

// field is a key of a section with its reader.
type field struct {
	key  string
	read func(*entry)
}

// readSection reads a mapping whose keys are known.
func (d *values) readSection(n *node, what string, known []field) []entry {
	entries := d.readMapping(n, what)
	for i := range entries {
		e := &entries[i]
		at := slices.IndexFunc(known, func(f field) bool { return f.key == e.key })
		if at >= 0 {
			known[at].read(e)
			continue
		}
		var keys []string
		for _, f := range known {
			keys = append(keys, f.key)
		}
		d.reportUnknown(e, what, keys...)
	}
	return entries
}

// put reads a value with one of the decoder's readers; a bad value leaves the zero value.
func put[T any](to *T, read func(*entry) (T, bool)) func(*entry) {
	return func(e *entry) { *to, _ = read(e) }
}

// putGood is put, except that a bad value leaves the target unchanged.
func putGood[T any](to *T, read func(*entry) (T, bool)) func(*entry) {
	return func(e *entry) {
		if v, ok := read(e); ok {
			*to = v
		}
	}
}

// reportUnknown reports a key that is not one of the known.
func (d *values) reportUnknown(e *entry, what string, known ...string) {
	hint := "known keys: " + strings.Join(known, ", ")
	if near := policy.Nearest(e.key, known); near != "" {
		hint = "did you mean " + near + "?"
	}
	d.errorf(e.pos, hint, "unknown key %q in %s", e.key, what)
}

// readText reads a value that is text. Numbers and switches are text too when written in quotes.
func (d *values) readText(e *entry) (string, bool) {
	if e.value.kind == scalarNode {
		if s, ok := e.value.value().(string); ok && s != "" {
			return s, true
		}
	}
	switch e.value.kind {
	case nullNode:
		d.errorf(e.pos, "write a value, or remove the line", "%s is empty", e.key)
	case scalarNode:
		if e.value.text == "" {
			d.errorf(e.value.pos, "write a value, or remove the line", "%s is empty", e.key)
		} else {
			d.errorf(e.value.pos, "if it is meant as text, write it in quotes", "%s must be text, not %s", e.key, e.value.text)
		}
	default:
		d.errorf(e.value.pos, "write one line of text", "%s is %s, not text", e.key, e.value.kind)
	}
	return "", false
}

func (d *values) readBool(e *entry) (value, ok bool) {
	if b, ok := e.value.scalar.(bool); ok {
		return b, true
	}
	d.errorf(e.value.pos, "write true or false", "%s must be true or false", e.key)
	return false, false
}

func (d *values) readNumber(e *entry, low, high int) (int, bool) {
	if n, ok := e.value.scalar.(int); ok && n >= low && n <= high {
		return n, true
	}
	d.errorf(e.value.pos, "", "%s must be a whole number from %d to %d", e.key, low, high)
	return 0, false
}

// readTexts reads a list of texts; a single text is a list of one.
func (d *values) readTexts(e *entry) []string {
	if e.value.kind != sequenceNode {
		if s, ok := d.readText(e); ok {
			return []string{s}
		}
		return nil
	}
	var list []string
	for i := range e.value.items {
		item := entry{pos: e.value.items[i].pos, key: e.key, value: e.value.items[i]}
		if s, ok := d.readText(&item); ok {
			list = append(list, s)
		}
	}
	return list
}

// readChoice reads one of the given words.
func (d *values) readChoice(e *entry, words ...string) (string, bool) {
	s, ok := d.readText(e)
	if !ok || slices.Contains(words, s) {
		return s, ok
	}
	hint := "write one of " + strings.Join(words, ", ")
	if near := policy.Nearest(s, words); near != "" {
		hint = "did you mean " + near + "?"
	}
	d.errorf(e.value.pos, hint, "%s cannot be %q", e.key, s)
	return "", false
}

// readWord reads a value that is one word, whatever type it looks like: its reader says what is wrong with 9000.
func (d *values) readWord(e *entry) (string, bool) {
	if e.value.kind == scalarNode && e.value.text != "" {
		return e.value.text, true
	}
	return d.readText(e)
}

func (d *values) readDuration(e *entry) (policy.Duration, bool) {
	s, ok := d.readWord(e)
	if !ok {
		return 0, false
	}
	value, err := policy.ParseDuration(s)
	if err != nil || value <= 0 {
		d.errorf(e.value.pos, "write it as 90s, 2m, 3h, 30d or 2w", "%s is not a duration", s)
		return 0, false
	}
	return value, true
}

// readCommand reads a program with its arguments. One named by a path is relative to the file like every path; one named
// by a word alone is looked up when it is run.
func (d *values) readCommand(e *entry) []string {
	argv := d.readTexts(e)
	if len(argv) == 0 || !strings.Contains(argv[0], "/") {
		return argv
	}
	abs, err := d.env.Abs(argv[0], d.dir)
	if err != nil {
		d.errorf(e.value.pos, "", "%s: %v", e.key, err)
		return nil
	}
	argv[0] = abs
	return argv
}

// readPath reads a path and makes it absolute.
func (d *values) readPath(e *entry) (string, bool) {
	s, ok := d.readText(e)
	if !ok {
		return "", false
	}
	abs, err := d.env.Abs(s, d.dir)
	if err != nil {
		d.errorf(e.value.pos, "", "%s: %v", e.key, err)
		return "", false
	}
	d.warnOfDollar(e, s)
	return abs, true
}

// warnOfDollar warns of a path that looks as if a variable were to be expanded.
func (d *values) warnOfDollar(e *entry, path string) {
	if strings.Contains(path, "$") {
		d.warnf(e.value.pos, "write the path out; only ~ is expanded", "%s contains a $, which is taken literally", e.key)
	}
}
