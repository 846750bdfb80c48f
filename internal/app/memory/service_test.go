package memory

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/fleet/storedtest"
	"tend/internal/text/session"
	"tend/test/require"
)

var must = require.NoError

// serve opens an agent's memory in a new folder, in OpenClaw's layout unless another is named.
func serve(t *testing.T, more string, layout ...string) (s *Service, ws string) {
	t.Helper()
	ref := append(layout, "openclaw@2026.9")[0]
	dir := t.TempDir()
	ws = filepath.Join(dir, "ws")
	must(t, os.Mkdir(ws, 0o755))
	env, err := config.OSEnv()
	must(t, err)
	conf := "version: 1\nstate_dir: ./state\nagents:\n  ada:\n    layout: " + ref + "\n    timezone: UTC\n    workspace: ./ws\n" + more
	cfg, err := config.Parse(filepath.Join(dir, "tend.yaml"), []byte(conf), env)
	must(t, err)
	o := fleet.Options{Write: true, Clock: func() time.Time { return time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC) }}
	if s := storedtest.New(t); s != nil {
		o.Shared = s
	}
	f, err := fleet.Open(cfg, o)
	must(t, err)
	a, err := f.Agent(t.Context(), "ada")
	must(t, err)
	s = New(a, Options{})
	t.Cleanup(func() {
		a.Close()
		f.Close()
	})
	return s, ws
}

func put(t *testing.T, name, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.WriteFile(name, []byte(text), 0o644))
}

// TestPages: the pages of a list add up to the whole list, for any page size.
func TestPages(t *testing.T) {
	s, ws := serve(t, "    policy: {list.page: 100}\n")
	var want []string
	for i := range 40 {
		for _, dir := range []string{"", "a/", "a/b/", "a-b/", "z/"} {
			name := fmt.Sprintf("%sn%02d.md", dir, i)
			put(t, filepath.Join(ws, name), "x")
			want = append(want, name)
		}
	}
	flat := strings.NewReplacer("/", "\x00") // a folder's files come before a name that begins like it
	slices.SortFunc(want, func(x, y string) int { return strings.Compare(flat.Replace(x), flat.Replace(y)) })
	for _, limit := range []int{1, 7, 40, 99, 100, 0} {
		var got []string
		r := ListRequest{Limit: limit}
		for {
			page, err := s.Reader.List(t.Context(), r)
			must(t, err)
			for _, f := range page.Files {
				got = append(got, string(f.Path))
			}
			if r.After = page.Next; page.Next == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("pages of %d: %d files, want %d", limit, len(got), len(want))
		}
	}
}

// TestSearchIsNeverStale searches right after each change, by Tend and by others.
func TestSearchIsNeverStale(t *testing.T) {
	s, ws := serve(t, "")
	find := func(word string) []string {
		t.Helper()
		f, err := s.Finder.Search(t.Context(), SearchRequest{Query: word})
		must(t, err)
		var out []string
		for _, h := range f.Hits {
			out = append(out, h.Path)
			for _, also := range h.Also { // the same text, in a link
				out = append(out, also.Path)
			}
		}
		return out
	}
	find("anything") // builds the index
	for i := range 60 {
		word := fmt.Sprintf("kap%c%czu", 'a'+i/26, 'a'+i%26)
		rel := fmt.Sprintf("d%d/f%d.md", i%3, i%5)
		name := filepath.Join(ws, rel)
		switch i % 4 {
		case 3: // by rename, as editors do
			put(t, name+".new", "- "+word+"\n")
			must(t, os.Rename(name+".new", name))
		default:
			put(t, name, "- "+word+"\n")
		}
		if got := find(word); !slices.Contains(got, rel) {
			t.Fatalf("change %d: %s is in %v", i, word, got)
		}
		if i%7 == 6 {
			must(t, os.Remove(name))
			if got := find(word); slices.Contains(got, rel) {
				t.Fatalf("change %d: %s is still in %v", i, word, got)
			}
		}
	}
	must(t, os.Symlink("d0/f0.md", filepath.Join(ws, "alias.md")))
	put(t, filepath.Join(ws, "d0/f0.md"), "- zorbex\n")
	find("zorbex")
	put(t, filepath.Join(ws, "d0/f0.md"), "- quintalo\n")
	if got := find("quintalo"); !slices.Contains(got, "d0/f0.md") || !slices.Contains(got, "alias.md") ||
		slices.Contains(find("zorbex"), "alias.md") {
		t.Errorf("a link shows an old text")
	}
}

// TestErrorsNameNoPathOfThisMachine causes every kind of failure.
func TestErrorsNameNoPathOfThisMachine(t *testing.T) {
	s, ws := serve(t, "")
	put(t, filepath.Join(ws, "a.md"), "x")
	put(t, filepath.Join(ws, "locked/b.md"), "x")
	must(t, os.Symlink("/etc/passwd", filepath.Join(ws, "out.md")))
	must(t, os.Mkdir(filepath.Join(ws, "dir"), 0o755))
	ctx := t.Context()
	for _, p := range []string{"out.md", "dir", "none.md", "../x", "/etc/passwd", "a.md/x", "dir/none.md"} {
		_, rerr := s.Reader.Read(ctx, ReadRequest{Path: p})
		_, werr := s.Writer.Write(ctx, WriteRequest{Path: p, Text: "x", If: "0123456789ab"})
		_, derr := s.Writer.Delete(ctx, DeleteRequest{Path: p})
		_, merr := s.Writer.Move(ctx, MoveRequest{From: p, To: "b.md"})
		for _, err := range []error{rerr, werr, derr, merr} {
			if err == nil {
				continue
			}
			if text := err.Error(); strings.Contains(text, filepath.Dir(ws)) || strings.Contains(text, "/etc") && p != "/etc/passwd" {
				t.Errorf("%s: %s", p, text)
			}
		}
	}
}

// TestCancelledCallsChangeNothing ends a call before it begins.
func TestCancelledCallsChangeNothing(t *testing.T) {
	s, ws := serve(t, "")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := s.Finder.Search(ctx, SearchRequest{Query: "x"}); err == nil {
		t.Error("a cancelled search answers")
	}
	if names, _ := os.ReadDir(ws); len(names) != 0 {
		t.Errorf("files were made: %v", names)
	}
}

func TestVersionsAreThoseOfTheVault(t *testing.T) {
	s, _ := serve(t, "")
	r, err := s.Writer.Write(t.Context(), WriteRequest{Path: "a.md", Text: "hello\n"})
	if err != nil || r.Version != vault.VersionOf([]byte("hello\n")).Short() || r.Outcome != Created {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestRecallFollowsALineThroughItsEdits: what is X now, and what its line said before, in any language.
func TestRecallFollowsALineThroughItsEdits(t *testing.T) {
	s, _ := serve(t, "")
	for _, port := range []string{"8080", "8443"} {
		text := "# 备忘\n\n## 服务器\n\n- 端口：" + port + "\n- 区域：东京\n"
		_, err := s.Writer.Write(t.Context(), WriteRequest{Path: "MEMORY.md", Text: text})
		must(t, err)
	}
	r, err := s.Finder.Recall(t.Context(), SearchRequest{Query: "服务器 端口"})
	must(t, err)
	if r.Now == nil || r.Now.Path != "MEMORY.md" || r.Now.Line != 5 || len(r.Replaced) != 1 || r.Replaced[0].Text != "端口：8080" {
		t.Fatalf("now %+v, before %+v", r.Now, r.Replaced)
	}
}

// TestRecallFollowsALabelThroughTheLogs: the same label under the same heading in later logs is the same line, whatever a
// search would rank first. Lines that are merely alike replace nothing.
func TestRecallFollowsALabelThroughTheLogs(t *testing.T) {
	s, ws := serve(t, "")
	put(t, filepath.Join(ws, "memory/2026-02-03.md"), "# Tuesday\n\n## Meetings 09:00\n\n- Standup: at 9:30 in the large room by the stairs\n")
	put(t, filepath.Join(ws, "memory/2026-03-09.md"), "# Monday notes\n\n## Meetings 10:00\n\n- Standup: 8:45\n")
	put(t, filepath.Join(ws, "memory/2026-04-01.md"), "# Wednesday\n\n## Lunch\n\n- Standup: comedian at the corner\n")
	r, err := s.Finder.Recall(t.Context(), SearchRequest{Query: "standup at 9:30 in the large room"})
	must(t, err)
	if r.Now == nil || r.Now.Path != "memory/2026-03-09.md" || r.Now.Line != 5 || r.Now.Snippet.Text != "Standup: 8:45" {
		t.Fatalf("now %+v", r.Now)
	}
	if len(r.Replaced) != 1 || r.Replaced[0].File != "memory/2026-02-03.md" || r.Replaced[0].Until.Format(time.DateOnly) != "2026-03-09" {
		t.Errorf("replaced %+v", r.Replaced)
	}
	if r, err = s.Finder.Recall(t.Context(), SearchRequest{Query: "comedian"}); err != nil || r.Now == nil || len(r.Replaced) != 0 {
		t.Errorf("another heading: %+v, %+v, %v", r.Now, r.Replaced, err)
	}
	if r, err = s.Finder.Recall(t.Context(), SearchRequest{Query: "zeppelin"}); err != nil || r.Now != nil {
		t.Errorf("of something never written: %+v, %v", r.Now, err)
	}
}

// TestWorkspaceRemovedDuringASession: the model reads what happened, not that some file does not exist.
func TestWorkspaceRemovedDuringASession(t *testing.T) {
	s, ws := serve(t, "")
	must(t, os.RemoveAll(ws))
	_, list := s.Reader.List(t.Context(), ListRequest{})
	_, add := s.Writer.Append(t.Context(), AppendRequest{Path: "a.md", Text: "more"})
	for _, err := range []error{list, add} {
		if err == nil || !strings.Contains(err.Error(), "the memory folder itself does not exist") ||
			!strings.Contains(err.Error(), "Tell the operator") {
			t.Errorf("the error is %v", err)
		}
	}
}

// TestNotAllTextIsSearched: files that are many, or links to one, take no more memory than files.max_total. What is not searched
// is named, and is searched once there is room.
func TestNotAllTextIsSearched(t *testing.T) {
	s, ws := serve(t, "    policy: {files.max_total: 1MB, file.max_bytes: 300KB}\n")
	text := strings.Repeat("- kapaazu\n", 29_000)
	for i := range 3 {
		put(t, filepath.Join(ws, "memory", fmt.Sprintf("topic-%d.md", i)), text)
	}
	for i := range 3 {
		must(t, os.Symlink("topic-0.md", filepath.Join(ws, "memory", fmt.Sprintf("topic-%d.md", i+3))))
	}
	put(t, filepath.Join(ws, "memory", "large.md"), text+text)
	put(t, filepath.Join(ws, "MEMORY.md"), "- small\n")
	find := func() map[string]int {
		f, err := s.Finder.Search(t.Context(), SearchRequest{Query: "kapaazu"})
		must(t, err)
		out := map[string]int{"files": f.Files}
		for _, p := range f.Problems {
			out[p.Reason]++
		}
		return out
	}
	want := map[string]int{"files": 4, "is larger than file.max_bytes": 1, "is beyond files.max_total": 3}
	for range 2 {
		if got := find(); !maps.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	for _, name := range []string{"large", "topic-3", "topic-4"} {
		must(t, os.Remove(filepath.Join(ws, "memory", name+".md")))
	}
	if got, want := find(), map[string]int{"files": 4, "is beyond files.max_total": 1}; !maps.Equal(got, want) {
		t.Errorf("after some are gone: %v, want %v", got, want)
	}
}

// TestContextsHaveNoHugeFiles: of a file that no command reads a context says so, and is small.
func TestContextsHaveNoHugeFiles(t *testing.T) {
	s, ws := serve(t, "    policy: {file.max_bytes: 300KB}\n")
	put(t, filepath.Join(ws, "MEMORY.md"), strings.Repeat("- kapaazu\n", 60_000))
	put(t, filepath.Join(ws, "USER.md"), "- likes tea\n")
	c, err := s.Session.Context(t.Context(), session.Options{})
	must(t, err)
	if strings.Contains(c.Text, "kapaazu") || !strings.Contains(c.Text, "MEMORY.md could not be read: it has 600000 bytes") ||
		!strings.Contains(c.Text, "likes tea") {
		t.Errorf("%.600s", c.Text)
	}
}
