package fsystest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/fsys"
)

// Twins makes the same random calls on two hosts and checks that both return the
// same results and end up in the same state.
func Twins(t *testing.T, seed uint64, steps int, a, b Host) {
	t.Helper()
	players := [2]*player{{Host: a}, {Host: b}}
	defer func() {
		for _, p := range players {
			for _, c := range p.open {
				c.Close()
			}
		}
	}()
	rnd := rand.New(rand.NewPCG(seed, 1))
	for _, p := range players {
		for _, dir := range []string{"d", "e", "d/s"} {
			must(t, p.FS.Mkdir(dir, 0o700))
		}
		must(t, p.Near.Mkdir("d", 0o700))
	}
	var story []string
	for i := range steps {
		m := moves[rnd.IntN(len(moves))]
		x, y, z := someName(rnd), someName(rnd), rnd.IntN(1<<20)
		text := fmt.Sprintf("<%d>", i)
		var got [2]string
		for j, p := range players {
			got[j] = m.do(p, x, y, z, text)
		}
		story = append(story, fmt.Sprintf("%s %s %s: %s", m.name, x, y, got[0]))
		if got[0] != got[1] {
			t.Fatalf("seed %d: %s %s %s gives %q and %q, after %q", seed, m.name, x, y, got[0], got[1], story)
		}
	}
	for i, f := range []fsys.FS{a.FS, a.Near} {
		g := []fsys.FS{b.FS, b.Near}[i]
		if diff := cmp.Diff(portrait(t, f), portrait(t, g)); diff != "" {
			t.Fatalf("seed %d: %s\nafter %q", seed, diff, story)
		}
	}
}

// player is a host with the descriptors that are open there.
type player struct {
	Host
	open []io.Closer
}

func someName(rnd *rand.Rand) string {
	dirs := []string{"", "", "", "", "d/", "d/", "e/", "d/s/", "l/", "../", "d/../", "a/"}
	names := []string{"a", "a", "b", "b", "c", "d", "e", "s", "l", "l", "."}
	return dirs[rnd.IntN(len(dirs))] + names[rnd.IntN(len(names))]
}

// outcome is the part of an error that must be equal.
func outcome(err error) string {
	for _, known := range []error{fs.ErrNotExist, fs.ErrExist, fs.ErrClosed, fsys.ErrCrossDevice, fsys.ErrLocked, io.EOF} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	if err != nil {
		return "refused"
	}
	return "ok"
}

// done is for calls that can fail for two reasons at once: either may be reported.
func done(err error) string { return fmt.Sprint(err == nil) }

func (p *player) say(f fsys.File, err error, text string) string {
	if err != nil {
		return outcome(err)
	}
	p.open = append(p.open, f)
	n, err := io.WriteString(f, text)
	return fmt.Sprint(n, outcome(err))
}

// pick returns one of the open descriptors that are files.
func (p *player) pick(z int) fsys.File {
	var files []fsys.File
	for _, c := range p.open {
		if f, ok := c.(fsys.File); ok {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return nil
	}
	return files[z%len(files)]
}

func describe(i fsys.Info, err error) string {
	if err != nil {
		return outcome(err)
	}
	if i.Mode.IsRegular() {
		return fmt.Sprint(i.Name, i.Mode.Type(), i.Size, i.Links)
	}
	return fmt.Sprint(i.Name, i.Mode.Type())
}

var moves = []struct {
	name string
	do   func(p *player, x, y string, z int, text string) string
}{
	{"create", func(p *player, x, _ string, _ int, text string) string {
		f, err := p.FS.Create(x, 0o600)
		return p.say(f, err, text)
	}},
	{"append", func(p *player, x, _ string, _ int, text string) string {
		f, created, err := p.FS.Append(x, 0o600)
		return fmt.Sprint(p.say(f, err, text), created)
	}},
	{"write on", func(p *player, _, _ string, z int, text string) string {
		f := p.pick(z)
		if f == nil {
			return ""
		}
		n, err := io.WriteString(f, text)
		return fmt.Sprint(n, outcome(err))
	}},
	{"read on", func(p *player, _, _ string, z int, _ string) string {
		f := p.pick(z)
		if f == nil {
			return ""
		}
		buf := make([]byte, 7)
		n, err := f.ReadAt(buf, int64(z%5))
		i, err2 := f.Stat()
		return fmt.Sprint(string(buf[:n]), outcome(err), describe(i, err2))
	}},
	{"open", func(p *player, x, _ string, _ int, _ string) string {
		f, err := p.FS.Open(x)
		if err != nil {
			return outcome(err)
		}
		p.open = append(p.open, f)
		text, err := io.ReadAll(f)
		return string(text) + outcome(err)
	}},
	{"close", func(p *player, _, _ string, z int, _ string) string {
		if len(p.open) == 0 {
			return ""
		}
		i := z % len(p.open)
		err := p.open[i].Close()
		p.open = slices.Delete(p.open, i, i+1)
		return outcome(err)
	}},
	{"lock", func(p *player, x, _ string, _ int, text string) string {
		l, err := p.FS.Lock(x, text)
		if err == nil {
			p.open = append(p.open, struct{ io.Closer }{l})
		}
		var locked *fsys.LockedError
		if errors.As(err, &locked) {
			return locked.Holder
		}
		return outcome(err)
	}},
	{"lstat", func(p *player, x, _ string, _ int, _ string) string { return describe(p.FS.Lstat(x)) }},
	{"readdir", func(p *player, x, _ string, _ int, _ string) string {
		infos, err := p.FS.ReadDir(x)
		var out strings.Builder
		out.WriteString(outcome(err))
		for _, i := range infos {
			out.WriteString(" " + describe(i, nil))
		}
		return out.String()
	}},
	{"readlink", func(p *player, x, _ string, _ int, _ string) string {
		target, err := p.FS.Readlink(x)
		return target + outcome(err)
	}},
	{"mkdir", func(p *player, x, _ string, _ int, _ string) string { return outcome(p.FS.Mkdir(x, 0o700)) }},
	{"remove", func(p *player, x, _ string, _ int, _ string) string { return outcome(p.FS.Remove(x)) }},
	{"rename", func(p *player, x, y string, _ int, _ string) string { return outcome(p.FS.Rename(x, y)) }},
	{"exchange", func(p *player, x, y string, _ int, _ string) string { return done(p.FS.Exchange(x, y)) }},
	{"link", func(p *player, x, y string, _ int, _ string) string { return outcome(p.FS.Link(x, y)) }},
	{"move out", func(p *player, x, y string, _ int, _ string) string { return done(p.FS.Move(x, p.Near, y)) }},
	{"move in", func(p *player, x, y string, _ int, _ string) string { return done(p.Near.Move(x, p.FS, y)) }},
	{"symlink", func(p *player, x, _ string, z int, _ string) string {
		targets := []string{"a", "d", "d/a", "../a", "l", "s/../a", "./d/", "..", "b/", "/"}
		return outcome(p.Symlink(targets[z%len(targets)], "l")) + outcome(p.Symlink("../b", "d/l"))
	}},
}

// portrait lists all that can be seen of a tree: each name, its file, and which names
// share one file.
func portrait(t *testing.T, f fsys.FS) []string {
	t.Helper()
	var out []string
	known := map[uint64]string{}
	var down func(dir string)
	down = func(dir string) {
		infos, err := f.ReadDir(dir)
		must(t, err)
		for _, i := range infos {
			name := dir + "/" + i.Name
			line := name + " " + describe(i, nil)
			if first, ok := known[i.Ino]; ok {
				line += " is " + first
			} else {
				known[i.Ino] = name
			}
			switch {
			case i.IsDir():
				out = append(out, line)
				down(name)
				continue
			case i.Mode.IsRegular():
				line += " " + get(t, f, name)
			case i.Mode&fs.ModeSymlink != 0:
				target, err := f.Readlink(name)
				must(t, err)
				line += " " + target
			}
			out = append(out, line)
		}
	}
	down(".")
	return out
}
