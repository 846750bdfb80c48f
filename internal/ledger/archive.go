package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tend/internal/plan"
	"tend/internal/vault"
)

// textMark stands alone on the line before an archive's text. Nothing above it
// can be taken for it: a diff's lines begin with a sign or a blank.
const textMark = "<!-- tend:text -->\n"

var stampFormat = "2006-01-02_150405"

// archiveName is the file for the nth archive of an action.
func (l *Ledger) archiveName(id string, at time.Time, n int, a plan.Archive) string {
	name := at.In(l.zone).Format(stampFormat) + "-" + id
	if n > 0 {
		slug := strings.ToLower(strings.TrimSuffix(a.File.Base(), path.Ext(a.File.Base())))
		if len(slug) > 60 { // the name must not outgrow what a file system takes
			slug = strings.ToValidUTF8(slug[:60], "")
		}
		name += "-" + strconv.Itoa(n) + "-" + slug
	}
	return name + ".md"
}

// render gives an archive its small heading; the text below it is faithful to the byte.
func (l *Ledger) render(id string, at time.Time, a plan.Archive) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s: %s of %s, archived %s\n\n", l.Agent, a.Kind, a.File, at.In(l.zone).Format("2006-01-02 15:04:05 MST"))
	fmt.Fprintf(&b, "<!-- tend:archive action=%s kind=%s file=%q bytes=%d sha256=%s -->\n", id, a.Kind, string(a.File), len(a.Text), vault.VersionOf(a.Text))
	if a.Why != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.ReplaceAll(strings.TrimSpace(a.Why), "\n", " "))
	}
	if a.Diff != "" {
		fence := fenceFor(a.Diff)
		fmt.Fprintf(&b, "\n%sdiff\n%s\n%s\n", fence, strings.TrimSuffix(a.Diff, "\n"), fence)
	}
	b.WriteString("\n" + textMark)
	b.Write(a.Text)
	return b.Bytes()
}

// fenceFor is a code fence longer than any in the text.
func fenceFor(s string) string {
	longest, run := 2, 0
	for _, r := range s {
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return strings.Repeat("`", longest+1)
}

// Archived is an archive read back.
type Archived struct {
	Name   string
	Action string
	Kind   string
	File   vault.Path
	At     time.Time
	Size   int64
	Diff   string
	Text   []byte
	Whole  bool // the text still is what was archived
}

var (
	archiveFile = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(\d{4}-\d\d-\d\d_\d{6})-([0-9a-z]{10})(?:-(\d+)-.*)?\.md$`)
	})
	archiveHead = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^<!-- tend:archive action=([0-9a-z]{10}) kind=(\S+) file=("(?:[^"\\]|\\.)*") bytes=(\d+) sha256=([0-9a-f]{64}) -->$`)
	})
)

// Archives lists the agent's archives, newest first, without reading them if it can.
// Files that Tend did not write are not archives.
func (l *Ledger) Archives() ([]Archived, error) {
	infos, err := l.archives.ReadDir(l.archive)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list archives: %w", err)
	}
	var list []Archived
	for i := len(infos) - 1; i >= 0; i-- {
		m := archiveFile().FindStringSubmatch(infos[i].Name)
		if m == nil || !infos[i].Mode.IsRegular() {
			continue
		}
		at, err := l.stamp(m[1], m[2])
		if err != nil {
			continue
		}
		if l.shared && !l.wrote(infos[i].Name) {
			continue
		}
		list = append(list, Archived{Name: infos[i].Name, Action: m[2], At: at, Size: infos[i].Size})
	}
	slices.SortStableFunc(list, func(a, b Archived) int { return b.At.Compare(a.At) })
	return list, nil
}

// OldArchives lists the markdown files in the agent's archive folder that Tend did not write, such as Memory Shepherd's.
// They are read and never changed. In a folder that agents share, nobody knows whose they are.
func (l *Ledger) OldArchives() ([]Archived, error) {
	if l.shared {
		return nil, nil
	}
	var list []Archived
	err := l.oldArchives("", 3, &list)
	if absent(err) {
		err = nil
	}
	slices.SortStableFunc(list, func(a, b Archived) int { return b.At.Compare(a.At) })
	return list, err
}

func (l *Ledger) oldArchives(dir string, depth int, list *[]Archived) error {
	infos, err := l.archives.ReadDir(path.Join(l.archive, dir))
	if err != nil {
		return fmt.Errorf("list archives: %w", err)
	}
	for _, i := range infos {
		name := path.Join(dir, i.Name)
		switch {
		case i.Mode.IsDir() && depth > 1:
			if err := l.oldArchives(name, depth-1, list); err != nil {
				return err
			}
		case i.Mode.IsRegular() && path.Ext(name) == ".md" && !archiveFile().MatchString(name):
			a := Archived{Name: name, Kind: "old", Size: i.Size}
			if m := oldStamp().FindStringSubmatch(i.Name); m != nil {
				a.At, _ = time.ParseInLocation("2006-01-02 15:04", m[1]+" "+m[2]+":"+m[3], l.zone)
			}
			*list = append(*list, a)
		}
	}
	return nil
}

// oldStamp is the time in the name of an old archive: 2026-02-10_0300.md and the like.
var oldStamp = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d{4}-\d\d-\d\d)[_T -](\d\d)[-:h]?(\d\d)`)
})

// stamp reads the time in an archive's name. It is local, so an hour a year comes
// twice; the action's id tells which of the two it was.
func (l *Ledger) stamp(text, id string) (time.Time, error) {
	at, err := time.ParseInLocation(stampFormat, text, l.zone)
	if err == nil && ValidID(id) {
		if off := TimeOf(id).Truncate(time.Second).Sub(at); off == time.Hour || off == -time.Hour {
			at = at.Add(off)
		}
	}
	return at, err
}

// wrote reports whether an archive is this agent's, by its heading.
func (l *Ledger) wrote(name string) bool {
	data, err := vault.ReadFile(l.archives, path.Join(l.archive, name))
	return err == nil && bytes.HasPrefix(data, []byte("# "+l.Agent+": "))
}

// openOld reads an archive that Tend did not write.
func (l *Ledger) openOld(name string) (Archived, bool, error) {
	if archiveFile().MatchString(name) {
		return Archived{}, false, nil
	}
	list, err := l.OldArchives()
	if err != nil {
		return Archived{}, true, err
	}
	for _, a := range list {
		if a.Name == name {
			a.Text, err = vault.ReadFile(l.archives, path.Join(l.archive, name))
			a.Whole = err == nil // nobody knows a digest
			return a, true, err
		}
	}
	return Archived{}, false, nil
}

// OpenArchive reads one archive by its name or by the id of its action.
func (l *Ledger) OpenArchive(name string) (Archived, error) {
	if ValidID(name) {
		list, err := l.Archives()
		if err != nil {
			return Archived{}, err
		}
		found := false
		for _, a := range list {
			// Listed newest first, an action's first archive comes last.
			if a.Action == name {
				name, found = a.Name, true
			}
			if found && strings.HasSuffix(a.Name, "-"+a.Action+".md") {
				name = a.Name
				break
			}
		}
	}
	if old, ok, err := l.openOld(name); ok {
		return old, err
	}
	if !archiveFile().MatchString(name) {
		return Archived{}, fmt.Errorf("archive %q: %w", name, fs.ErrNotExist)
	}
	data, err := vault.ReadFile(l.archives, path.Join(l.archive, name))
	if err != nil {
		return Archived{}, fmt.Errorf("read archive: %w", err)
	}
	a, err := parseArchive(data)
	if err != nil {
		return a, fmt.Errorf("read archive %s: %w", name, err)
	}
	m := archiveFile().FindStringSubmatch(name)
	a.Name, a.Size = name, int64(len(data))
	a.At, err = l.stamp(m[1], m[2])
	return a, err
}

var errNotArchive = errors.New("was not written by Tend")

func parseArchive(data []byte) (Archived, error) {
	head, text, ok := bytes.Cut(data, []byte("\n"+textMark))
	if !ok {
		return Archived{}, errNotArchive
	}
	m := archiveHead().FindSubmatch(head)
	if m == nil {
		return Archived{}, errNotArchive
	}
	file, err := strconv.Unquote(string(m[3]))
	if err != nil {
		return Archived{}, errNotArchive
	}
	a := Archived{Action: string(m[1]), Kind: string(m[2]), File: vault.Path(file), Text: text}
	a.Whole = vault.VersionOf(text) == vault.Version(m[5])
	if i := bytes.Index(head, []byte("```")); i >= 0 {
		a.Diff = string(head[i:])
	}
	return a, nil
}
