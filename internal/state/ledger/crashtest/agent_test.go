package crashtest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
)

// player is an agent that edits its files in every way agents and editors do, at any
// time.
type player struct {
	*rand.Rand
	w      *world
	tokens tokens
	fds    descriptors
	trace  func(format string, args ...any)
}

var memories = []string{"MEMORY.md", "AGENTS.md", "TOOLS.md", "notes.md", "memory/day.md"}

func (p *player) oneOf(names []string) string { return names[p.IntN(len(names))] }

// line returns a new line, in one of the forms that have broken tools before.
func (p *player) line() (text string, number int) {
	text, number = p.tokens.mint()
	switch p.IntN(8) {
	case 0:
		return text + "\r\n", number
	case 1:
		return "---\n" + text + "\n", number
	case 2:
		return text + "\n---\n", number
	case 3:
		return "```\n---\n" + text + "\n```\n", number
	case 4:
		return text, number // no newline at the end
	case 5:
		return "\n" + text + " caf\u00e9\n\n", number
	}
	return text + "\n", number
}

// edited returns a text with some lines removed and one added.
func (p *player) edited(text string) (string, int) {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if p.IntN(4) > 0 {
			b.WriteString(line)
		}
	}
	line, number := p.line()
	if p.IntN(2) == 0 {
		return line + b.String(), number
	}
	return b.String() + line, number
}

// act does one thing to one file.
func (p *player) act() error {
	name := "ws/" + p.oneOf(memories)
	before, err := p.w.disk.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	there := err == nil
	err = nil
	switch n := p.IntN(12); {
	case n < 4:
		line, number := p.line()
		p.trace("agent appends %d to %s", number, name)
		err = p.w.disk.AppendFile(name, line)
		p.tokens.demand(number)
	case n < 6:
		err = p.replace(name, before, "rewrites", p.w.disk.WriteFile)
	case n < 8 && !p.w.rig.plain:
		err = p.replace(name, before, "renames over", p.w.disk.RenameOver)
	case n == 8 && there:
		p.trace("agent removes %s", name)
		err = p.w.disk.Remove(name)
		p.tokens.destroyed(p.w, before, "")
	case n == 9 && len(p.fds) < 3:
		p.trace("agent opens %s", name)
		f, openErr := p.w.disk.OpenAppend(name)
		if openErr != nil {
			return openErr
		}
		p.fds = append(p.fds, f)
	default:
		return p.writeOpen()
	}
	return errors.Join(err, p.fds.orphans())
}

func (p *player) replace(name, before, how string, do func(name, data string) error) error {
	after, number := p.edited(before)
	p.trace("agent %s %s, adding %d", how, name, number)
	err := do(name, after)
	p.tokens.demand(number)
	p.tokens.destroyed(p.w, before, after)
	return err
}

// writeOpen writes through a descriptor, wherever its file is now.
func (p *player) writeOpen() error {
	if len(p.fds) == 0 {
		return nil
	}
	i := p.IntN(len(p.fds))
	line, number := p.line()
	p.trace("agent writes %d through a descriptor", number)
	if _, err := io.WriteString(p.fds[i], line); err != nil {
		return fmt.Errorf("write through a descriptor: %w", err)
	}
	p.tokens.demand(number)
	if p.IntN(3) == 0 {
		err := p.fds[i].Close()
		p.fds = append(p.fds[:i], p.fds[i+1:]...)
		return err
	}
	return nil
}
