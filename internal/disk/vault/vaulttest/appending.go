package vaulttest

import (
	"fmt"
	"strings"
	"sync"

	"tend/internal/disk/vault"
)

func appending() []test {
	return []test{
		{"append creates a file and its folders", func(b bench) {
			b.must(b.Vault.Append(b.ctx, "memory/2026/a.md", []byte("one\n")))
			b.must(b.Vault.Append(b.ctx, "memory/2026/a.md", []byte("two\n")))
			b.must(b.Vault.Sync(b.ctx))
			b.holds("memory/2026/a.md", "one\ntwo\n")
		}},
		{"append keeps mode and owner", func(b bench) {
			b.has("a.md", "one\n")
			b.must(b.Agent.Chmod("a.md", 0o600, 0))
			b.must(b.Vault.Append(b.ctx, "a.md", []byte("two\n")))
			if mode, _, err := b.Agent.Mode("a.md"); err != nil || mode != 0o600 {
				b.Errorf("mode %o, %v", mode, err)
			}
		}},
		{"concurrent appends", func(b bench) {
			const each = 40
			var wg sync.WaitGroup
			writers := []func(string) error{
				func(s string) error { return b.Vault.Append(b.ctx, "a.md", []byte(s)) },
				func(s string) error { return b.Other.Append(b.ctx, "a.md", []byte(s)) },
				func(s string) error { return b.Agent.AppendFile("a.md", s) },
			}
			for i, write := range writers {
				wg.Go(func() {
					for n := range each {
						if err := write(fmt.Sprintf("line %d of writer %d\n", n, i)); err != nil {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
			doc, err := b.Vault.Read(b.ctx, "a.md")
			b.must(err)
			for i := range writers {
				for n := range each {
					if line := fmt.Sprintf("line %d of writer %d\n", n, i); strings.Count(string(doc.Data), line) != 1 {
						b.Errorf("%q is there %d times", line, strings.Count(string(doc.Data), line))
					}
				}
			}
		}},
		{"concurrent reads and writes", func(b bench) {
			var wg sync.WaitGroup
			for i := range 4 {
				name := fmt.Sprintf("%d.md", i)
				at := b.has(name, "0")
				wg.Go(func() {
					for n := range 20 {
						c := change(name, fmt.Sprint(n+1), at)
						c.ID = fmt.Sprintf("15fk3g00%d%d", i, n+10)[:10]
						s, err := b.tryStage(c)
						if err == nil {
							_, err = s.Commit(b.ctx)
						}
						if err != nil {
							b.Error(err)
							return
						}
						at = vault.VersionOf(c.Data)
						if _, err := b.Other.List(b.ctx, ""); err != nil {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
			b.must(b.Vault.Sync(b.ctx))
			b.holds("3.md", "20")
		}},
	}
}
