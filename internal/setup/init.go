// Package setup brings agents into a configuration and out of it: init, import, adopt, export.
package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/config"
	"tend/internal/fault"
	"tend/internal/fleet"
	"tend/internal/layout"
	"tend/internal/note"
	"tend/internal/policy"
	"tend/internal/vault"
)

// InitRequest asks for a workspace to be added to a configuration.
type InitRequest struct {
	Dir    string
	To     string // the configuration to write
	Name   string // "" for one made from the folder's
	Layout string // "" to detect it
	DryRun bool
}

// Drafted is a baseline that was drafted from a file of the workspace.
type Drafted struct {
	File, Source string
	Bytes        int      `json:"-"`
	Advice       []string `json:"-"` // what to do to it before it is approved
}

// Initiated says what Init wrote, or would write.
type Initiated struct {
	Agent     string    `json:"agent"`
	Layout    string    `json:"layout"`
	Why       []string  `json:"why"`
	Config    string    `json:"config"`
	Baselines []Drafted `json:"baselines"`
	DryRun    bool      `json:"dry_run"`
	Diff      string    `json:"diff,omitempty"` // in a dry run
	Hot       string    `json:"-"`              // the layout's memory file
}

// Init recognises the harness of a workspace and adds it to a configuration. The workspace is not changed.
func Init(req InitRequest) (out Initiated, err error) {
	env, err := config.OSEnv()
	if err != nil {
		return out, err
	}
	ws, err := filepath.Abs(req.Dir)
	if err != nil {
		return out, err
	}
	if st, err := os.Stat(ws); err != nil || !st.IsDir() {
		return out, fault.Usagef("name the folder the agent's memory is in", "%s is not a folder", ws)
	}
	to, err := filepath.Abs(req.To)
	if err != nil {
		return out, err
	}
	if filepath.Dir(to) == ws {
		// State and baselines stand beside tend.yaml, and must be out of the agent's reach.
		return out, fault.Usagef("`tend init "+req.Dir+" --to ~/tend/tend.yaml`, or run it from another folder", "tend.yaml would stand inside the workspace, within the agent's reach")
	}
	ref, why, err := Detect(ws, req.Layout)
	if err != nil {
		return out, err
	}
	l, err := layout.Preset(ref)
	if err != nil {
		return out, fault.Usage(err)
	}
	name := req.Name
	if name == "" {
		name = AgentName(ws)
	}
	if !config.ValidName(name) {
		return out, fault.Usagef("choose another with --name", "%q cannot be an agent's name", name)
	}
	out = Initiated{Agent: name, Layout: ref, Why: why, Config: to, Baselines: []Drafted{}, DryRun: req.DryRun, Hot: l.Path(layout.Hot, "")}
	draft := config.AgentDraft{Name: name, Workspace: ws, Layout: ref}
	text, err := fleet.ReadPlain(filepath.Join(ws, filepath.FromSlash(out.Hot)), int64(policy.FileMaxRead.Of(policy.Policy{})))
	if large := (*vault.TooLargeError)(nil); errors.As(err, &large) {
		return out, fault.Refusef("cut it by hand first: it cannot be a baseline", "%s: %w", out.Hot, err)
	}
	source := filepath.Join(filepath.Dir(to), "baselines", name+".md")
	if out.Hot != "" && err == nil {
		draft.Baselines = []config.BaselineDraft{{File: out.Hot, Source: "baselines/" + name + ".md"}}
		out.Baselines = append(out.Baselines, Drafted{File: out.Hot, Source: draft.Baselines[0].Source, Bytes: len(text), Advice: draftAdvice(out.Hot, text)})
	}
	config, err := renderInit(to, draft, env)
	if err != nil {
		return out, err
	}
	if req.DryRun {
		old, _ := os.ReadFile(to)
		out.Diff = udiff.Unified(to, to, string(old), string(config))
		if len(draft.Baselines) > 0 {
			out.Diff += udiff.Unified(os.DevNull, source, "", string(text))
		}
		return out, nil
	}
	if len(draft.Baselines) > 0 {
		if err := createFile(source, text); err != nil {
			return out, err
		}
	}
	return out, vault.ReplaceFile(to, config, 0o644)
}

// draftAdvice is what must be done to a draft before it can be a baseline.
func draftAdvice(file string, text []byte) (list []string) {
	_, end, ok := note.FindLine(text, note.Separator)
	switch {
	case !ok:
		list = append(list, "It has no line: as it is all of "+file+" would be yours, and every note the agent adds would be drift. End it with a line `---` and a heading for the notes.")
	case note.Lines(bytes.TrimSpace(text[end:])) > 1:
		list = append(list, "Below its last `---` stand notes: cut them from the draft, or every reset brings them back.")
	}
	if min := policy.BaselineMinBytes.Of(policy.Policy{}); len(text) < min {
		list = append(list, fmt.Sprintf("It has %d bytes; under %d (baseline.min_bytes) it is taken for damaged.", len(text), min))
	}
	return list
}

// renderInit is the new tend.yaml, or the old one with the agent added.
func renderInit(to string, agent config.AgentDraft, env config.Env) ([]byte, error) {
	old, err := os.ReadFile(to)
	if err == nil {
		out, err := config.Append(to, old, agent, env)
		if err != nil {
			return nil, &fault.Error{Code: fault.CodeUsage, Err: err, Hint: "--name gives the agent another name, --to names another file"}
		}
		return out, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	d := config.Draft{StateDir: "./state", Timezone: LocalZone(), Agents: []config.AgentDraft{agent}}
	out := config.Render(d)
	_, err = config.Parse(to, out, env)
	return out, err
}

// Detect recognises the harness of a folder.
func Detect(ws, given string) (ref string, why []string, err error) {
	if given != "" {
		return given, []string{"as told"}, nil
	}
	var paths []string
	err = filepath.WalkDir(ws, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read cannot tell either
		}
		rel, err := filepath.Rel(ws, p)
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || strings.Count(rel, string(filepath.Separator)) > 4) {
			return fs.SkipDir
		}
		if !d.IsDir() && len(paths) < 5000 {
			paths = append(paths, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		return "", nil, err
	}
	guesses, err := layout.Detect(paths, func(p string) []byte {
		name := filepath.Join(ws, filepath.FromSlash(p))
		if st, err := os.Stat(name); err != nil || !st.Mode().IsRegular() || st.Size() > 1<<20 {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil
		}
		return data
	})
	if err != nil {
		return "", nil, err
	}
	if len(guesses) == 0 {
		return "shepherd", []string{"no harness recognised: one memory file with a line in it"}, nil
	}
	return guesses[0].Ref, guesses[0].Reasons, nil
}

// AgentName is a name for the agent of a workspace, from its folder.
func AgentName(ws string) string {
	base := strings.ToLower(filepath.Base(ws))
	if base == "workspace" || base == "memory" || strings.HasPrefix(base, ".") {
		base = strings.ToLower(strings.TrimLeft(filepath.Base(filepath.Dir(ws)), "."))
	}
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, base), "-")
}

// LocalZone is the name of this machine's time zone.
func LocalZone() string {
	if name := time.Local.String(); name != "Local" {
		return name
	}
	if target, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, ok := strings.Cut(target, "zoneinfo/"); ok {
			return name
		}
	}
	return "UTC"
}

// createFile writes a baseline that must not exist yet.
func createFile(name string, data []byte) error {
	err := vault.CreateFile(name, data, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fault.Refusef("move it away, or choose another --name", "%s is there already", name)
	}
	return err
}
