package purge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/engine/transfer"
	"tend/internal/state/ledger"
)

// cleanedFiles are the files beside the ledger that are not recreated: the text in them is replaced. Any other file that
// contains it is deleted.
var cleanedFiles = []string{"proposals.json", "acks.json", "findings.json", "runs.json"}

// skippedFiles are cleaned elsewhere, or that have only digests, counts and times.
var skippedFiles = []string{"lock", receipts, "approvals.json", "approved.json", "slots.json", "made.json", "position.json", "agent.json"}

// cleanState removes the text from the files beside the ledger. It is cut from proposals and findings; hints, and texts kept
// of the last sync, are deleted if they contain it.
func cleanState(a *fleet.Agent, p ledger.Purge, r *Receipt) error {
	state := a.State()
	home := path.Join("agents", a.Name)
	for _, dir := range []string{home, path.Join(home, "store"), path.Join(home, "store", "base"), transfer.OriginDir(a.Name),
		path.Join("baselines", a.Name)} {
		infos, err := state.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, i := range infos {
			if !i.Mode.IsRegular() || slices.Contains(skippedFiles, i.Name) {
				continue
			}
			found, err := cleanStateFile(state, p, path.Join(dir, i.Name))
			if err != nil {
				return err
			}
			if found {
				name, _ := p.CleanName(i.Name)
				r.Other = append(r.Other, path.Join(dir, name))
			}
		}
	}
	return nil
}

// cleanStateFile cleans or deletes one file.
func cleanStateFile(state fsys.FS, p ledger.Purge, name string) (found bool, err error) {
	data, err := vault.ReadFile(state, name)
	if err != nil {
		return false, err
	}
	if slices.Contains(cleanedFiles, path.Base(name)) {
		out, found := cleanJSON(data, p)
		if !found || p.DryRun {
			return found, nil
		}
		return true, vault.WriteOver(state, vault.SyncEach{}, name, out, 0o600)
	}
	if !containsText(p, data) {
		return false, nil
	}
	if p.DryRun {
		return true, nil
	}
	return true, state.Remove(name)
}

// containsText reports whether a file contains the text, as it is or as JSON writes it.
func containsText(p ledger.Purge, data []byte) bool {
	if p.Holds(data) {
		return true
	}
	escaped, err := json.Marshal(string(p.Text))
	return err == nil && ledger.Purge{Text: escaped[1 : len(escaped)-1]}.Holds(data)
}

// proseFields are the fields of JSON records that have what somebody wrote. Others have ids, states, times and digests, and
// are left to Tend: a short text is in many of them by coincidence.
var proseFields = []string{"text", "why", "reason", "entry", "was", "error", "diff", "tags", "summary", "detail"}

// nameFields are the fields of JSON records that name files.
var nameFields = []string{"file", "target", "path", "place"}

// cleanJSON removes the text from the prose and the file names of a JSON file.
func cleanJSON(data []byte, p ledger.Purge) ([]byte, bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var all any
	if d.Decode(&all) != nil {
		return data, false
	}
	w := walker{p: p}
	all = w.walk(all, "")
	if !w.holds {
		return data, false
	}
	out, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return data, false
	}
	return append(out, '\n'), true
}

type walker struct {
	p     ledger.Purge
	holds bool
}

// walk cleans a value; key is the field it is in. JSON's own decoder limits how deep values are nested.
func (w *walker) walk(v any, key string) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = w.walk(x, k)
		}
	case []any:
		for i, x := range v {
			v[i] = w.walk(x, key)
		}
	case string:
		switch {
		case slices.Contains(proseFields, key) && w.p.Holds([]byte(v)):
			w.holds = true
			out, exact := w.p.Clean([]byte(v))
			if !exact { // it is normalised to lower case
				return w.p.Mark
			}
			return string(out)
		case slices.Contains(nameFields, key):
			out, yes := w.p.CleanPath(vault.Path(v))
			w.holds = w.holds || yes
			return string(out)
		}
	}
	return v
}

// minCertain is the length in bytes from which it cannot be a coincidence that a file of Tend's contains a text.
const minCertain = 8

// listLeft adds to the receipt the places that still have the text.
func listLeft(ctx context.Context, a *fleet.Agent, p ledger.Purge, r *Receipt) error {
	leave := func(format string, args ...any) {
		out, _ := p.Clean(fmt.Appendf(nil, format, args...))
		r.Left = append(r.Left, string(out))
	}
	if !p.Names() {
		files, err := a.Input(ctx)
		if err != nil {
			return err
		}
		n := 0
		for f := range files.Files {
			if stem := strings.TrimSuffix(f.Base(), path.Ext(f.Base())); strings.Contains(stem, string(p.Text)) {
				n++
			}
		}
		if n > 0 {
			leave("the names of %d files: a text of fewer than 4 bytes is not removed from names; rename them if it is meant", n)
		}
	}
	if saved, ok, err := a.Saved(); err != nil {
		return err
	} else if ok && r.Found() {
		leave("the store: entries of its journal up to %d may have it; the next sync removes it from the other machines, but not "+
			"from those entries", saved.Position.N)
	}
	if len(p.Text) < minCertain {
		return nil
	}
	for _, dir := range []string{"agents", "trash", "baselines", "history"} {
		err := fsys.Walk(a.State(), path.Join(dir, a.Name), func(name string, i fsys.Info) error {
			if i.IsDir() || !i.Mode.IsRegular() {
				return nil
			}
			read := vault.ReadFile
			if path.Base(path.Dir(name)) == "ledger" {
				read = ledger.ReadMonth
			}
			data, err := read(a.State(), name)
			if err == nil && (bytes.Contains(data, p.Text) || bytes.Contains([]byte(name), p.Text)) {
				leave("%s of the state folder", name)
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
