package migrate

import (
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tend/internal/text/layout"
)

// dates are the ways in which rules write the name of a daily log.
var dates = [...]string{"YYYY-MM-DD", "yyyy-mm-dd", "{date}"}

// newNames returns the new name of every file that has one, for the rules that mention it.
func (p *planner) newNames() map[string]string {
	names, sources := map[string]string{}, map[string]int{}
	for _, h := range p.homes {
		sources[h.path]++
	}
	for was, h := range p.homes {
		if was != h.path && sources[h.path] == 1 {
			names[was] = h.path
		}
	}
	const day = "2000-01-02"
	was := p.From.Path(layout.Daily, day)
	if was == "" {
		return names
	}
	now := p.onDemand(was)
	for _, date := range dates {
		old, young := strings.Replace(was, day, date, 1), strings.Replace(now, day, date, 1)
		if old != was && young != now && old != young {
			names[old] = young
		}
	}
	return names
}

// dropNames takes out the names of files that did not become one new file each. It reports whether there were any.
func (p *planner) dropNames() (dropped bool) {
	for was, now := range p.names {
		if _, file := p.homes[was]; !file {
			continue // the pattern of a daily log
		}
		if in := p.holdersOf(was); len(in) != 1 || in[0] != now {
			delete(p.names, was)
			dropped = true
		}
	}
	return dropped
}

// holdersOf lists the new files that have lines of an old one, its page first. An empty file has the path that it was given.
func (p *planner) holdersOf(was string) (in []string) {
	h, moved := p.homes[was]
	for _, t := range p.out.Files {
		switch {
		case !slices.Contains(t.Sources(), was):
		case t.Path == h.path:
			in = slices.Insert(in, 0, t.Path)
		default:
			in = append(in, t.Path)
		}
	}
	if moved && len(in) == 0 {
		in = []string{h.path}
	}
	return in
}

// oldNames lists the names in rules that stay as they are although the new workspace has no such file.
func (p *planner) oldNames() (old []OldName) {
	there := map[string]bool{}
	for _, t := range p.out.Files {
		there[t.Path] = true
	}
	at := map[string]int{}
	for _, f := range p.Files {
		if !p.isRules(f.Path) {
			continue
		}
		n := 0
		for line := range strings.Lines(string(f.Data)) {
			n++
			for name := range Names(line) {
				if _, renamed := p.names[name]; renamed || there[name] || !p.isFile(name) {
					continue
				}
				i, seen := at[name]
				if !seen {
					i = len(old)
					at[name] = i
					old = append(old, OldName{Name: name, Now: append([]string{}, p.holdersOf(name)...)})
				}
				if place := f.Path + ":" + strconv.Itoa(n); !slices.Contains(old[i].Lines, place) {
					old[i].Lines = append(old[i].Lines, place)
				}
			}
		}
	}
	return old
}

// isFile reports whether a word of the rules is the name of one memory file.
func (p *planner) isFile(name string) bool {
	if _, moved := p.homes[name]; moved {
		return true
	}
	for _, date := range dates {
		if strings.Contains(name, date) {
			return false
		}
	}
	stem := strings.TrimSuffix(path.Base(name), ".md")
	return strings.HasSuffix(name, ".md") && stem != "" && !strings.HasPrefix(name, "//") && !strings.ContainsAny(name, "{}")
}

// Names yields the words of a line that can be names of files, without the folder ./ before them.
func Names(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := 0; at < len(line); {
			end := at
			for end < len(line) && inName(line, end) {
				end++
			}
			word := strings.TrimPrefix(strings.TrimRight(line[at:end], "."), "./")
			if path.Ext(word) != "" && !yield(word) {
				return
			}
			at = max(end, at+1)
		}
	}
}

// isRules reports whether a file is the operator's identity or rules, in which names of files are replaced.
func (p *planner) isRules(name string) bool {
	r := p.roleOf(name)
	return r == layout.Identity || r == layout.Agents
}

// renameIn replaces the names of files in a line. What a file calls itself stays if only its folder is another.
func (p *planner) renameIn(file, line string) string {
	var out strings.Builder
	for at := 0; at < len(line); {
		end := at
		for end < len(line) && inName(line, end) {
			end++
		}
		if end == at {
			out.WriteByte(line[at])
			at++
			continue
		}
		out.WriteString(p.rename(file, line[at:end]))
		at = end
	}
	return out.String()
}

// relinkIn replaces the names of files in a line's links.
func (p *planner) relinkIn(line string) string {
	parts := strings.Split(line, "](")
	for i, part := range parts[1:] {
		target, rest, closed := strings.Cut(part, ")")
		if now, ok := p.names[strings.TrimPrefix(target, "./")]; ok && closed {
			parts[i+1] = now + ")" + rest
		}
	}
	return strings.Join(parts, "](")
}

// inName reports whether a byte can be part of a path.
func inName(s string, i int) bool {
	c := s[i]
	return c >= 0x80 || strings.IndexByte("/.-_{}", c) >= 0 || unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c))
}

func (p *planner) rename(file, word string) string {
	bare := strings.TrimRight(word, ".")
	dots := word[len(bare):]
	rest := strings.TrimPrefix(bare, "./")
	if now, ok := p.names[rest]; ok && path.Ext(rest) != "" && (rest != file || path.Base(now) != path.Base(rest)) {
		return bare[:len(bare)-len(rest)] + now + dots
	}
	return word
}
