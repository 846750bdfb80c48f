package memfs_test

import (
	"testing"

	"tend/internal/disk/fsys/fsystest"
	"tend/internal/disk/fsys/memfs"
)

func TestConformance(t *testing.T) {
	fsystest.Run(t, func(t *testing.T) fsystest.Host {
		d := memfs.New()
		must(t, d.MkdirAll("host/outside"))
		must(t, d.WriteFile("host/outside/secret", "secret"))
		return fsystest.Host{
			FS:         treeOf(t, d, "host/tree"),
			Near:       treeOf(t, d, "host/near"),
			Far:        treeOf(t, memfs.New(), "."),
			Outside:    "../outside",
			OutsideAbs: "/host/outside",
			Secrets:    func() map[string]string { return d.Files("host/outside") },
			Symlink:    func(target, name string) error { return d.Symlink(target, "host/tree/"+name) },
			Mkfifo:     func(name string) error { return d.Mkfifo("host/tree/" + name) },
			Rename:     func(from, to string) error { return d.Rename("host/tree/"+from, "host/tree/"+to) },
			GivesAway:  true,
		}
	})
}
