package store_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"tend/test/light"
	"tend/test/require"
)

var must = require.NoError

// TestTeeth puts classic mistakes back into the code, one at a time, and checks that the
// named test catches each.
func TestTeeth(t *testing.T) {
	for i, m := range []struct {
		mistake, file, old, new, test string
	}{
		{"the PUT is unconditional", "s3/s3.go", `map[string]string{"If-None-Match": "*"}`, `nil`, "./storetest TestS3"},
		{"a file is renamed into place", "folder/folder.go", `s.tree.Link(temp, key)`, `s.tree.Rename(temp, key)`, "./storetest TestFolder"},
		{"an unclear answer counts as done", "../journal/journal.go", "if err == nil {\n\t\t\treturn pos, nil",
			"if err == nil || errors.Is(err, store.ErrUnclear) {\n\t\t\treturn pos, nil", "../journal TestCommitOnce"},
		{"an entry is sent again without checking", "../journal/journal.go", "there, getErr := j.store.Get(ctx, key)",
			"there, getErr := []byte(nil), error(nil)\n\t\tif !exists {\n\t\t\tcontinue\n\t\t}", "../journal TestCommitOwnAnswer"},
		{"the nonce is not compared", "../journal/journal.go", "case getErr == nil && bytes.Equal(there, body):",
			"case getErr == nil && bytes.Equal(there, nil):", "../journal TestCommitOnce"},
		{"an entry need not follow", "../journal/journal.go", "case e.Prev != at.Digest:", "case e.Prev == \"-\":", "../journal TestTampering"},
		{"a conflict counts as done", "../journal/journal.go", "return at, fmt.Errorf(\"entry %d of %s: %w\", e.N, j.Agent, ErrConflict)",
			"return pos, nil", "../journal TestLinearizable"},
		{"a missing entry counts as the end", "../journal/journal.go", "if errors.Is(err, store.ErrAbsent) && !j.sawEndLately() {",
			"if errors.Is(err, store.ErrAbsent) && at.N == 1<<60 {", "../journal TestPack"},
		{"a writer that slept does not check", "../journal/journal.go", "if !j.sawEndLately() {\n\t\tif _, _, err := j.Next",
			"if at.N == 1<<60 {\n\t\tif _, _, err := j.Next", "../journal TestPack"},
		{"a pack is not read back", "../journal/pack.go", "if !bytes.Equal(p.bodyOf(n), bodies[i]) {",
			"if p.bodyOf(n) == nil && bodies[i] == nil {", "../journal TestPackDamaged"},
		{"the store's clock is ignored", "../journal/pack.go", "o.newest.Sub(end.Modified) < age", "o.newest.Sub(end.Modified) < 0",
			"../journal TestPackAge"},
		{"the key is not authenticated", "sealed/sealed.go", `"\x00" + key)`, `"\x00")`, "./sealed TestTampering"},
		{"a file is replaced whatever it is now", "../workcopy/pull_plan.go",
			`New: text, Why: "changed on another machine"}`, `New: text, Why: "changed on another machine", Force: true}`,
			"../workcopy TestAgentWrites"},
		{"the other side of a conflict is dropped", "../workcopy/pull_plan.go",
			"pl.Archives = append(pl.Archives, plan.Archive{", "_ = append(pl.Archives[:0:0], plan.Archive{", "../workcopy TestConflict"},
		{"its own entry counts as another writer's", "../workcopy/pull.go", "own := slices.Contains(s.Pushing, e.Nonce)",
			"own := slices.Contains(s.Pushing, e.Nonce) && e.N == 0", "../workcopy TestOwnEntry"},
		{"a merge is made twice", "../workcopy/pull_plan.go", "ours == before.Files[name] && ours != \"\"\n",
			"ours == before.Files[name] && ours == \"-\"\n", "../workcopy TestMergeOnce"},
		{"an empty folder counts as a decision", "../workcopy/sync.go", "if had > 1 {", "if had < 0 {", "../workcopy TestEmptyWorkspace"},
		{"a replica's conflict counts as done", "../workcopy/mirror.go", `return fmt.Errorf("%w: %w", vault.ErrChanged, err)`, `return nil`,
			"../workcopy TestMirrorsAgree"},
		{"a replica plans again on a stale base", "../workcopy/mirror.go",
			"if _, _, err := m.applyForeign(ctx, c); err != nil {\n\t\t\treturn err\n\t\t}", "", "../workcopy TestMirrorsAgree"},
		{"edits that the journal has not are evicted", "../workcopy/mirror.go",
			"if err := m.commitRest(ctx, c, s); err != nil {\n\t\treturn err\n\t}\n\tm.made = false", "m.made = false",
			"../workcopy TestMirrorEvicts"},
		{"a commit that failed is forgotten", "../workcopy/mirror.go", "m.dirty = true // until it succeeds", "// until it succeeds",
			"../workcopy TestMirrorRequestsFail"},
		{"a foreign text is overwritten", "../workcopy/mirror.go", "!known[h.version]", "known[\"-\"]", "../workcopy TestMirrorKeepsForeignText"},
		{"files change before the store has the action", "../../state/ledger/ledger.go",
			"if err := s.publishAction(ctx, rec, p); err != nil {\n\t\t\treturn Record{}, err\n\t\t}", "_ = s.publishAction(ctx, rec, p)",
			"../workcopy TestMirrorChangesNothingUncommitted"},
	} {
		if i%light.Or(1, 5) != light.Or(0, 2) {
			continue
		}
		t.Run(m.mistake, func(t *testing.T) {
			out, err := run(t, m.file, m.old, m.new, strings.Fields(m.test)...)
			if err == nil {
				t.Errorf("%s does not notice", m.test)
			} else if !strings.Contains(out, "--- FAIL: "+strings.Fields(m.test)[1]) {
				t.Errorf("%s did not fail as a test does: %v\n%s", m.test, err, out)
			}
		})
	}
}

// run tests a package with one text replaced.
func run(t *testing.T, file, old, new string, test ...string) (string, error) {
	t.Helper()
	path, err := filepath.Abs(file)
	must(t, err)
	text, err := os.ReadFile(path)
	must(t, err)
	if strings.Count(string(text), old) != 1 {
		t.Fatalf("%s has %q %d times: the mistake must be made elsewhere", file, old, strings.Count(string(text), old))
	}
	dir := t.TempDir()
	wrong, overlay := filepath.Join(dir, "wrong.go"), filepath.Join(dir, "overlay.json")
	plan, err := json.Marshal(map[string]any{"Replace": map[string]string{path: wrong}})
	must(t, err)
	for name, data := range map[string][]byte{wrong: []byte(strings.Replace(string(text), old, new, 1)), overlay: plan} {
		must(t, os.WriteFile(name, data, 0o644))
	}
	out, err := exec.Command("go", "test", "-count=1", "-timeout=1m", "-overlay", overlay, "-run", "^"+test[1]+"$", test[0]).CombinedOutput()
	return string(out), err
}
