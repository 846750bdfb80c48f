package job

import (
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
