// Package archive is the folder of an agent's archives: markdown files that people can
// read. Each has a short heading, and below it the archived text, byte for byte.
package archive

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

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/state/ledger/actid"
	"tend/internal/state/plan"
)

// textMark is the line before an archive's text. It cannot occur in the heading: a diff's
// lines begin with a sign or a space.
const textMark = "<!-- tend:text -->\n"

const stampFormat = "2006-01-02_150405"

// Folder is the archive folder of one agent.
type Folder struct {
	Agent  string
	Tree   fsys.FS // may be on another disk than the state
	Dir    string  // the agent's folder in it
	Shared bool    // it also has archives of other agents
	Zone   *time.Location
}

// Name is the file for the nth archive of an action.
func (f Folder) Name(id string, at time.Time, n int, a plan.Archive) string {
	name := at.In(f.Zone).Format(stampFormat) + "-" + id
	if n > 0 {
		slug := strings.ToLower(strings.TrimSuffix(a.File.Base(), path.Ext(a.File.Base())))
		if len(slug) > 60 { // file systems limit the length of names
			slug = strings.ToValidUTF8(slug[:60], "")
		}
		name += "-" + strconv.Itoa(n) + "-" + slug
	}
	return name + ".md"
}

// Render returns an archive file: a short heading, then the text, byte for byte.
func (f Folder) Render(id string, at time.Time, a plan.Archive) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s: %s of %s, archived %s\n\n", f.Agent, a.Kind, a.File, at.In(f.Zone).Format("2006-01-02 15:04:05 MST"))
	fmt.Fprintf(&b, "<!-- tend:archive action=%s kind=%s file=%q bytes=%d sha256=%s -->\n", id, a.Kind, string(a.File),
		len(a.Text), vault.VersionOf(a.Text))
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

// fenceFor returns a code fence longer than any in the text.
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

// Entry is an archive read back.
type Entry struct {
	Name   string
	Action string
	Kind   string
	File   vault.Path
	At     time.Time
	Size   int64
	Diff   string
	Text   []byte
	Whole  bool // the text still has the archived digest
}

var (
	fileName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(\d{4}-\d\d-\d\d_\d{6})-([0-9a-z]{10})(?:-(\d+)-.*)?\.md$`)
	})
	heading = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^<!-- tend:archive action=([0-9a-z]{10}) kind=(\S+) file=("(?:[^"\\]|\\.)*") bytes=(\d+) sha256=([0-9a-f]{64}) -->$`)
	})
)

// List returns the agent's archives, newest first, by their names; only a shared folder's
// files are read. Files that Tend did not write are left out.
func (f Folder) List() ([]Entry, error) {
	infos, err := f.Tree.ReadDir(f.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list archives: %w", err)
	}
	var list []Entry
	for i := len(infos) - 1; i >= 0; i-- {
		m := fileName().FindStringSubmatch(infos[i].Name)
		if m == nil || !infos[i].Mode.IsRegular() {
			continue
		}
		at, err := f.parseStamp(m[1], m[2])
		if err != nil {
			continue
		}
		if f.Shared && !f.Wrote(infos[i].Name) {
			continue
		}
		list = append(list, Entry{Name: infos[i].Name, Action: m[2], At: at, Size: infos[i].Size})
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return b.At.Compare(a.At) })
	return list, nil
}

// Old lists the markdown files in the agent's archive folder that Tend did not write, such as Memory Shepherd's.
// They are read and never changed. In a shared folder their owner is unknown, so none are listed.
func (f Folder) Old() ([]Entry, error) {
	if f.Shared {
		return nil, nil
	}
	var list []Entry
	err := f.listOld("", 3, &list)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	slices.SortStableFunc(list, func(a, b Entry) int { return b.At.Compare(a.At) })
	return list, err
}

func (f Folder) listOld(dir string, depth int, list *[]Entry) error {
	infos, err := f.Tree.ReadDir(path.Join(f.Dir, dir))
	if err != nil {
		return fmt.Errorf("list archives: %w", err)
	}
	for _, i := range infos {
		name := path.Join(dir, i.Name)
		switch {
		case i.Mode.IsDir() && depth > 1:
			if err := f.listOld(name, depth-1, list); err != nil {
				return err
			}
		case i.Mode.IsRegular() && path.Ext(name) == ".md" && !fileName().MatchString(name):
			a := Entry{Name: name, Kind: "old", Size: i.Size}
			if m := oldStamp().FindStringSubmatch(i.Name); m != nil {
				a.At, _ = time.ParseInLocation("2006-01-02 15:04", m[1]+" "+m[2]+":"+m[3], f.Zone)
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

// parseStamp parses the time in an archive's name. It is local, so one hour a year is
// ambiguous; the action's id decides.
func (f Folder) parseStamp(text, id string) (time.Time, error) {
	at, err := time.ParseInLocation(stampFormat, text, f.Zone)
	if err == nil && actid.Valid(id) {
		if off := actid.TimeOf(id).Truncate(time.Second).Sub(at); off == time.Hour || off == -time.Hour {
			at = at.Add(off)
		}
	}
	return at, err
}

// Wrote reports whether an archive is this agent's, by its heading.
func (f Folder) Wrote(name string) bool {
	data, err := vault.ReadFile(f.Tree, path.Join(f.Dir, name))
	return err == nil && bytes.HasPrefix(data, []byte("# "+f.Agent+": "))
}

// openOld reads an archive that Tend did not write.
func (f Folder) openOld(name string) (Entry, bool, error) {
	if fileName().MatchString(name) {
		return Entry{}, false, nil
	}
	list, err := f.Old()
	if err != nil {
		return Entry{}, true, err
	}
	for _, a := range list {
		if a.Name == name {
			a.Text, err = vault.ReadFile(f.Tree, path.Join(f.Dir, name))
			a.Whole = err == nil // there is no digest to compare with
			return a, true, err
		}
	}
	return Entry{}, false, nil
}

// Open reads one archive by its name or by the id of its action.
func (f Folder) Open(name string) (Entry, error) {
	if actid.Valid(name) {
		list, err := f.List()
		if err != nil {
			return Entry{}, err
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
	if old, ok, err := f.openOld(name); ok {
		return old, err
	}
	if !fileName().MatchString(name) {
		return Entry{}, fmt.Errorf("archive %q: %w", name, fs.ErrNotExist)
	}
	data, err := vault.ReadFile(f.Tree, path.Join(f.Dir, name))
	if err != nil {
		return Entry{}, fmt.Errorf("read archive: %w", err)
	}
	a, err := Parse(data)
	if err != nil {
		return a, fmt.Errorf("read archive %s: %w", name, err)
	}
	m := fileName().FindStringSubmatch(name)
	a.Name, a.Size = name, int64(len(data))
	a.At, err = f.parseStamp(m[1], m[2])
	return a, err
}

// ErrForeign: Tend did not write the file.
var ErrForeign = errors.New("was not written by Tend")

// Parse reads an archive.
func Parse(data []byte) (Entry, error) {
	head, text, ok := bytes.Cut(data, []byte("\n"+textMark))
	if !ok {
		return Entry{}, ErrForeign
	}
	m := heading().FindSubmatch(head)
	if m == nil {
		return Entry{}, ErrForeign
	}
	file, err := strconv.Unquote(string(m[3]))
	if err != nil {
		return Entry{}, ErrForeign
	}
	a := Entry{Action: string(m[1]), Kind: string(m[2]), File: vault.Path(file), Text: text}
	a.Whole = vault.VersionOf(text) == vault.Version(m[5])
	if i := bytes.Index(head, []byte("```")); i >= 0 {
		a.Diff = string(head[i:])
	}
	return a, nil
}

// ActionOf returns the id of an archive's action, from its name.
func ActionOf(name string) (id string, ok bool) {
	m := fileName().FindStringSubmatch(name)
	if m == nil {
		return "", false
	}
	return m[2], true
}

// Clean passes what an archive says and archives through text, and the file it names through file, and updates its size
// and digest. ok is false for a file that Tend did not write.
func Clean(data []byte, text func([]byte) ([]byte, bool), file func(vault.Path) (vault.Path, bool)) (out []byte, ok, changed bool) {
	head, body, cut := bytes.Cut(data, []byte("\n"+textMark))
	m := heading().FindSubmatchIndex(head)
	if !cut || m == nil {
		return data, false, false
	}
	name, err := strconv.Unquote(string(head[m[6]:m[7]]))
	if err != nil {
		return data, false, false
	}
	title, rest := head[:m[0]], head[m[1]:]
	to, renamed := file(vault.Path(name))
	if renamed {
		title = bytes.ReplaceAll(title, []byte(name), []byte(to))
	}
	newRest, restHolds := text(rest)
	newBody, bodyHolds := text(body)
	if !renamed && !restHolds && !bodyHolds {
		return data, true, false
	}
	var b bytes.Buffer
	b.Write(title)
	b.Write(head[m[0]:m[6]])
	fmt.Fprintf(&b, "%q", string(to))
	b.Write(head[m[7]:m[1]])
	b.Write(newRest)
	b.WriteString("\n" + textMark)
	b.Write(newBody)
	return Reseal(b.Bytes()), true, true
}

// Reseal updates size and digest in an archive's heading.
func Reseal(data []byte) []byte {
	head, text, ok := bytes.Cut(data, []byte("\n"+textMark))
	m := heading().FindSubmatchIndex(head)
	if !ok || m == nil {
		return data
	}
	var b bytes.Buffer
	b.Write(head[:m[8]])
	fmt.Fprintf(&b, "%d sha256=%s", len(text), vault.VersionOf(text))
	b.Write(head[m[11]:])
	b.WriteString("\n" + textMark)
	b.Write(text)
	return b.Bytes()
}

// Retention says which archives may be retired.
type Retention struct {
	Age     time.Duration // 0 keeps all
	KeepMin int           // so many of the newest stay, whatever their age
	MaxRun  int           // at most this many at a time, so that a wrong clock cannot retire all
}

// Expired lists the archives that retention allows to retire: only files Tend wrote,
// older than the age, never the newest.
func (f Folder) Expired(r Retention, now time.Time) ([]string, error) {
	if r.Age <= 0 {
		return nil, nil
	}
	list, err := f.List()
	if err != nil || len(list) <= r.KeepMin {
		return nil, err
	}
	limit := now.Add(-r.Age)
	var names []string
	for i := len(list) - 1; i >= r.KeepMin && (r.MaxRun <= 0 || len(names) < r.MaxRun); i-- {
		if !list[i].At.Before(limit) {
			continue
		}
		if _, err := f.Open(list[i].Name); errors.Is(err, ErrForeign) {
			continue
		} else if err != nil {
			return nil, err
		}
		names = append(names, list[i].Name)
	}
	return names, nil
}
