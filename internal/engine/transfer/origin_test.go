package transfer

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/fsys"
	"tend/internal/text/layout"
	"tend/internal/text/layout/migrate"
)

// TestOriginIsRemembered: what is read equals what was written, bytes that are not UTF-8 and the moves before included.
func TestOriginIsRemembered(t *testing.T) {
	state, err := fsys.Dir(t.TempDir())
	must(t, err)
	defer state.Close()
	o := someMove(t, "- one\n- two\xff\nSee MEMORY.md\xfe", nil)
	must(t, WriteOrigin(state, "reviewer", o))
	next := someMove(t, "- three\n", &o)
	for _, want := range []migrate.Origin{o, next, o} {
		must(t, WriteOrigin(state, "reviewer", want))
		got, err := ReadOrigin(state, "reviewer")
		must(t, err)
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Error(diff)
		}
	}
	infos, err := state.ReadDir(OriginDir("reviewer"))
	must(t, err)
	if len(infos) != 3 {
		t.Errorf("%d files: those of the second move are not removed", len(infos))
	}
	for _, i := range infos {
		if i.Name == originName {
			continue
		}
		must(t, state.Remove(OriginDir("reviewer")+"/"+i.Name))
		if got, err := ReadOrigin(state, "reviewer"); got != nil || err != nil {
			t.Errorf("without a text: %v, %v", got, err)
		}
		break
	}
}

func someMove(t *testing.T, text string, before *migrate.Origin) migrate.Origin {
	t.Helper()
	from, err := layout.Preset("openclaw")
	must(t, err)
	to, err := layout.Preset("hermes")
	must(t, err)
	files := []migrate.File{{Path: "AGENTS.md", Data: []byte(text)}, {Path: "MEMORY.md", Data: []byte("## A\n\n- a\n\n## B\n\n- b")}}
	r := migrate.Plan(migrate.Request{From: from, To: to, Workspace: "/home/anna/w", Files: files, Loaded: []string{"AGENTS.md", "MEMORY.md"}})
	r.Origin.Before = before
	for i := range r.Origin.Moved {
		r.Origin.Moved[i].Loaded = false // is not remembered
	}
	return r.Origin
}

// TestHostileOrigin: a record that was made up is not believed.
func TestHostileOrigin(t *testing.T) {
	for _, record := range []string{
		``, `[]`, `{"v":2}`,
		`{"v":1,"from":"openclaw@2026.9","files":[{"path":"a.md","sha256":"../../../etc/passwd"}],"moved":[]}`,
		`{"v":1,"from":"openclaw@2026.9","files":[],"moved":[{"path":"a.md","lines":[{"file":3,"from":0,"count":1}]}]}`,
		`{"v":1,"from":"openclaw@2026.9","files":[],"moved":[{"path":"a.md","lines":[{"file":-1,"from":-5,"count":9223372036854775807}]}]}`,
	} {
		state, err := fsys.Dir(t.TempDir())
		must(t, err)
		must(t, state.Mkdir("agents", 0o700))
		must(t, state.Mkdir("agents/x", 0o700))
		must(t, state.Mkdir(OriginDir("x"), 0o700))
		f, err := state.Create(OriginDir("x")+"/"+originName, 0o600)
		must(t, err)
		_, err = f.Write([]byte(record))
		must(t, err)
		must(t, f.Close())
		if o, err := ReadOrigin(state, "x"); o != nil || err != nil {
			t.Errorf("%s: %v, %v", record, o, err)
		}
		must(t, state.Close())
	}
}
