package setup

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/text/note"
)

// ShepherdConf finds memory-shepherd.conf in the places where that tool looks for it.
func ShepherdConf() (string, error) {
	places := []string{os.Getenv("MEMORY_SHEPHERD_CONF"), "memory-shepherd.conf", "/etc/memory-shepherd/memory-shepherd.conf"}
	for _, name := range places {
		if name == "" {
			continue
		}
		if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
			return name, nil
		}
	}
	return "", usererr.Usagef("name the file: `tend import PATH/memory-shepherd.conf`",
		"no memory-shepherd.conf: $MEMORY_SHEPHERD_CONF, the current folder and /etc/memory-shepherd were searched")
}

// shepherdNotes returns what users of Memory Shepherd must know before the first reset: baselines without a line or
// changed since they were signed off, old timers that still run, and where the old archives are.
func shepherdNotes(to string, text []byte, env config.Env) (notes, problems []config.Note) {
	cfg, err := config.Parse(to, text, env)
	if err != nil {
		return nil, nil
	}
	for _, a := range cfg.Agents {
		separator := policy.BaselineSeparator.Of(a.Policy)
		for _, b := range a.Baselines {
			data, err := fsys.ReadFile(b.Source)
			if err != nil {
				notes = append(notes, config.Note{Text: fmt.Sprintf("the baseline of %s cannot be read yet: %v", a.Name, err)})
				continue
			}
			if _, _, ok := note.FindLine(data, separator); !ok {
				problems = append(problems,
					config.Note{Text: fmt.Sprintf("%s has no line %q: all of %s would be the operator's, and approving it is refused without "+
						"--whole-file. End it with the line and a heading for the notes", b.Source, separator, b.File)})
			}
			switch checkDigest(b.Source, data) {
			case same:
				notes = append(notes, config.Note{Text: b.Source +
					" matches its digest in .checksums; Tend keeps digests of approved baselines itself"})
			case differs:
				problems = append(problems,
					config.Note{Text: b.Source + " does not match its digest in .checksums: it was changed after it was signed off. " +
						"Read it before you approve it"})
			}
		}
		if n := oldArchives(cfg, a.Name); n > 0 {
			notes = append(notes,
				config.Note{Text: fmt.Sprintf("%s of %s stay in %s: `tend past search` finds them, and Tend never changes or removes them",
					textfmt.Count(n, "old archive"), a.Name, a.ArchiveDir)})
		}
	}
	home, _ := os.UserHomeDir()
	for _, found := range oldTimers(home) {
		problems = append(problems, config.Note{Text: found})
	}
	return notes, problems
}

// verdict says how a baseline compares with its digest in .checksums.
type verdict int

const (
	unlisted verdict = iota
	same
	differs
)

// checkDigest compares a baseline with its digest in the .checksums file beside it, written by sha256sum.
func checkDigest(source string, data []byte) verdict {
	list, err := fsys.ReadFile(filepath.Join(filepath.Dir(source), ".checksums"))
	if err != nil {
		return unlisted
	}
	for line := range strings.Lines(string(list)) {
		digest, name, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && filepath.Base(strings.TrimLeft(name, " *")) == filepath.Base(source) {
			if strings.EqualFold(digest, string(vault.VersionOf(data))) {
				return same
			}
			return differs
		}
	}
	return unlisted
}

func oldArchives(cfg *config.Config, agent string) int {
	f, err := fleet.Open(cfg, fleet.Options{})
	if err != nil {
		return 0
	}
	defer f.Close()
	records, err := f.Records(agent)
	if err != nil {
		return 0
	}
	list, err := records.Ledger.Archive.Old()
	if err != nil {
		return 0
	}
	return len(list)
}

const oldTool = "memory-shepherd"

// oldTimers lists the systemd units and crontab lines that still start the old tool.
func oldTimers(home string) (list []string) {
	const why = ", which removes archives by age"
	for _, scope := range []struct{ dir, flag string }{{"/etc/systemd/system", ""},
		{filepath.Join(home, ".config", "systemd", "user"), "--user "}} {
		units, _ := filepath.Glob(filepath.Join(scope.dir, "*.timer"))
		for _, name := range units {
			if !startsOldTool(name) {
				continue
			}
			state := cmp.Or(unitState(scope.flag, filepath.Base(name)), "installed")
			list = append(list, fmt.Sprintf("%s (%s) still runs the old tool%s: disable it before Tend takes over (`systemctl "+
				"%sdisable --now %s`)", name, state, why, scope.flag, filepath.Base(name)))
		}
	}
	tabs, _ := filepath.Glob("/etc/cron.d/*")
	for _, name := range append(tabs, "/etc/crontab") {
		if data, err := fsys.ReadFile(name); err == nil {
			list = append(list, cronLines(name, data, why)...)
		}
	}
	if data, ok := outputOf("crontab", "-l"); ok {
		list = append(list, cronLines("your crontab", data, why)...)
	}
	return list
}

// startsOldTool reports whether a timer has the old tool's name or starts a service that runs it.
func startsOldTool(timer string) bool {
	if strings.Contains(filepath.Base(timer), oldTool) {
		return true
	}
	service, err := fsys.ReadFile(strings.TrimSuffix(timer, ".timer") + ".service")
	return err == nil && bytes.Contains(service, []byte(oldTool))
}

func cronLines(where string, tab []byte, why string) (list []string) {
	lines := bufio.NewScanner(bytes.NewReader(tab))
	for n := 1; lines.Scan(); n++ {
		if line := strings.TrimSpace(lines.Text()); strings.Contains(line, oldTool) && !strings.HasPrefix(line, "#") {
			list = append(list, fmt.Sprintf("line %d of %s still runs the old tool%s: remove it before Tend takes over: %s", n, where, why, line))
		}
	}
	return list
}

// unitState returns what systemd says about a unit: active, inactive. "" without systemd.
func unitState(flag, unit string) string {
	args := slices.DeleteFunc([]string{strings.TrimSpace(flag), "is-active", unit}, func(s string) bool { return s == "" })
	out, _ := outputOf("systemctl", args...)
	return strings.TrimSpace(string(out))
}

// outputOf returns the output of a program that changes nothing; not ok if it is missing or fails.
func outputOf(name string, args ...string) ([]byte, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).Output()
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrPermission) {
		return nil, false
	}
	return out, err == nil
}
