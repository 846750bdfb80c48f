// Package layout says which file has which role in each agent harness, and what the harness shows the model of it.
//
// A layout is data: one YAML file per harness version under presets/, parsed strictly. A new harness is a new file.
// Operators may write their own, based on a preset.
package layout

import (
	"maps"
	"slices"
	"strings"

	"tend/internal/model/policy"
	"tend/internal/text/note"
)

// Role is what a file is for.
type Role string

// The roles. A layout gives each role it knows one or more path patterns.
const (
	Identity     Role = "identity"     // who the agent is
	Agents       Role = "agents"       // standing rules for the agent
	Hot          Role = "hot"          // loaded in every session
	User         Role = "user"         // the people it works for
	Tools        Role = "tools"        // infrastructure and tools
	Session      Role = "session"      // the running session's state
	Buffer       Role = "buffer"       // working buffer
	Daily        Role = "daily"        // one log a day
	Observations Role = "observations" // extracted, not yet curated
	Semantic     Role = "semantic"     // what it knows
	Procedural   Role = "procedural"   // how things are done
	Decisions    Role = "decisions"    // final decisions with their why
	Lessons      Role = "lessons"      // post-mortems
	Learnings    Role = "learnings"    // scratch notes of failures and corrections
	Tasks        Role = "tasks"        // open work
	History      Role = "history"      // the harness's own log
	Archive      Role = "archive"      // files that were archived
	Skills       Role = "skills"       // instructions the harness loads on demand: kept and restorable, but no memory
)

// Roles lists every role in the order above.
func Roles() []Role {
	return []Role{
		Identity, Agents, Hot, User, Tools, Session, Buffer, Daily, Observations, Semantic, Procedural, Decisions, Lessons,
		Learnings, Tasks, History, Archive, Skills,
	}
}

// Layout is one harness version: where its files are, what entries look like, what the model sees. It is immutable once
// parsed.
type Layout struct {
	Name    string
	Version string
	About   string // one sentence
	Since   string // first program version it applies to, if that differs from Version

	Home  string // where the harness keeps its workspace by default
	Reach string // folder that the agent's tools are limited to, "" for the whole workspace
	// Flat is the layout for workspaces that have this harness's memory file at their top instead of in its folder.
	Flat string
	// Local are patterns of files that belong to one machine and are not put into a shared store.
	Local   []string
	Entries Entries
	Headers []Header
	Closure []string // labels of the lines that must end a daily log
	Owners  []Owner
	Show    Show
	Context Context

	roles     map[Role][]pattern
	patterns  []rolePattern // those of memory, in the order of Roles
	ownership map[Role]Ownership
	policy    map[string]any
}

// Ref is the layout's full name, such as "openclaw@2026.8".
func (l Layout) Ref() string {
	if l.Version == "" {
		return l.Name
	}
	return l.Name + "@" + l.Version
}

// Reaches reports whether the agent's tools may change the file at a path.
func (l Layout) Reaches(path string) bool {
	return l.Reach == "" || path == l.Reach || strings.HasPrefix(path, l.Reach+"/")
}

// Policy returns the layout's policy settings, which override the defaults.
func (l Layout) Policy() map[string]any {
	out := make(map[string]any, len(l.policy))
	maps.Copy(out, l.policy)
	return out
}

// Entries is how entries are separated.
type Entries struct {
	Style     EntryStyle `yaml:"style"`
	Delimiter string     `yaml:"delimiter"` // between two entries, if the style is delimited
	// Roles limits delimited entries to files of these roles; the others are ordinary markdown.
	Roles []Role `yaml:"roles"`
}

// Delimits reports whether the entries of a file are separated by delimiters.
func (l Layout) Delimits(path string) bool {
	if l.Entries.Style != Delimited || len(l.Entries.Roles) == 0 {
		return l.Entries.Style == Delimited
	}
	r, ok := l.RoleOf(path)
	return ok && slices.Contains(l.Entries.Roles, r)
}

// Syntax is how a file is parsed. In a log, archived or not, plain lines are entries of their own.
func (l Layout) Syntax(path string, p policy.Policy) note.Syntax {
	s := note.Syntax{Separator: policy.BaselineSeparator.Of(p), Tags: policy.TagsEntry.Of(p)}
	if l.Delimits(path) {
		s.Style = note.Delimited
	}
	r, _ := l.RoleOf(path)
	s.Lines = r == Daily || r == Buffer || r == Archive
	return s
}

// EntryStyle is a way to write entries.
type EntryStyle string

// The styles: markdown list items and paragraphs, or blocks with a fixed delimiter between them.
const (
	Bullets   EntryStyle = "bullets"
	Delimited EntryStyle = "delimited"
)

// Header is the required first lines of the files of some roles. A line is literal text with the placeholders {title},
// {tags}, {date} and {time}.
type Header struct {
	Roles []Role   `yaml:"roles"`
	Lines []string `yaml:"lines"`
	Exact bool     `yaml:"exact"` // the header is exactly these lines; otherwise only TagsLine is required
}

// TagsLine is the number of the line with the tags, 0 if there is none.
func (h Header) TagsLine() int {
	return 1 + slices.IndexFunc(h.Lines, func(s string) bool { return strings.Contains(s, "{tags}") })
}

// VerifiedLine is the number of the line with last_verified, 0 if there is none.
func (h Header) VerifiedLine() int {
	return 1 + slices.IndexFunc(h.Lines, func(s string) bool { return strings.Contains(s, "last_verified") })
}

// FixesTitle, HasTags and HasVerified report what a header requires: the form of the first line, a line of tags, and the
// day on which the file was last verified.
func (h Header) FixesTitle() bool  { return h.Exact || h.TagsLine() > 1 }
func (h Header) HasTags() bool     { return h.TagsLine() > 0 }
func (h Header) HasVerified() bool { return h.VerifiedLine() > 0 }

// Header finds the header rule for a role.
func (l Layout) Header(r Role) (Header, bool) {
	for _, h := range l.Headers {
		if slices.Contains(h.Roles, r) {
			return h, true
		}
	}
	return Header{}, false
}

// Owner is the home of a class of facts: the one place where they belong.
type Owner struct {
	Class string   `yaml:"class"` // "people", "infrastructure"
	Role  Role     `yaml:"role"`  // the role of its home
	Path  string   `yaml:"path"`  // the file; "" if the role has many
	Words []string `yaml:"words"` // words that mark a fact of this class
}

// Owner finds the home of a class of facts.
func (l Layout) Owner(class string) (Owner, bool) {
	for _, o := range l.Owners {
		if o.Class == class {
			return o, true
		}
	}
	return Owner{}, false
}

// Context is what a session starts with, in order, and the size limit of the harness's hooks.
type Context struct {
	Parts     []Part `yaml:"parts"`
	HookUnit  Unit   `yaml:"hook_unit"`
	HookLimit int    `yaml:"hook_limit"` // 0 is no limit
}

// Part is one piece of a session's start: the files of a role, or something Tend generates.
type Part struct {
	Kind    PartKind
	Role    Role   // for files
	Heading string // put above it, if not empty
	Intro   string // one sentence between heading and text
	Last    int    // only so many last lines of each file, 0 is all
}

// PartKind is where a part comes from.
type PartKind string

// The kinds of parts.
const (
	PartFiles     PartKind = "files"     // every file of Role
	PartToday     PartKind = "today"     // today's daily log
	PartYesterday PartKind = "yesterday" // yesterday's daily log
	PartDate      PartKind = "date"      // date, time and zone
	PartWorkspace PartKind = "workspace" // where the workspace is
	PartHealth    PartKind = "health"    // a warning if checks fail
)
