package migrate_test

import (
	"slices"
	"strings"
	"testing"

	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/internal/text/layout/migrate"
	"tend/internal/text/layout/migrate/migratetest"
)

// TestImportIsWritten: Claude Code loads MEMORY.md in a project only by an import, so the move writes it, once, and the way
// back removes it.
func TestImportIsWritten(t *testing.T) {
	for name, files := range map[string][]migrate.File{
		"rules":         {text("AGENTS.md", "# Rules\r\n\r\nBe kind."), text("MEMORY.md", "- a fact\n")},
		"memory only":   {text("MEMORY.md", "- a fact\n")},
		"imported":      {text("AGENTS.md", "See @MEMORY.md.\n"), text("MEMORY.md", "- a fact\n")},
		"named in code": {text("AGENTS.md", "```\n@MEMORY.md\n```\n"), text("MEMORY.md", "- a fact\n")},
	} {
		_, there := move(t, "openclaw", "claude-code", files, nil)
		moved := migratetest.Files(there)
		want := 1
		if name == "named in code" {
			want = 2
		}
		if n := strings.Count(textOf(moved, "CLAUDE.md"), "@MEMORY.md"); n != want {
			t.Errorf("%s: %d imports:\n%s", name, n, textOf(moved, "CLAUDE.md"))
		}
		if in, ok := there.Preview.File("MEMORY.md"); !ok || !in.Shown {
			t.Errorf("%s: MEMORY.md is not shown: %+v", name, in)
		}
		_, home := move(t, "claude-code", "openclaw", moved, &there.Origin)
		same(t, name, files, migratetest.Files(home))
	}
	blocks := []migrate.File{text("system/human.md", "---\ndescription: the user\n---\n\nLikes maps.\n")}
	_, alone := move(t, "letta", "claude-code", blocks, nil)
	moved := append(migratetest.Files(alone)[1:], text("CLAUDE.md", "@MEMORY.md\nUse tabs.\n"))
	_, home := move(t, "claude-code", "letta", moved, &alone.Origin)
	back := migratetest.Files(home)
	var all strings.Builder
	for _, f := range back {
		all.WriteString(string(f.Data))
	}
	lines := strings.Count(all.String(), "Use tabs.") == 1 && !strings.Contains(all.String(), "@MEMORY.md")
	if !lines || textOf(back, "system/human.md") != string(blocks[0].Data) {
		t.Errorf("what was added to Tend's rules: %q", all.String())
	}
	_, there := move(t, "openclaw", "claude-code", []migrate.File{text("AGENTS.md", "Be kind.\n"), text("MEMORY.md", "- a fact\n")}, nil)
	for i, f := range there.Files {
		if f.Path == "CLAUDE.md" {
			there.Files[i].Lines = f.Lines[:1]
		}
	}
	if in, _ := migrate.Preview(preset(t, "claude-code"), there.Files).File("MEMORY.md"); in.Shown || in.Reason != loadview.NotImported {
		t.Errorf("without the import: %+v", in)
	}
}

// TestMergedNamesStay: where several files became one, or a file is missing, rules keep its name, and it is listed.
func TestMergedNamesStay(t *testing.T) {
	const rules = "# AGENTS.md\n\nUpdate AGENTS.md, SOUL.md and TOOLS.md.\nYou are free to edit `HEARTBEAT.md`.\n"
	files := []migrate.File{text("AGENTS.md", rules), text("HEARTBEAT.md", "Check the mail.\n"), text("MEMORY.md", "- fact\n"),
		text("SOUL.md", "Calm.\n")}
	_, r := move(t, "openclaw@2026.7", "claude-code", files, nil)
	page := textOf(migratetest.Files(r), "CLAUDE.md")
	if !strings.HasPrefix(page, rules) || len(r.Renamed) != 0 {
		t.Errorf("the rules were reworded, %v:\n%s", r.Renamed, page)
	}
	var kept []string
	for _, k := range r.OldNames {
		kept = append(kept, k.Name+" "+strings.Join(k.Lines, " ")+" "+strings.Join(k.Now, " "))
	}
	want := []string{"AGENTS.md AGENTS.md:1 AGENTS.md:3 CLAUDE.md", "SOUL.md AGENTS.md:3 CLAUDE.md", "TOOLS.md AGENTS.md:3 "}
	if !slices.Equal(kept, want) {
		t.Errorf("kept %q, want %q", kept, want)
	}
}

// TestDividedNamesStay: the name of a file that became two is not replaced.
func TestDividedNamesStay(t *testing.T) {
	files := []migrate.File{text("AGENTS.md", "Read MEMORY.md.\n"), text("MEMORY.md", sections(30, 9)), text("SOUL.md", "Calm.\n")}
	_, r := move(t, "openclaw", "hermes", files, nil)
	if got := textOf(migratetest.Files(r), "AGENTS.md"); got != "Read MEMORY.md.\n" || len(r.OldNames) != 1 || len(r.OldNames[0].Now) != 2 {
		t.Errorf("%q, kept %v", got, r.OldNames)
	}
}

// TestLoopIsNoRule: what a harness has done at intervals is on demand where the new one has no file for it, with a pointer.
func TestLoopIsNoRule(t *testing.T) {
	files := []migrate.File{text("AGENTS.md", "Be kind.\n"), text("HEARTBEAT.md", "Check the mail.\n"), text("MEMORY.md", "- fact\n")}
	for _, to := range layout.Presets() {
		q, r := move(t, "openclaw@2026.7", to, files, nil)
		_, problems := migratetest.Check(q, r, true)
		for _, p := range problems {
			t.Errorf("%s: %s", to, p)
		}
		_, home := move(t, to, "openclaw@2026.7", migratetest.Files(r), &r.Origin)
		same(t, to, files, migratetest.Files(home))
	}
	for _, to := range []string{"claude-code", "hermes", "codex", "openclaw@2026.4"} {
		_, r := move(t, "openclaw@2026.7", to, files, nil)
		for _, f := range r.Files {
			own := f.Path == "HEARTBEAT.md" && to == "openclaw@2026.4"
			if slices.Contains(f.Sources(), "HEARTBEAT.md") && (f.Loaded != own || len(f.Sources()) != 1) {
				t.Errorf("%s: %s is loaded: %v, from %v", to, f.Path, f.Loaded, f.Sources())
			}
			if r, _ := preset(t, to).RoleOf(f.Path); r == "agents" && strings.Contains(string(f.Data()), "More in ") == (to == "openclaw@2026.4") {
				t.Errorf("%s: %s:\n%s", to, f.Path, f.Data())
			}
		}
		_, home := move(t, to, "openclaw@2026.7", migratetest.Files(r), &r.Origin)
		same(t, to, files, migratetest.Files(home))
	}
}

// TestOwnName: what a file calls itself stays if only its folder is another.
func TestOwnName(t *testing.T) {
	files := []migrate.File{text("AGENTS.md", "# AGENTS.md\n\nRead SOUL.md.\n"), text("SOUL.md", "# SOUL.md\n\nSee AGENTS.md.\n")}
	for to, want := range map[string][2]string{
		"letta":       {"# AGENTS.md\n\nRead system/SOUL.md.\n", "# SOUL.md\n\nSee system/AGENTS.md.\n"},
		"claude-code": {"# AGENTS.md\n\nRead SOUL.md.\n", "# SOUL.md\n\nSee AGENTS.md.\n"},
	} {
		_, r := move(t, "openclaw", to, files, nil)
		var all strings.Builder
		for _, f := range migratetest.Files(r) {
			all.Write(f.Data)
		}
		if !strings.Contains(all.String(), want[0]) || !strings.Contains(all.String(), want[1]) {
			t.Errorf("%s:\n%s", to, all.String())
		}
	}
	_, r := move(t, "openclaw", "claude-code", files[:1], nil)
	if got := textOf(migratetest.Files(r), "CLAUDE.md"); !strings.HasPrefix(got, "# CLAUDE.md\n") {
		t.Errorf("a new name: %q", got)
	}
}

// TestFoldersStay: files of one name in several folders keep them where the new harness has folders.
func TestFoldersStay(t *testing.T) {
	files := []migrate.File{text("MEMORY.md", "- fact\n"), text("memory/press/STATE.md", "- a\n"), text("memory/shop/STATE.md", "- b\n"),
		text("projects/press/state.md", "- c\n")}
	_, r := move(t, "openclaw", "hermes", files, nil)
	var names []string
	for _, f := range migratetest.Files(r) {
		names = append(names, f.Path)
	}
	want := []string{"memories/MEMORY.md", "memories/shelf/memory/press/state.md", "memories/shelf/memory/shop/state.md",
		"memories/shelf/projects/press/state.md"}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

// TestLinksOfAnIndex: the links of a page of memory lead to the files where they are now; what else it says of them stays.
func TestLinksOfAnIndex(t *testing.T) {
	const index = "- [Builds](builds.md), [hosts](./hosts.md): see builds.md\n- [gone](gone.md) [out](https://a.example/builds.md)\n"
	files := []migrate.File{text("MEMORY.md", index),
		text("builds.md", "The [hosts](hosts.md) are slow.\n"), text("hosts.md", "One.\n")}
	_, r := move(t, "claude-code", "openclaw", files, nil)
	moved := migratetest.Files(r)
	want := "- [Builds](memory/builds.md), [hosts](memory/hosts.md): see builds.md\n- [gone](gone.md) [out](https://a.example/builds.md)\n"
	if got := textOf(moved, "MEMORY.md"); got != want || len(r.Renamed) != 1 {
		t.Errorf("%q, renamed %v", got, r.Renamed)
	}
	if got := textOf(moved, "memory/builds.md"); got != "The [hosts](hosts.md) are slow.\n" {
		t.Errorf("a link in the same folder: %q", got)
	}
	_, home := move(t, "openclaw", "claude-code", moved, &r.Origin)
	same(t, "and back", files, migratetest.Files(home))
}
