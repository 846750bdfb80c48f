package memfs_test

import (
	"fmt"
	"io"

	"tend/internal/disk/fsys/memfs"
)

// A file is replaced without a sync of its folder. Losing power right after the
// rename was reported leaves the old text in some states.
func Example() {
	disk := memfs.New()
	tree, _ := disk.Tree("ws")
	_ = disk.WriteFile("ws/MEMORY.md", "old")
	disk.Record() // what is there now is durable

	f, _ := tree.Create("tmp", 0o600)
	_, _ = io.WriteString(f, "new")
	_ = f.Sync()
	_ = f.Close()
	_ = tree.Rename("tmp", "MEMORY.md")
	acked := disk.Len()

	for n, state := range disk.EveryCrash(memfs.Limits{}) {
		if n < acked {
			continue
		}
		text, _ := state.ReadFile("ws/MEMORY.md")
		fmt.Println(text)
	}
	// Output:
	// old
	// old
	// new
}
