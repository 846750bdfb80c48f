package job

import (
	"bytes"
	"path"
	"slices"

	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/policy"
	"tend/internal/vault"
)

// Others lists the files beside markdown that jobs look into: a list of tasks, and what another tool's rotation left.
func Others(l layout.Layout) []vault.Path {
	out := HalfRotated(l)
	if p := l.Path(layout.Tasks, ""); path.Ext(p) == ".json" {
		out = append(out, vault.Path(p))
	}
	return out
}

// HalfRotated are the names under which other tools leave a buffer whose rotation they did not finish.
func HalfRotated(l layout.Layout) []vault.Path {
	var out []vault.Path
	for _, p := range l.Paths(layout.Buffer, "") {
		out = append(out, vault.Path(p+".pending"), vault.Path(p+".rotating"))
	}
	return out
}

// takeHalfRotated brings into today's log what another tool's rotation left behind, once
// that tool is surely done with it. What does not begin as a buffer does is no buffer and
// stays for a person to look at; what a log has already is not written again.
func (d *draft) takeHalfRotated() string {
	log := vault.Path(d.Layout.Path(layout.Daily, d.Today().String()))
	n := 0
	for _, p := range HalfRotated(d.Layout) {
		doc := d.File(p)
		b := note.ParseBuffer(doc.Data, d.Now.Location())
		if log == "" || doc.Version == vault.Absent || !b.Valid || d.Now.Sub(doc.ModTime) < policy.BufferStale.Of(d.Policy).Std() {
			continue
		}
		body := bytes.TrimSpace(b.Notes())
		logged := slices.ContainsFunc(d.Logs(), func(l Log) bool { return bytes.Contains(l.Data, body) })
		if len(body) > 0 && !logged {
			d.addTo(log, rotated(d.Input, "[RECOVERED: PENDING]", b), "take in a buffer whose rotation was cut off")
		}
		d.remove(p, "its text is in the log")
		n++
	}
	if n == 0 {
		return ""
	}
	return several(n, "half-done rotation") + " taken in"
}
