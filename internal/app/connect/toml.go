package connect

import (
	"fmt"
	"slices"
	"strings"

	"tend/internal/text/confedit"
)

// tomlBlock is tables at the end of a TOML file, between comments that say whose they are.
type tomlBlock struct {
	agent  string
	tables string     // the text of the tables
	own    [][]string // tables that are ours alone
	lists  [][]string // lists of tables that others add to as well
	marks  []mark
}

func (p tomlBlock) begin() string { return "# tend: memory of " + p.agent + " (begin)" }
func (p tomlBlock) end() string   { return "# tend: memory of " + p.agent + " (end)" }

func (p tomlBlock) in(text string) (string, error) {
	segments, err := confedit.ReadTOML(text)
	if err != nil {
		return "", err
	}
	ours, others := p.divide(segments)
	wanted, err := confedit.ReadTOML(p.tables)
	if err != nil {
		return "", err
	}
	if slices.Equal(meanings(ours), meanings(wanted[1:])) {
		return text, nil
	}
	for _, s := range others {
		for _, own := range p.own {
			if !s.List && slices.Equal(s.Name, own) {
				return "", fmt.Errorf("line %d: [%s] already exists and is not Tend's; rename or remove it", s.Line, strings.Join(own, "."))
			}
			if s.Sets(own[:1]) || s.Sets(own) {
				return "", fmt.Errorf("line %d: %s is not written as a table of its own; write it as [%s]", s.Line,
					strings.Join(own, "."), strings.Join(own[:1], "."))
			}
		}
		for _, list := range p.lists {
			if s.Sets(list[:1]) || s.Sets(list) {
				return "", fmt.Errorf("line %d: %s is not written as [[%s]]; write it so", s.Line, strings.Join(list, "."), strings.Join(list, "."))
			}
		}
	}
	block := p.begin() + "\n" + p.tables + p.end() + "\n"
	if p.apart(text) {
		return confedit.SetBlock(text, block, p.begin(), p.end())
	}
	bare, err := p.out(text, "")
	if err != nil {
		return "", err
	}
	return confedit.SetBlock(bare, block, p.begin(), p.end())
}

// out removes the tables, with their comments. A program that rewrites the file may leave comments behind and put
// foreign tables between ours, so the comments alone prove nothing.
func (p tomlBlock) out(text, _ string) (string, error) {
	segments, err := confedit.ReadTOML(text)
	if err != nil {
		return "", err
	}
	if p.apart(text) {
		return confedit.RemoveBlock(text, p.begin(), p.end())
	}
	ours, _ := p.divide(segments)
	var b strings.Builder
	for _, s := range segments {
		if !slices.ContainsFunc(ours, func(o confedit.Table) bool { return o.Line == s.Line && o.Name != nil }) {
			b.WriteString(p.uncommented(s.Text))
			continue
		}
		// Comments below a table, up to the next one, belong to the next one.
		b.WriteString(strings.TrimLeft(p.uncommented(tomlTail(s.Text)), "\r\n"))
	}
	return b.String(), nil
}

// apart reports whether everything between our two comments was written by us.
func (p tomlBlock) apart(text string) bool {
	from, to, err := confedit.FindBlock(text, p.begin(), p.end())
	if err != nil || from < 0 || to < 0 {
		return false
	}
	inner, err := confedit.ReadTOML(text[from:to])
	if err != nil || inner[0].HasKeys() {
		return false
	}
	_, others := p.divide(inner[1:])
	return len(others) == 0
}

// divide separates our tables from those of others. An item of a list is ours if what is below it is.
func (p tomlBlock) divide(segments []confedit.Table) (ours, others []confedit.Table) {
	for i, s := range segments {
		mine := false
		for _, own := range p.own {
			mine = mine || under(s.Name, own) && p.marked(s.Text)
		}
		for _, list := range p.lists {
			switch {
			case s.List && slices.Equal(s.Name, list):
				mine = mine || p.marked(s.Text) || i+1 < len(segments) && p.marksBelow(segments[i+1], list)
			case under(s.Name, list):
				mine = mine || p.marked(s.Text)
			}
		}
		if mine {
			ours = append(ours, s)
		} else {
			others = append(others, s)
		}
	}
	return ours, others
}

// marksBelow reports whether a table below an item of the list has our mark.
func (p tomlBlock) marksBelow(s confedit.Table, list []string) bool {
	return len(s.Name) > len(list) && under(s.Name, list) && p.marked(s.Text)
}

func under(table, above []string) bool {
	return len(table) >= len(above) && slices.Equal(table[:len(above)], above)
}

// meanings returns tables independent of formatting, in canonical order.
func meanings(segments []confedit.Table) []string {
	var out []string
	for _, s := range segments {
		var b strings.Builder
		for line := range strings.Lines(s.Text) {
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") {
				b.WriteString(strings.Join(strings.Fields(line), ""))
			}
		}
		out = append(out, b.String())
	}
	slices.Sort(out)
	return out
}

// uncommented returns a text without the lines that mark our block.
func (p tomlBlock) uncommented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if t := strings.TrimSpace(line); t != p.begin() && t != p.end() {
			b.WriteString(line)
		}
	}
	return b.String()
}

// tomlTail returns what follows the last key of a table: comments and blank lines, "" if there are only blank ones.
func tomlTail(text string) string {
	lines := slices.Collect(strings.Lines(text))
	n := len(lines)
	for n > 0 && confedit.Skipped(lines[n-1]) {
		n--
	}
	tail := strings.Join(lines[n:], "")
	if strings.TrimSpace(tail) == "" {
		return ""
	}
	return tail
}

func (p tomlBlock) marked(text string) bool {
	flat := strings.NewReplacer(`"`, " ", `,`, " ", "'", " ", "]", " ", "[", " ").Replace(text)
	flat = strings.Join(strings.Fields(flat), " ")
	return slices.ContainsFunc(p.marks, func(m mark) bool { return strings.Contains(flat+" ", " "+string(m)+" ") })
}
