package workcopy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"slices"
	"tend/internal/disk/vault"
	"tend/internal/state/ledger"
	"tend/internal/sync/journal"
)

// month is a file of the ledger as the journal has it. It only grows and can be long, so only the added lines are
// hashed.
type month struct {
	name    string
	version vault.Version
	size    int64
	sum     hash.Hash
}

// grow adds lines to a file of the ledger.
func (m *Mirror) grow(ctx context.Context, c *Copy, b *builder, name string, lines []byte) error {
	g := m.month
	if tree, at, _ := c.file(name); g.name == name && g.version == b.tree[name] && g.version != "" {
		if i, err := tree.Lstat(at); err == nil && i.Size == g.size {
			b.grow(&g, lines)
			m.month = g // valid once the journal has this version
			return nil
		}
	}
	text, err := c.read(ctx, name)
	if err != nil {
		return err
	}
	sum := sha256.New()
	sum.Write(text)
	g = month{name: name, version: versionOf(sum), size: int64(len(text)), sum: sum}
	if text != nil && g.version == b.tree[name] {
		b.grow(&g, lines)
		m.month = g
		return nil
	}
	b.known(name, text)
	b.put(name, append(slices.Clip(text), lines...))
	return nil
}

func versionOf(sum hash.Hash) vault.Version { return vault.Version(hex.EncodeToString(sum.Sum(nil))) }

// grow adds lines to a file that matches the journal.
func (b *builder) grow(g *month, lines []byte) {
	c := journal.Change{Path: g.name, Before: g.version, Edit: &ledger.Edit{At: int(g.size), Text: lines}}
	sum, err := g.sum.(hash.Cloner).Clone()
	if err != nil {
		b.err = err
		return
	}
	sum.Write(lines)
	g.sum, g.version, g.size = sum, versionOf(sum), g.size+int64(len(lines))
	c.After = g.version
	b.Changes = append(b.Changes, c)
	b.after[g.name] = g.version
}
