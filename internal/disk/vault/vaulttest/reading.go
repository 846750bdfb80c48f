package vaulttest

import (
	"errors"
	"fmt"
	"strings"

	"tend/internal/disk/vault"
)

func reading() []test {
	return []test{
		{"read returns every byte", func(b bench) {
			for i, text := range []string{"", "one\n", "no newline", "crlf\r\n\r\n", "nul \x00 and \xff\xfe",
				strings.Repeat("long line\n", 100_000)} {
				name := fmt.Sprintf("%d.md", i)
				b.has(name, text)
				b.holds(name, text)
			}
		}},
		{"read of a missing file", func(b bench) {
			b.gone("a.md")
			b.gone("no/such/folder/a.md")
		}},
		{"read of a folder", func(b bench) {
			b.must(b.Agent.MkdirAll("dir"))
			if _, err := b.Vault.Read(b.ctx, "dir"); err == nil || errors.Is(err, vault.ErrAbsent) {
				b.Errorf("read: %v, want another error than %v", err, vault.ErrAbsent)
			}
		}},
		{"read of a FIFO is refused and does not block", func(b bench) {
			b.must(b.Agent.Mkfifo("pipe.md"))
			b.fails("read", func() error { _, err := b.Vault.Read(b.ctx, "pipe.md"); return err }, vault.ErrRefused)
			b.fails("stage", func() error { _, err := b.tryStage(change("pipe.md", "x", vault.Absent)); return err }, vault.ErrRefused)
			b.fails("append", func() error { return b.Vault.Append(b.ctx, "pipe.md", []byte("x")) }, vault.ErrRefused)
		}},
		{"list", list},
		{"list of a missing folder", func(b bench) {
			b.fails("list", func() error { _, err := b.Vault.List(b.ctx, "nowhere"); return err }, vault.ErrAbsent)
		}},
	}
}

func list(b bench) {
	b.must(b.Agent.MkdirAll("memory/deep"))
	b.has("b.md", "four")
	b.has("a.md", "")
	b.has("memory/c.md", "c")
	b.has(vault.TempPrefix+"x", "not for anybody")
	b.must(b.Agent.Mkfifo("pipe"))
	b.must(b.Agent.Symlink("b.md", "to-file"))
	b.must(b.Agent.Symlink("memory", "to-folder"))
	b.must(b.Agent.Symlink("../outside", "to-outside"))
	b.must(b.Agent.Symlink("nothing", "to-nothing"))

	infos, err := b.Vault.List(b.ctx, "")
	b.must(err)
	var got []string
	for _, i := range infos {
		kind := "file"
		switch {
		case i.Dir:
			kind = "dir"
		case i.Special:
			kind = "special"
		}
		got = append(got, fmt.Sprintf("%s:%s", i.Path, kind))
	}
	want := "a.md:file b.md:file memory:dir pipe:special to-file:file to-folder:dir to-nothing:special to-outside:special"
	if strings.Join(got, " ") != want {
		b.Errorf("list: %v, want %s", got, want)
	}
	for _, i := range infos {
		if (i.Path == "b.md" || i.Path == "to-file") && i.Size != 4 {
			b.Errorf("%s has %d bytes, want 4", i.Path, i.Size)
		}
	}
	infos, err = b.Vault.List(b.ctx, "memory")
	b.must(err)
	if len(infos) != 2 || infos[0].Path != "memory/c.md" || infos[1].Path != "memory/deep" {
		b.Errorf("list of memory: %v", infos)
	}
}
