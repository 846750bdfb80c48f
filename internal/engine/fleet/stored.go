package fleet

import (
	"path"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/state/ledger"
)

// checkStored verifies what Tend keeps of an agent, and lists what is still set aside in the workspace. It never returns
// nil, which would mean that it was not checked.
func (a *Agent) checkStored(in job.Input) []finding.Finding {
	found := []finding.Finding{}
	switch breaks, err := a.Ledger.Verify(); {
	case err != nil:
		found = append(found, finding.LedgerBroken.In("", "%v", err))
	case len(breaks) > 0:
		found = append(found, finding.LedgerBroken.In("", "the chain breaks at %s", strings.Join(breaks[:min(3, len(breaks))], ", ")))
	}
	found = append(found, CheckArchives(a.Ledger)...)
	found = append(found, a.History.Check()...)
	return append(found, a.Files.findAside(in)...)
}

// CheckArchives reports archives that are missing or were changed.
func CheckArchives(l *ledger.Ledger) []finding.Finding {
	missing, changed, err := l.VerifyArchives()
	if err != nil {
		return nil // reported as the ledger's own damage
	}
	var found []finding.Finding
	if n := len(missing); n > 0 {
		found = append(found, finding.ArchiveDamaged.In("", "%d missing, the newest is %s", n, missing[0]))
	}
	if n := len(changed); n > 0 {
		found = append(found, finding.ArchiveDamaged.In("", "%d not as written, the newest is %s", n, changed[0]))
	}
	return found
}

// findAside lists what was set aside beside the memory files.
func (f *Files) findAside(in job.Input) []finding.Finding {
	dirs := map[string]bool{".": true}
	for p := range in.Files {
		dirs[path.Dir(string(p))] = true
	}
	var found []finding.Finding
	for dir := range dirs {
		infos, err := f.ws.ReadDir(dir)
		if err != nil {
			continue // Files.read reports it
		}
		for _, i := range infos {
			if vault.IsAside(i.Name) {
				name := path.Join(dir, i.Name)
				found = append(found, finding.SetAside.In(name, "%s was set aside: it was in the place of a memory file and is not a regular file",
					name))
			}
		}
	}
	finding.Sort(found)
	return found
}
