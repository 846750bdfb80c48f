package layout

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/goccy/go-yaml/ast"

	"tend/internal/model/policy"
)

// Parse parses an operator's layout. It may begin with `extends: openclaw@2026.9` and contain only the differences.
func Parse(name string, data []byte) (Layout, error) {
	d, err := mergeExtended(name, data)
	if err != nil {
		return Layout{}, err
	}
	d.Name = name
	return buildLayout(d)
}

// Extends returns the preset that an operator's layout begins with, "" if it stands alone.
func Extends(name string, data []byte) (string, error) {
	whole, err := parseDoc(name, data)
	if err != nil {
		return "", err
	}
	d, err := decodeDoc(name, whole)
	return d.Extends, err
}

// mergeExtended merges a document with all it extends. Name, version and since are the document's own.
func mergeExtended(name string, data []byte) (doc, error) {
	whole, err := parseDoc(name, data)
	if err != nil {
		return doc{}, err
	}
	own, err := decodeDoc(name, whole)
	if err != nil || own.Extends == "" {
		return own, err
	}
	below, err := presetTree(own.Extends)
	if err != nil {
		return doc{}, fmt.Errorf("read layout %s: extends: %w", name, err)
	}
	d, err := decodeDoc(name, mergeMaps(below, whole))
	d.Name, d.Version, d.Since = own.Name, own.Version, own.Since
	return d, err
}

// presetTree returns the file of a preset merged with what it extends, or base.yaml, which most presets extend and which is
// not a harness.
func presetTree(ref string) (*ast.MappingNode, error) {
	once, _ := trees.LoadOrStore(ref, sync.OnceValues(func() (*ast.MappingNode, error) { return readTree(ref) }))
	return once.(func() (*ast.MappingNode, error))()
}

func readTree(ref string) (*ast.MappingNode, error) {
	data, err := presetFiles.ReadFile("presets/" + ref + ".yaml")
	if err != nil {
		p, err := findPreset(ref)
		if err != nil {
			return nil, err
		}
		ref, data = p.ref(), p.data
	}
	m, err := parseDoc(ref, data)
	if err != nil {
		return nil, err
	}
	extends := member(m, "extends")
	if extends == nil {
		return m, nil
	}
	below, err := presetTree(extends.GetToken().Value)
	if err != nil {
		return nil, err
	}
	return mergeMaps(below, m), nil
}

// buildLayout turns a document into a Layout and checks what YAML cannot.
func buildLayout(d doc) (Layout, error) {
	l := Layout{
		Name: d.Name, Version: d.Version, About: d.About, Since: d.Since, Home: d.Home, Reach: d.Reach, Flat: d.Flat,
		Local: d.Local, Entries: d.Entries,
		Headers: d.Headers, Closure: d.Closure, Owners: d.Owners, Show: d.Show, Context: d.Context,
		roles: make(map[Role][]pattern, len(d.Roles)), ownership: make(map[Role]Ownership, len(d.Ownership)), policy: d.Policy,
	}
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }

	if d.Reach != "" && (!fs.ValidPath(d.Reach) || d.Reach == ".") {
		bad("reach: %q is not a folder in the workspace", d.Reach)
	}
	checkLocal(d.Local, bad)
	l.takeRoles(d.Roles, bad)
	for name, owner := range d.Ownership {
		role, err := roleNamed(name)
		if err != nil {
			bad("ownership: %w", err)
			continue
		}
		if l.ownership[role], err = ownershipNamed(owner); err != nil {
			bad("ownership.%s: %w", name, err)
		}
	}
	if _, err := (policy.Policy{}).With(l.Ref(), d.Policy); err != nil {
		bad("policy: %w", err)
	}
	for _, h := range d.Headers {
		for _, r := range h.Roles {
			if _, err := roleNamed(string(r)); err != nil {
				bad("headers: %w", err)
			}
		}
	}
	for i, o := range l.Owners {
		if o.Role == "" {
			l.Owners[i].Role, _ = l.RoleOf(o.Path)
		}
		if _, err := roleNamed(string(l.Owners[i].Role)); err != nil {
			bad("owners: %s: %w", o.Class, err)
		}
		if o.Path == "" {
			l.Owners[i].Path = l.Path(l.Owners[i].Role, "")
		}
	}
	for _, p := range l.Context.Parts {
		if err := p.check(); err != nil {
			bad("context: %w", err)
		}
	}
	if err := l.Show.check(); err != nil {
		bad("show: %w", err)
	}
	if len(errs) > 0 {
		return Layout{}, fmt.Errorf("read layout %s: %w", l.Ref(), errors.Join(errs...))
	}
	l.Entries.Style = cmp.Or(l.Entries.Style, Bullets)
	return l, nil
}

// checkLocal checks the patterns of what stays on one machine.
func checkLocal(patterns []string, bad func(format string, args ...any)) {
	for _, pattern := range patterns {
		if file, _, _ := strings.Cut(pattern, "#"); file == "" || strings.HasPrefix(file, "/") || strings.Contains(file, "..") {
			bad("local: %q is not a path in the workspace, with * for a part of a name, a / after a folder, or #HEADING for a section", pattern)
		} else if _, err := path.Match(file, ""); err != nil {
			bad("local: %q: %w", pattern, err)
		}
	}
}

// takeRoles compiles the patterns of each role.
func (l *Layout) takeRoles(roles map[string]patterns, bad func(format string, args ...any)) {
	for name, texts := range roles {
		role, err := roleNamed(name)
		if err != nil {
			bad("roles: %w", err)
			continue
		}
		for _, text := range texts {
			p, ok := compilePattern(text)
			if !ok || strings.HasPrefix(text, "/") || strings.Contains(text, "..") {
				bad("roles.%s: %q is not a path in the workspace with {date}, {yyyy}, {mm}, {dd}, {name}, * or **", name, text)
				continue
			}
			l.roles[role] = append(l.roles[role], p)
		}
	}
	for _, role := range Roles() {
		for _, p := range l.roles[role] {
			if role != Skills {
				l.patterns = append(l.patterns, rolePattern{p, role})
			}
		}
	}
}

func roleNamed(name string) (Role, error) {
	var known []string
	for _, r := range Roles() {
		if string(r) == name {
			return r, nil
		}
		known = append(known, string(r))
	}
	if near := policy.Nearest(name, known); near != "" {
		return "", fmt.Errorf("unknown role %q, did you mean %s?", name, near)
	}
	return "", fmt.Errorf("unknown role %q, known are %s", name, strings.Join(known, ", "))
}

func (p Part) check() error {
	switch p.Kind {
	case PartFiles:
		_, err := roleNamed(string(p.Role))
		return err
	case PartToday, PartYesterday, PartDate, PartWorkspace, PartHealth:
		return nil
	}
	return fmt.Errorf("unknown part %q", p.Kind)
}

// UnmarshalYAML lets a part be written as one word: a role, or today, yesterday, date, workspace, health.
func (p *Part) UnmarshalYAML(decode func(any) error) error {
	var word string
	if err := decode(&word); err == nil {
		p.set(word)
		return nil
	}
	var long struct {
		Show    string `yaml:"show"`
		Heading string `yaml:"heading"`
		Intro   string `yaml:"intro"`
		Last    int    `yaml:"last"`
	}
	if err := decode(&long); err != nil {
		return err
	}
	p.set(long.Show)
	p.Heading, p.Intro, p.Last = long.Heading, long.Intro, long.Last
	return nil
}

func (p *Part) set(word string) {
	switch kind := PartKind(word); kind {
	case PartToday, PartYesterday, PartDate, PartWorkspace, PartHealth:
		p.Kind = kind
	default:
		p.Kind, p.Role = PartFiles, Role(word)
	}
}

func (s Show) check() error {
	switch s.Unit {
	case "", UTF16, Runes, Bytes:
	default:
		return fmt.Errorf("unknown unit %q, known are utf16, runes, bytes", s.Unit)
	}
	switch s.Trim {
	case TrimNone, TrimEnd, TrimBoth:
	default:
		return fmt.Errorf("unknown trim %q, known are end, both", s.Trim)
	}
	cuts := []Cut{s.Cut}
	names := map[string]bool{}
	for _, f := range s.Files {
		if f.Name == "" {
			return errors.New("a file has no name")
		}
		names[f.Name] = true
		if f.Cut != nil {
			cuts = append(cuts, *f.Cut)
		}
	}
	for _, c := range cuts {
		switch c.Kind {
		case "", CutNone, CutHeadTail, CutHead, CutLines:
		default:
			return fmt.Errorf("unknown cut %q, known are none, head-tail, head, lines", c.Kind)
		}
	}
	for kind, files := range s.Sessions {
		for _, f := range files {
			if !names[f] {
				return fmt.Errorf("session %s shows %s, which is not among the files", kind, f)
			}
		}
	}
	return nil
}
