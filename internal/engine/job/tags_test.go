package job

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tend/internal/disk/vault"
)

func TestTags(t *testing.T) {
	in := night{layout: v4, files: one(
		"MEMORY.md", hotHead+"\n- [decision] a\n- [decision, lesson] b\n- [todo] c\n- [link](x.md) d\n- [x] done\n",
		infra, "# Infra\n#tags: docker, Zebra\n",
		dailyFile, "- 09:00 [decision] x\n",
	)}.input(t)
	want := []TagUse{
		{Tag: "decision", Kind: EntryTag, Count: 3, Known: true, Files: []vault.Path{"MEMORY.md", dailyFile}},
		{Tag: "lesson", Kind: EntryTag, Count: 1, Known: true, Files: []vault.Path{"MEMORY.md"}},
		{Tag: "todo", Kind: EntryTag, Count: 1, Files: []vault.Path{"MEMORY.md"}},
		{Tag: "docker", Kind: FileTag, Count: 1, Known: true, Files: []vault.Path{infra}},
		{Tag: "memory", Kind: FileTag, Count: 1, Known: true, Files: []vault.Path{"MEMORY.md"}},
		{Tag: "zebra", Kind: FileTag, Count: 1, Files: []vault.Path{infra}},
	}
	if diff := cmp.Diff(want, Tags(in)); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
}

func TestRenameTag(t *testing.T) {
	for _, tt := range []struct {
		name     string
		n        night
		from, to string
		want     map[string]string
		sum      string
	}{
		{
			name: "on entries", from: "decision", to: "[Lesson]",
			n: night{files: one("MEMORY.md",
				"- [decision] a [decision]\n- [Decision/human] b\n- [decisions](x.md) c\n  - [decision] nested\n- no [decision] in words\n",
				"memory/2026-11-14.md", "- [decision] past\n", "memory/2026-11-15.md", "- 09:00 [decision] today\r\n")},
			want: one("MEMORY.md", "- [lesson] a [lesson]\n- [lesson/human] b\n- [decisions](x.md) c\n"+
				"  - [lesson] nested\n- no [decision] in words\n",
				"memory/2026-11-15.md", "- 09:00 [lesson] today\r\n"),
			sum: "on 4 entries and 0 files; left alone in 1 files",
		},
		{
			name: "on files, and only there", from: "ubuntu", to: "docker",
			n: night{layout: v4, files: one(infra, "# Infra\n#tags: Ubuntu, ssh\nubuntu\n", "MEMORY.md",
				"# m\n#tags: ssh ubuntu\n- [ubuntu] x\n")},
			want: one(infra, "# Infra\n#tags: docker, ssh\nubuntu\n", "MEMORY.md", "# m\n#tags: ssh docker\n- [ubuntu] x\n"),
			sum:  "on 0 entries and 2 files",
		},
		{
			name: "two become one", from: "ubuntu", to: "docker",
			n:    night{layout: v4, files: one(infra, "# Infra\n#tags: docker, ubuntu\n")},
			want: one(infra, "# Infra\n#tags: docker\n"), sum: "1 files",
		},
		{
			name: "the operator's text is left", from: "decision", to: "lesson",
			n: night{files: one("MEMORY.md", "- [decision] rule\n---\n- [decision] note\n", "TOOLS.md", "- [decision] x\n"),
				base: one("MEMORY.md", "- [decision] rule\n---\n")},
			want: one("TOOLS.md", "- [lesson] x\n"), sum: "left alone in 1 files",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := tt.n.input(t)
			pl, err := RenameTag(in, tt.from, tt.to)
			must(t, err)
			got := map[string]string{}
			for _, c := range pl.Changes {
				got[string(c.Path)] = text(in, pl, string(c.Path))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if !strings.Contains(pl.Summary, tt.sum) {
				t.Errorf("got %q, want %q", pl.Summary, tt.sum)
			}
		})
	}
}

func TestRenameTagRefuses(t *testing.T) {
	in := night{layout: v4, files: one(infra, "# Infra\n#tags: docker\n- [decision] x\n")}.input(t)
	for _, tt := range []struct {
		from, to, why string
		usage         bool
	}{
		{"docker", "podman", "not in the vocabulary", false},
		{"decision", "choice", "not a tag for entries", false},
		{"nothing", "ssh", "no entry or file has the tag", true},
		{"docker", "docker", "cannot become", true},
		{"docker", `do"cker`, "cannot become", true},
	} {
		pl, err := RenameTag(in, tt.from, tt.to)
		var r *Refusal
		if !errors.As(err, &r) || !strings.Contains(r.Why, tt.why) || r.Usage != tt.usage || !pl.Empty() {
			t.Errorf("%s to %s: got %v, want a refusal with %q", tt.from, tt.to, err, tt.why)
		}
	}
}
