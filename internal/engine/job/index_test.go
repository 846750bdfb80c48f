package job

import (
	"slices"
	"testing"

	"tend/internal/disk/vault"
	"tend/internal/engine/job/jobtest"
	"tend/internal/text/layout"
)

// TestIndexFollows: an indexed input whose files were changed, added and removed lists the same as one that is indexed
// again, and the one it was made from is as it was.
func TestIndexFollows(t *testing.T) {
	given := jobtest.Night{Files: jobtest.Files(
		"MEMORY.md", "# Memory\n\n- one\n", "USER.md", "# User\n", "notes.txt.md", "- other\n",
		"memory/2026-11-10.md", "- a\n", "memory/2026-11-12.md", "- b\n", "memory/semantic/people.md", "- Ann\n",
	)}.Given(t)
	in := Input{Snapshot: given.Snapshot, Layout: given.Layout, Policy: given.Policy}.Indexed()
	doc := func(path vault.Path, text string) vault.Doc {
		return vault.Doc{Path: path, Data: []byte(text), Version: vault.VersionOf([]byte(text)), Links: 1}
	}
	before := in.All()
	got := in.With(doc("MEMORY.md", "# Memory\n\n- two\n"), doc("memory/2026-11-11.md", "- c\n"), doc("memory/semantic/tools.md", "- x\n"),
		vault.Doc{Path: "USER.md"}, vault.Doc{Path: "memory/2026-11-10.md"}, vault.Doc{Path: "TOOLS.md"})
	want := got.Indexed()
	same := func(what string, a, b []vault.Doc) {
		t.Helper()
		if !slices.EqualFunc(a, b, func(x, y vault.Doc) bool { return x.Path == y.Path && x.Version == y.Version }) {
			t.Errorf("%s: %v, want %v", what, a, b)
		}
	}
	same("all files", got.All(), want.All())
	for _, roles := range [][]layout.Role{{layout.Hot}, {layout.User}, {layout.Daily}, {layout.Semantic}, longTerm()} {
		same("files of a role", got.WithRoles(roles...), want.WithRoles(roles...))
	}
	var logs, wantLogs []vault.Doc
	for _, l := range got.Logs() {
		logs = append(logs, l.Doc)
	}
	for _, l := range want.Logs() {
		wantLogs = append(wantLogs, l.Doc)
	}
	same("logs", logs, wantLogs)
	same("the files before", in.All(), before)
	same("the files before, as they were read", in.WithRoles(layout.User), []vault.Doc{in.File("USER.md")})
	if got, now := string(got.Parse(got.File("MEMORY.md")).Entries(0)[0].Raw), "- two\n"; got != now {
		t.Errorf("the changed file is parsed as %q, want %q", got, now)
	}
}
