package layout

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/model/policy"
)

func TestEveryPresetIsComplete(t *testing.T) {
	refs := Presets()
	for _, want := range []string{
		"shepherd@1", "openclaw@2026.2", "openclaw@2026.4", "openclaw@2026.8", "openclaw@2026.9", "openclaw-v4@1.3", "harness@0.1",
		"hermes@2026.8", "claude-code@2.1", "codex@2026.8", "zeroclaw@2026.8",
	} {
		if !slices.Contains(refs, want) {
			t.Errorf("%s is missing from %v", want, refs)
		}
	}
	for _, ref := range refs {
		l, err := Preset(ref)
		if err != nil {
			t.Errorf("%s: %v", ref, err)
			continue
		}
		if l.Ref() != ref {
			t.Errorf("%s calls itself %s", ref, l.Ref())
		}
		one, err := findPreset(ref)
		must(t, err)
		signs, err := one.readSigns()
		must(t, err)
		if l.About == "" || l.About == "common ground of the presets" || len(signs) == 0 {
			t.Errorf("%s: must say what it is and how it is detected", ref)
		}
		if !l.Has(Hot) || l.Show.Unit == "" || len(l.Context.Parts) == 0 {
			t.Errorf("%s: must have a hot file, a unit and a context", ref)
		}
		p, err := policy.Policy{}.With("layout "+ref, l.Policy())
		if err != nil {
			t.Errorf("%s: policy: %v", ref, err)
		} else if err := p.Check(); err != nil {
			t.Errorf("%s: policy contradicts itself: %v", ref, err)
		}
		for _, s := range signs {
			if _, ok := compilePattern(s.Path); !ok || s.Weight <= -1 || s.Weight >= 1 || s.Weight == 0 {
				t.Errorf("%s: sign %+v is not usable", ref, s)
			}
		}
		for _, f := range l.Show.Files {
			if f.Name == "BOOTSTRAP.md" || f.Name == "HEARTBEAT.md" || f.Name == "memory.md" {
				continue
			}
			if _, ok := l.RoleOf(strings.ReplaceAll(f.Name, "*", "x")); !ok && !strings.HasPrefix(f.Name, "AGENTS.override") {
				t.Errorf("%s: %s is shown but has no role", ref, f.Name)
			}
		}
	}
}

func TestPresetByProgramVersion(t *testing.T) {
	tests := []struct{ ref, want string }{
		{"openclaw", "openclaw@2026.9"},
		{"openclaw@2026.8", "openclaw@2026.8"},
		{"openclaw@2026.4", "openclaw@2026.4"},
		{"openclaw@2026.9.6", "openclaw@2026.9"},
		{"openclaw@2026.9.1", "openclaw@2026.8"},
		{"openclaw@2026.10.1", "openclaw@2026.9"},
		{"openclaw@2026.2.26", "openclaw@2026.2"},
		{"openclaw@2026.4.5", "openclaw@2026.2"},
		{"openclaw@2026.4.15", "openclaw@2026.4.15"},
		{"openclaw@2026.4.29", "openclaw@2026.4"},
		{"openclaw@2026.5.28", "openclaw@2026.5"},
		{"openclaw@2026.7.1", "openclaw@2026.6"},
		{"hermes", "hermes@2026.8"},
		{"openclaw-v4", "openclaw-v4@4.6"},
	}
	for _, tt := range tests {
		l, err := Preset(tt.ref)
		if err != nil || l.Ref() != tt.want {
			t.Errorf("%s: got %s, %v; want %s", tt.ref, l.Ref(), err, tt.want)
		}
	}
	for _, tt := range []struct{ ref, want string }{
		{"opnclaw", "did you mean openclaw"},
		{"openclaw@new", "of openclaw there are openclaw@2026.2, "},
		{"openclaw@2020.1", "of openclaw there are"},
		{"base", "unknown layout"},
		{"zzz", "known are claude-code@2.1"},
		{"", "known are"},
	} {
		if _, err := Preset(tt.ref); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want it to say %q", tt.ref, err, tt.want)
		}
	}
}

func TestLimitsByVersion(t *testing.T) {
	tests := []struct {
		ref               string
		file, total, user int
		inside, digest    bool
	}{
		{"openclaw@2026.2", 20000, 150000, 0, false, false},
		{"openclaw@2026.4", 12000, 60000, 0, true, false},
		{"openclaw@2026.5", 12000, 60000, 0, true, true},
		{"openclaw@2026.6", 20000, 60000, 0, true, true},
		{"openclaw@2026.8", 20000, 60000, 4000, true, true},
		{"openclaw@2026.9", 20000, 60000, 4000, true, true},
	}
	for _, tt := range tests {
		l, err := Preset(tt.ref)
		if err != nil {
			t.Fatal(err)
		}
		user := 0
		for _, f := range l.Show.Files {
			if f.Name == "USER.md" {
				user = f.Cap
			}
		}
		s := l.Show
		if s.File.At(0) != tt.file || s.Total != tt.total || user != tt.user || s.Cut.Inside != tt.inside || (s.Cut.Digest != nil) != tt.digest {
			t.Errorf("%s: got %d/%d/%d inside %v digest %v", tt.ref, s.File.At(0), s.Total, user, s.Cut.Inside, s.Cut.Digest != nil)
		}
	}
	hermes, _ := Preset("hermes")
	for window, want := range map[int]int{0: 20000, 8000: 20000, 128000: 30720, 200000: 48000, 10_000_000: 500000} {
		if got := hermes.Show.File.At(window); got != want {
			t.Errorf("hermes, window %d: got %d, want %d", window, got, want)
		}
	}
}

func TestRolesAndPaths(t *testing.T) {
	day := "2026-11-15"
	tests := []struct {
		ref, path string
		role      Role
		day       string
	}{
		{"openclaw@2026.8", "MEMORY.md", Hot, ""},
		{"openclaw@2026.8", "memory/2026-11-15.md", Daily, day},
		{"openclaw@2026.8", "memory/2026-11-15-standup.md", Daily, day},
		{"openclaw@2026.8", "memory/2026-13-45.md", Semantic, ""},
		{"openclaw@2026.8", "memory/working-buffer.md", Buffer, ""},
		{"openclaw@2026.8", "memory/observations.md", Observations, ""},
		{"openclaw@2026.8", "memory/notes.md", Semantic, ""},
		{"openclaw@2026.8", "memory/MEMORY-backup-2026-11-15.md", Archive, day},
		{"openclaw@2026.8", "memory/archive/2026/11/2026-11-15.md", Archive, ""},
		{"openclaw@2026.8", "SOUL.md", Identity, ""},
		{"openclaw-v4", "memory/episodic/2026-11-15.md", Daily, day},
		{"openclaw-v4", "memory/semantic/decisions.md", Decisions, ""},
		{"openclaw-v4", "memory/semantic/projects.md", Semantic, ""},
		{"openclaw-v4", "memory/procedural/lessons-learned.md", Lessons, ""},
		{"openclaw-v4", ".learnings/ERRORS.md", Learnings, ""},
		{"harness", "memory/CONTEXT.md", Hot, ""},
		{"harness", "memory/a/b.md", Semantic, ""},
		{"hermes", "memories/USER.md", User, ""},
		{"picoclaw", "memory/202611/20261115.md", Daily, day},
		{"claude-code", "MEMORY.md", Hot, ""},
		{"claude-code", "topic.md", Semantic, ""},
		{"letta", "system/persona.md", Hot, ""},
		{"openclaw@2026.8", "src/main.go", "", ""},
		{"openclaw@2026.8", "memory/notes.md.bak", "", ""},
	}
	for _, tt := range tests {
		l, err := Preset(tt.ref)
		if err != nil {
			t.Fatal(err)
		}
		role, ok := l.RoleOf(tt.path)
		gotDay, hasDay := l.DayOf(tt.path)
		if role != tt.role || ok != (tt.role != "") || gotDay != tt.day || hasDay != (tt.day != "") {
			t.Errorf("%s %s: got %q %v %q %v, want %q %q", tt.ref, tt.path, role, ok, gotDay, hasDay, tt.role, tt.day)
		}
	}

	l, _ := Preset("openclaw@2026.8")
	if got, want := l.Path(Daily, day), "memory/2026-11-15.md"; got != want {
		t.Errorf("daily: got %q, want %q", got, want)
	}
	if got := l.Path(Daily, "tomorrow"); got != "" {
		t.Errorf("daily of no day: got %q", got)
	}
	if got := l.Path(Semantic, day); got != "" {
		t.Errorf("a wildcard is not a path: got %q", got)
	}
	if diff := cmp.Diff([]string{"IDENTITY.md", "SOUL.md"}, l.Paths(Identity, "")); diff != "" {
		t.Error(diff)
	}
	if got, want := l.ArchivePath("2026-11-15.md", day), "memory/archive/2026/11/2026-11-15.md"; got != want {
		t.Errorf("archive: got %q, want %q", got, want)
	}
}

func TestLayoutsKeepTheirTextsWhenExtended(t *testing.T) {
	for _, ref := range []string{"openclaw@2026.2", "openclaw@2026.9", "openclaw-v4"} {
		l, err := Preset(ref)
		if err != nil {
			t.Fatal(err)
		}
		want := "\n[...truncated, read {name} for full content...]\n…(truncated {name}: kept {head}+{tail} chars of {len})…\n"
		if l.Show.Cut.Joint != "\n" || l.Show.Cut.Marker != want || l.Show.Clamp != "…" {
			t.Errorf("%s: joint %q, marker %q", ref, l.Show.Cut.Joint, l.Show.Cut.Marker)
		}
	}
}

func TestHeadersOwnersContext(t *testing.T) {
	v4, err := Preset("openclaw-v4@1.3")
	if err != nil {
		t.Fatal(err)
	}
	h, ok := v4.Header(Semantic)
	if !ok || h.TagsLine() != 2 || h.VerifiedLine() != 3 || h.Exact {
		t.Errorf("semantic header: %+v", h)
	}
	if _, ok := v4.Header(Daily); ok {
		t.Error("daily logs have no header")
	}
	if diff := cmp.Diff([]string{"Updated", "Decisions", "Signal", "Open"}, v4.Closure); diff != "" {
		t.Error(diff)
	}
	o, ok := v4.Owner("infrastructure")
	if !ok || o.Role != Semantic || o.Path != "memory/semantic/infrastructure.md" {
		t.Errorf("owner of infrastructure: %+v", o)
	}
	p, err := policy.Policy{}.With("v4", v4.Policy())
	if err != nil {
		t.Fatal(err)
	}
	if got := len(policy.TagsFile.Of(p)); got != 37 {
		t.Errorf("frozen vocabulary: got %d tags, want 37", got)
	}
	open, _ := Preset("openclaw@2026.8")
	if o, ok := open.Owner("people"); !ok || o.Path != "USER.md" {
		t.Errorf("owner of people: %+v", o)
	}
	var kinds []string
	for _, part := range v4.Context.Parts {
		kinds = append(kinds, string(part.Kind)+":"+string(part.Role))
	}
	want := []string{"workspace:", "files:identity", "files:agents", "files:user", "files:hot", "files:learnings", "yesterday:", "today:",
		"files:buffer", "health:", "date:"}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
}

func TestParseOwnLayout(t *testing.T) {
	l, err := Parse("mine", []byte(`
extends: openclaw@2026.9
roles:
  hot: NOTES.md
  session: null
policy:
  hot.max_lines: 40
show:
  file: 9000
  files: [AGENTS.md, {name: NOTES.md, optional: true, cap: 500}]
  sessions: null
`))
	if err != nil {
		t.Fatal(err)
	}
	if l.Ref() != "mine" || l.Path(Hot, "") != "NOTES.md" || l.Has(Session) || l.Path(Buffer, "") != "memory/working-buffer.md" {
		t.Errorf("got %s %v", l.Ref(), l.Patterns(Hot))
	}
	if l.Show.File.Max != 9000 || l.Show.Total != 60000 || len(l.Show.Files) != 2 || l.Show.Files[1].Cap != 500 {
		t.Errorf("show: %+v", l.Show)
	}
	if l.Show.Cut.Digest == nil || len(l.Show.Cut.Digest.Alarms) != 7 {
		t.Error("the digest must come from what is extended")
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"unknown key", "roles: {hot: A.md}\nrolse: {}", []string{"[2:1]", "rolse"}},
		{"unknown key deep", "show:\n  cut:\n    hed: 1", []string{"[3:5]", "hed"}},
		{"unknown key in a file", "show:\n  files:\n    - {name: A.md, optonal: true}", []string{"optonal"}},
		{"unknown role", "roles: {hott: A.md}", []string{`"hott"`, "did you mean hot?"}},
		{"bad placeholder", "roles: {daily: \"{day}.md\"}", []string{"{day}.md", "{date}"}},
		{"outside", "roles: {hot: ../A.md}", []string{"../A.md"}},
		{"absolute", "roles: {hot: /A.md}", []string{"/A.md"}},
		{"reach outside", "reach: ../memory", []string{"reach", "../memory"}},
		{"policy", "roles: {hot: A.md}\npolicy: {hot.max_line: 1}", []string{"did you mean hot.max_lines?"}},
		{"unknown unit", "show: {unit: letters}", []string{"letters", "utf16"}},
		{"unknown cut", "show: {cut: {kind: middle}}", []string{"middle"}},
		{"unknown trim", "show: {trim: start}", []string{"start"}},
		{"nameless file", "show: {files: [{optional: true}]}", []string{"no name"}},
		{"session", "show: {files: [A.md], sessions: {cron: [B.md]}}", []string{"B.md"}},
		{"extends nothing", "extends: openclow", []string{"did you mean openclaw"}},
		{"part", "context: {parts: [hot, nonsense]}", []string{"nonsense"}},
		{"duplicate", "name: a\nname: b", []string{"[2:1]"}},
		{"not yaml", "roles: [", []string{"read layout x"}},
		{"wrong type", "roles: 3", []string{"[1:8]"}},
		{"owner", "owners: [{class: people, path: nowhere.md}]", []string{"owners: people"}},
	}
	for _, tt := range tests {
		_, err := Parse("x", []byte(tt.in))
		if err == nil {
			t.Errorf("%s: no error", tt.name)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %q, want it to say %q", tt.name, err, want)
			}
		}
	}
}

func TestDetect(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"openclaw now", map[string]string{"AGENTS.md": "", "SOUL.md": "", "IDENTITY.md": "", "USER.md": "", "memory/2026-11-15.md": ""},
			"openclaw@2026.9"},
		{"openclaw then", map[string]string{"AGENTS.md": "", "SOUL.md": "", "IDENTITY.md": "", "TOOLS.md": "", "HEARTBEAT.md": ""},
			"openclaw@2026.7"},
		{"v4", map[string]string{"AGENTS.md": "", "MEMORY.md": "", "memory/episodic/2026-11-15.md": "",
			"memory/semantic/projects.md": "# P\n#tags: audit\n", "memory/procedural/x.md": ""}, "openclaw-v4@1.3"},
		{"v4.6", map[string]string{"memory/episodic/2026-11-15.md": "", ".learnings/ERRORS.md": "",
			"memory/working-buffer.md": "# Working Buffer\ncreated: x\nlast_active: y\n"}, "openclaw-v4@4.6"},
		{"harness", map[string]string{"IDENTITY.md": "", "memory/CONTEXT.md": ""}, "harness@0.1"},
		{"hermes", map[string]string{"SOUL.md": "", "memories/MEMORY.md": "a\n§\nb", "memories/USER.md": ""}, "hermes@2026.8"},
		{"claude project", map[string]string{"CLAUDE.md": "", "main.go": ""}, "claude-code@2.1"},
		{"claude memory", map[string]string{"MEMORY.md": "- [a](a.md) — hook\n", "a.md": "---\ntype: feedback\n---\n"}, "claude-code@2.1"},
		{"codex", map[string]string{"AGENTS.md": "", "memories/MEMORY.md": "", "memories/memory_summary.md": ""}, "codex@2026.8"},
		{"shepherd", map[string]string{"MEMORY.md": "# Me\n---\n## Scratch Notes\n"}, "shepherd@1"},
		{"letta", map[string]string{"system/persona.md": "---\ndescription: x\n---\n"}, "letta@2026.8"},
		{"nanobot", map[string]string{"memory/MEMORY.md": "", "memory/history.jsonl": ""}, "nanobot@2026.8"},
		{"picoclaw", map[string]string{"memory/MEMORY.md": "", "memory/202611/20261115.md": ""}, "picoclaw@2026.8"},
		{"zeroclaw", map[string]string{"SOUL.md": "", "TOOLS.md": "", "memory/brain.db": ""}, "zeroclaw@2026.8"},
		{"nothing", map[string]string{"main.go": ""}, ""},
	}
	for _, tt := range tests {
		var paths []string
		for p := range tt.files {
			paths = append(paths, p)
		}
		slices.Sort(paths)
		guesses, err := Detect(paths, func(p string) []byte { return []byte(tt.files[p]) })
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(guesses) > 0 {
			got = guesses[0].Ref
			if g := guesses[0]; g.Confidence <= 0 || g.Confidence > 1 || len(g.Reasons) == 0 {
				t.Errorf("%s: %+v", tt.name, g)
			}
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s (%+v)", tt.name, got, tt.want, guesses)
		}
	}
}

// FuzzRoleOf: of a log's day, the layout's own log is a log of that day, too.
func FuzzRoleOf(f *testing.F) {
	l, err := Preset("openclaw-v4")
	if err != nil {
		f.Fatal(err)
	}
	f.Add("memory/episodic/2026-11-15.md")
	f.Add("memory/2026-11-15.md")
	f.Add("memory/archive/2026/11/x.md")
	f.Add("memory/4411-11/11011/11/15.md")
	f.Fuzz(func(t *testing.T, path string) {
		day, ok := l.DayOf(path)
		if role, _ := l.RoleOf(path); !ok || role != Daily {
			return
		}
		own := l.Path(Daily, day)
		again, dated := l.DayOf(own)
		if role, _ := l.RoleOf(own); role != Daily || !dated || again != day {
			t.Errorf("%q is the log of %s; %q is %s of %q", path, day, own, role, again)
		}
	})
}

// FuzzMatch: whatever an operator writes as a pattern is either refused or can be matched.
func FuzzMatch(f *testing.F) {
	for _, p := range []string{"{date}/{date}/{date}.md", "**/{name}-{name}", "a\xffb*{dd}", "{yyyy}/{mm}/{dd}/*", "[(\\{"} {
		f.Add(p, "2026-11-15/2026-11-15/2026-11-15.md")
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		p, ok := compilePattern(text)
		if !ok {
			return
		}
		p.re() // cannot fail
		if day, ok := p.match(path); ok && day != "" && !isDate(day) {
			t.Errorf("%q finds the day %q in %q", text, day, path)
		}
	})
}

func TestRepeatedPlaceholders(t *testing.T) {
	p, ok := compilePattern("{date}/{date}/{date}-{name}.md")
	if !ok {
		t.Fatal("refused")
	}
	if day, ok := p.match("2026-11-15/2026-11-14/2026-11-13-x.md"); !ok || day != "2026-11-15" {
		t.Errorf("got %q, %v", day, ok)
	}
}
