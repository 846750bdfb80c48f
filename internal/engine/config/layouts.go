package config

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tend/internal/model/policy"
	"tend/internal/text/layout"
)

// readLayouts reads the operator's own layouts: each a file, or written inline. end is the line of the next section, 0 if
// this is the last.
func (d *decoder) readLayouts(section *entry, end int) {
	entries := d.readMapping(&section.value, "layouts")
	for i := range entries {
		e := &entries[i]
		next := end
		if i+1 < len(entries) {
			next = entries[i+1].line
		}
		if !isName(e.key) {
			d.errorf(e.pos, "use letters, digits, - and _", "%q cannot be the name of a layout", e.key)
			continue
		}
		l, ok := d.ownLayout(e, next)
		if !ok {
			d.broken[e.key] = true
			continue
		}
		d.own[e.key] = l
	}
}

func (d *decoder) ownLayout(e *entry, next int) (layout.Layout, bool) {
	switch {
	case e.value.kind == mappingNode && e.value.flow:
		d.errorf(e.value.pos, "write it as indented lines, or in a separate file", "layout %s is written in braces", e.key)
		return layout.Layout{}, false
	case e.value.kind == mappingNode:
		text := d.lineRange(e.value.line, next)
		d.texts[e.key] = dedent(string(text))
		return d.parseLayout(&d.report, e, text, e.value.pos)
	}
	path, ok := d.readPath(e)
	if !ok {
		return layout.Layout{}, false
	}
	text, err := readText(path)
	if err != nil {
		d.errorf(e.value.pos, "name a file that exists, or write the layout out here", "layout %s: %v", e.key, err)
		return layout.Layout{}, false
	}
	d.texts[e.key] = dedent(string(text))
	file := report{file: path, text: string(text)}
	l, ok := d.parseLayout(&file, e, text, pos{1, 1})
	d.problems = append(d.problems, file.problems...)
	return l, ok
}

// lineRange returns the text between two lines, with empty lines above, so that errors in it have this file's line
// numbers.
func (d *decoder) lineRange(from, to int) []byte {
	d.sourceLine(1)
	start, stop := d.lines[from-1], len(d.text)
	if to > 0 {
		stop = d.lines[to-1]
	}
	return []byte(strings.Repeat("\n", from-1) + d.text[start:stop])
}

// yamlPosition matches how a layout's errors give their place.
var yamlPosition = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[(\d+):(\d+)\] `) })

// parseLayout parses a layout and adds its errors to the report of its file.
func (d *decoder) parseLayout(in *report, e *entry, text []byte, at pos) (layout.Layout, bool) {
	l, err := layout.Parse(e.key, text)
	if err == nil {
		return l, true
	}
	said := err.Error()
	if m := yamlPosition().FindStringSubmatchIndex(said); m != nil {
		at.line, _ = strconv.Atoi(said[m[2]:m[3]])
		at.col, _ = strconv.Atoi(said[m[4]:m[5]])
		said, _, _ = strings.Cut(said[:m[0]]+said[m[1]:], "\n") // the report makes its own excerpt
	}
	in.errorf(at, "", "%s", said)
	return layout.Layout{}, false
}

// resolveLayout resolves a reference: the operator's own layouts first, then presets.
func (d *decoder) resolveLayout(ref string, at pos) (layout.Layout, bool) {
	if l, ok := d.own[ref]; ok {
		return l, true
	}
	if d.broken[ref] {
		return layout.Layout{}, false // reported at its place
	}
	l, err := layout.Preset(ref)
	if err == nil {
		return l, true
	}
	names := slices.Concat(slices.Collect(maps.Keys(d.own)), slices.Collect(maps.Keys(d.broken)))
	slices.Sort(names)
	if near := policy.Nearest(ref, names); near != "" {
		d.errorf(at, "did you mean "+near+"?", "unknown layout %q", ref)
	} else {
		d.errorf(at, "", "%v", err)
	}
	return layout.Layout{}, false
}
