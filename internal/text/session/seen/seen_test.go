package seen

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/vault"
	"tend/internal/text/layout"
	"tend/internal/text/layout/loadview"
	"tend/test/require"
)

func facts(from, to int) []byte {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "- fact %03d of the test\n", i)
	}
	return []byte(b.String())
}

// TestLook: a line is in the request if the harness shows it or Tend's hook gave it; otherwise there is a reason.
func TestLook(t *testing.T) {
	l, err := layout.Preset("openclaw@2026.9")
	require.NoError(t, err)
	agents, soul, memory := facts(1, 10), facts(11, 20), facts(21, 220)
	files := func(change func(f *loadview.File)) []loadview.File {
		list := []loadview.File{{Name: "AGENTS.md", Data: agents}, {Name: "SOUL.md", Data: soul}, {Name: "IDENTITY.md", Missing: true},
			{Name: "MEMORY.md", Data: memory}}
		for i := range list {
			change(&list[i])
		}
		return list
	}
	same := func(*loadview.File) {}
	version := vault.VersionOf
	for _, tt := range []struct {
		name  string
		start Start
		want  map[string]Why // of the first line of a file, and with a + of the line in the middle
	}{
		{"whole", Start{Files: files(same)}, map[string]Why{"AGENTS.md": Whole, "MEMORY.md": Whole, "MEMORY.md+": Whole}},
		{"cut", Start{Files: files(same), Options: loadview.Options{FileLimit: 1000}},
			map[string]Why{"SOUL.md": Whole, "MEMORY.md": Whole, "MEMORY.md+": Cut}},
		{
			"displaced", Start{Files: files(same), Options: loadview.Options{TotalLimit: len(agents) + len(soul) + 60}},
			map[string]Why{"AGENTS.md": Whole, "MEMORY.md": Displaced},
		},
		{
			"excluded by the harness's record", Start{Files: files(func(f *loadview.File) {
				if f.Name == "MEMORY.md" {
					f.Excluded = time.Unix(5, 0)
				}
			})},
			map[string]Why{"SOUL.md": Whole, "MEMORY.md": Excluded},
		},
		{
			"not among what the harness loaded",
			Start{Files: files(same), Loaded: map[string]vault.Version{"AGENTS.md": version(agents), "SOUL.md": version(soul)}},
			map[string]Why{"AGENTS.md": Whole, "MEMORY.md": NotLoaded},
		},
		{
			"another text than the harness read",
			Start{Files: files(same), Loaded: map[string]vault.Version{"AGENTS.md": version(agents), "SOUL.md": "other", "MEMORY.md": ""}},
			map[string]Why{"AGENTS.md": Whole, "SOUL.md": Unknown, "MEMORY.md": Whole},
		},
		{
			"given by the hook", Start{
				Files: files(same), Options: loadview.Options{FileLimit: 1000},
				Given: []Given{{"MEMORY.md", memory, []loadview.Span{{From: 90, To: 110}}},
					{"memory/2026-11-02.md", facts(300, 302), []loadview.Span{{From: 2, To: 3}}}},
			},
			map[string]Why{"MEMORY.md+": Whole, "memory/2026-11-02.md": NotLoaded, "memory/2026-11-02.md+": Whole},
		},
		{"a group", Start{Files: files(same), Options: loadview.Options{Session: "group"}},
			map[string]Why{"SOUL.md": Whole, "MEMORY.md": NotLoaded}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.start.Layout = l
			s := Session{Files: Look(tt.start)}
			for name, want := range tt.want {
				path, middle := strings.CutSuffix(name, "+")
				f, ok := s.File(path)
				line := 1
				if middle {
					line = (f.Lines + 1) / 2
				}
				if got := f.Line(line); !ok || got != want {
					t.Errorf("%s: %q, want %q in %+v", name, got, want, f)
				}
			}
		})
	}
}

func TestFollow(t *testing.T) {
	at := func(day int) time.Time { return time.Date(2026, 11, day, 9, 0, 0, 0, time.UTC) }
	with := func(day int, why Why, text string) Session {
		f := File{Path: "MEMORY.md", Marks: MarksOf([]byte(text)), Why: why}
		return Session{ID: fmt.Sprint("s", day), At: at(day), Files: []File{f}}
	}
	const line, other = "- the port is 8443", "- something else"
	for _, tt := range []struct {
		name     string
		sessions []Session
		want     Life
	}{
		{"no sessions", nil, Life{}},
		{"never in a file", []Session{with(1, Whole, other)}, Life{Since: at(1)}},
		{"seen", []Session{with(1, Whole, other), with(2, Whole, line)},
			Life{Sessions: 1, Seen: 1, Since: at(1), Last: &Met{"s2", at(2), "MEMORY.md", Whole}}},
		{
			"seen, then cut", []Session{with(1, Whole, line+"\n"), with(2, Cut, "  "+line)},
			Life{Sessions: 2, Seen: 1, Since: at(1), Last: &Met{"s1", at(1), "MEMORY.md", Whole}, Unseen: &Met{"s2", at(2), "MEMORY.md", Cut}},
		},
		{"never seen", []Session{with(1, Excluded, line), with(2, Cut, line)},
			Life{Sessions: 2, Since: at(1), Unseen: &Met{"s2", at(2), "MEMORY.md", Cut}}},
		{
			"gone since", []Session{with(1, Whole, line), with(2, Whole, other)},
			Life{Sessions: 2, Seen: 1, Since: at(1), Last: &Met{"s1", at(1), "MEMORY.md", Whole}, Unseen: &Met{"s2", at(2), "", NotLoaded}},
		},
		{"a session of which nothing is known does not count", []Session{with(1, Whole, line), with(2, Unknown, "")},
			Life{Sessions: 1, Seen: 1, Since: at(1), Last: &Met{"s1", at(1), "MEMORY.md", Whole}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Follow(line, tt.sessions)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMarks(t *testing.T) {
	want := MarksOf([]byte("# Memory\n\n- a\r\n  - b\n- a"))
	if len(want) != 5 || want[1] != 0 || want[2] != want[4] || want[2] == want[3] {
		t.Errorf("%x", want)
	}
	data, err := json.Marshal(want)
	require.NoError(t, err)
	var got Marks
	require.NoError(t, json.Unmarshal(data, &got))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if json.Unmarshal([]byte(`"AAA"`), &got) == nil {
		t.Error("half a mark is accepted")
	}
}
