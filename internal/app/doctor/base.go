package doctor

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
)

func lookProgram(_ context.Context, p *patient) []Diagnosis {
	return fine("tend %s for %s/%s", p.Version, runtime.GOOS, runtime.GOARCH)
}

// lookConfig reads the configuration and opens what it names, read-only.
func lookConfig(ctx context.Context, p *patient) []Diagnosis {
	cfg, err := p.Config()
	if err != nil {
		return []Diagnosis{broken(p.Hint(err), "%s", textfmt.FirstLine(err.Error()))}
	}
	f, err := fleet.Open(cfg, fleet.Options{Clock: p.Clock})
	if err != nil {
		return []Diagnosis{broken(cmp.Or(p.Hint(err), "correct state_dir in "+cfg.Path), "%v", err)}
	}
	p.cfg, p.fleet = cfg, f
	for _, c := range cfg.Agents {
		ag, err := f.Agent(ctx, c.Name)
		if err != nil {
			p.shut[c.Name] = err
			continue
		}
		p.agents = append(p.agents, ag)
	}
	if len(cfg.Agents) == 0 {
		return []Diagnosis{warn("`tend init DIR` adds a workspace", "%s has no agents", cfg.Path)}
	}
	out := fine("%s, %s", cfg.Path, textfmt.Count(len(cfg.Agents), "agent"))
	for _, w := range cfg.Warnings {
		out = append(out, warn("", "%s", w))
	}
	return out
}

// lookClock reports a clock that is behind the ledger's own records: retention, immunity and day boundaries depend on
// it.
func lookClock(_ context.Context, p *patient) []Diagnosis {
	now := p.fleet.Clock()
	if now.Year() < 2025 || now.Year() > 2100 {
		return []Diagnosis{broken("set the machine's clock", "it is %s, which cannot be right", now.Format(time.RFC3339))}
	}
	for _, ag := range p.agents {
		last, err := ag.Ledger.Last()
		if err == nil && last != nil && last.At.After(now.Add(2*time.Minute)) {
			return []Diagnosis{warn("set the machine's clock; an earlier command may have used `--clock`",
				"it is %s, but %s has an action of %s", now.Format(time.RFC3339), ag.Name, last.At.Format(time.RFC3339))}
		}
	}
	zones := map[string]bool{}
	for _, ag := range p.cfg.Agents {
		zones[ag.Location.String()] = true
	}
	return fine("%s; agents in %s", now.Format("2006-01-02 15:04:05 MST"), textfmt.Count(len(zones), "time zone"))
}

// lookState writes, syncs and removes a small file in the ledger's folder.
func lookState(_ context.Context, p *patient) []Diagnosis {
	dir := p.cfg.StateDir
	i, err := os.Stat(dir)
	if errors.Is(err, os.ErrNotExist) {
		return note("%s does not exist yet; the first command that writes creates it", dir)
	}
	if err != nil {
		return []Diagnosis{broken("give it to the user who runs tend", "%v", err)}
	}
	if err := probeFolder(dir); err != nil {
		return []Diagnosis{broken("give it to the user who runs tend", "%s cannot be written: %v", dir, err)}
	}
	if i.Mode().Perm()&0o022 != 0 {
		return []Diagnosis{warn("chmod go-w "+dir, "%s can be written by others, who could then change the ledger", dir)}
	}
	return fine("%s can be written", dir)
}

func probeFolder(dir string) error {
	name := filepath.Join(dir, vault.TempPrefix+"probe-"+rand.Text())
	if err := vault.CreateFile(name, []byte("probe\n"), 0o600); err != nil {
		return err
	}
	return vault.RemoveFile(name)
}

func lookDisk(_ context.Context, p *patient) []Diagnosis {
	least := uint64(0)
	for _, ag := range p.cfg.Agents {
		least = max(least, uint64(policy.DiskMinFree.Of(ag.Policy)))
	}
	dir := p.cfg.StateDir
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	room, err := fsys.Space(dir)
	if err != nil {
		return []Diagnosis{warn("", "the free space of %s is unknown: %v", dir, err)}
	}
	free := room.Free
	if free < least {
		return []Diagnosis{warn("free some space: without it nothing can be archived, and so nothing is reset",
			"%s is left for %s, less than %s", policy.Size(int64(free)), dir, policy.Size(int64(least)))}
	}
	return fine("%s free for %s", policy.Size(int64(free)), dir)
}

func lookGit(ctx context.Context, _ *patient) []Diagnosis {
	path, err := exec.LookPath("git")
	if err != nil {
		return []Diagnosis{warn("install git; everything else works without it", "git is not installed, so no git history is kept")}
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return []Diagnosis{warn("repair git; everything else works without it", "%s does not run: %v", path, err)}
	}
	return fine("%s", strings.TrimSpace(string(out)))
}
