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

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/model/usererr"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// InitRequest asks for workspaces to be added to a configuration.
type InitRequest struct {
	Dirs   []string
	To     string // the configuration to write; "" for the one in use, else the user's
	Name   string // the agent's name, for a single workspace; "" for the harness's name
	Layout string // the layout of the folders; "" to detect it
	DryRun bool
}

// Drafted is a baseline that was drafted from one of the operator's files.
type Drafted struct {
	File    string   `json:"file"`
	Source  string   `json:"source"`
	Bytes   int      `json:"bytes"`
	Whole   bool     `json:"whole_file"`        // it has no line: the whole file is the operator's
	Invited bool     `json:"invited,omitempty"` // its text invites the agent to change it: changes are only reported
	Advice  []string `json:"advice,omitempty"`  // what to change before it is approved
	text    []byte
}

// Added is a workspace that was added.
type Added struct {
	Workspace
	Baselines []Drafted `json:"baselines"`
}

// Initiated says what Init wrote, or would write.
type Initiated struct {
	Config string   `json:"config"`
	New    bool     `json:"new"` // the configuration is new
	Agents []Added  `json:"agents"`
	Known  []string `json:"known"` // agents that have one of the workspaces already
	// Recorded is the number of files whose texts are kept now; Unrecorded says why those of an agent are not.
	Recorded   int      `json:"recorded"`
	Unrecorded []string `json:"unrecorded,omitempty"`
	DryRun     bool     `json:"dry_run"`
	Diff       string   `json:"diff,omitempty"` // in a dry run
}

// Drafts counts the baselines that wait for approval.
func (i Initiated) Drafts() (n int) {
	for _, a := range i.Agents {
		n += len(a.Baselines)
	}
	return n
}

// Init adds the workspaces in and below folders to a configuration, and drafts a baseline for each file that the layout
// gives to the operator. A draft has no effect until it is approved. The workspaces are not changed.
func Init(req InitRequest) (out Initiated, err error) {
	env, err := config.OSEnv()
	if err != nil {
		return out, err
	}
	if out.Config, err = target(req.To, env); err != nil {
		return out, err
	}
	out.DryRun, out.Agents, out.Known = req.DryRun, []Added{}, []string{}
	found, err := req.findWorkspaces()
	if err != nil {
		return out, err
	}
	old, err := fsys.ReadFile(out.Config)
	if out.New = errors.Is(err, fs.ErrNotExist); err != nil && !out.New {
		return out, err
	}
	text := old
	if out.New {
		text = emptyConfig(out.Config, env)
	}
	for _, w := range found {
		cfg, err := config.Parse(out.Config, text, env)
		if err != nil {
			return out, usererr.Usage(err)
		}
		if owner := cfg.AgentAt(w.Dir); owner != "" && req.Name == "" {
			out.Known = append(out.Known, owner)
			continue
		}
		if req.Name == "" {
			w.Name = freeName(cfg, w.Name)
		}
		added, err := draftBaselines(w, filepath.Dir(out.Config))
		if err != nil {
			return out, err
		}
		if text, err = config.Append(out.Config, text, added.agentDraft(), env); err != nil {
			return out, &usererr.Error{Code: usererr.CodeUsage, Err: err, Hint: "choose another name with --name, or another file with --to"}
		}
		out.Agents = append(out.Agents, added)
	}
	if req.DryRun {
		out.Diff = out.diffConfig(old, text)
		return out, nil
	}
	if len(out.Agents) == 0 {
		return out, nil
	}
	return out, out.write(text)
}

// target returns the configuration that init writes to: the one in use, else the user's own.
func target(to string, env config.Env) (string, error) {
	if to != "" {
		return filepath.Abs(to)
	}
	path, err := config.Find("", env)
	if err == nil && (os.Geteuid() == 0 || !strings.HasPrefix(path, "/etc/")) {
		return path, nil
	}
	if err != nil && !errors.Is(err, config.ErrNotFound) {
		return "", err
	}
	return env.OwnConfig(), nil
}

// emptyConfig returns a configuration without agents.
func emptyConfig(path string, env config.Env) []byte {
	return config.Render(config.Draft{StateDir: env.StateFor(path), Timezone: LocalZone()})
}

func (req InitRequest) findWorkspaces() ([]Workspace, error) {
	found, err := workspacesIn(req.Dirs, req.Layout, "--layout")
	switch {
	case err != nil:
		return nil, err
	case req.Name == "":
	case len(found) > 1:
		return nil, usererr.Usagef("name one of the folders, or leave --name out", "--name is for one workspace, but %d were found", len(found))
	case !config.ValidName(req.Name):
		return nil, usererr.Usagef("choose another with --name", "%q cannot be an agent's name", req.Name)
	default:
		found[0].Name = req.Name
	}
	return found, nil
}

// freeName makes a name unique among the agents of a configuration.
func freeName(cfg *config.Config, name string) string {
	for try, n := name, 2; ; n++ {
		if _, err := cfg.Agent(try); err != nil {
			return try
		}
		try = fmt.Sprintf("%s-%d", name, n)
	}
}

// draftBaselines drafts baselines from the operator's files of a workspace.
func draftBaselines(w Workspace, beside string) (Added, error) {
	added := Added{Workspace: w, Baselines: []Drafted{}}
	if w.Dir == beside || strings.HasPrefix(beside, w.Dir+string(filepath.Separator)) {
		// State and baselines, beside tend.yaml, must be out of the agent's reach.
		return added, usererr.Usagef("`tend init "+w.Dir+" --to ~/tend/tend.yaml`, or run it from another folder",
			"tend.yaml would be inside the workspace, within the agent's reach")
	}
	l, err := layout.Preset(w.Layout)
	if err != nil {
		return added, usererr.Usage(err)
	}
	t, err := fsys.Dir(w.Dir)
	if err != nil {
		return added, err
	}
	defer t.Close()
	for _, file := range l.Guardable(w.files) {
		// Never follow a link out of the workspace: it may lead to a file that only the operator can read.
		text, err := vault.ReadWithin(t, file, int64(policy.FileMaxRead.Of(policy.Policy{})))
		if large := (*vault.TooLargeError)(nil); errors.As(err, &large) {
			return added, usererr.Refusef("shorten it first: it cannot be a baseline", "%s: %w", file, err)
		}
		if err != nil || len(bytes.TrimSpace(text)) == 0 {
			continue // a link, or without text
		}
		d := Drafted{File: file, Source: "baselines/" + w.Name + "/" + file, Bytes: len(text), text: text}
		_, _, marked := note.FindLine(text, l.LineOf(file, text, note.Separator))
		d.Whole, d.Invited = !marked, layout.Invites(text)
		d.Advice = draftAdvice(l, file, text)
		added.Baselines = append(added.Baselines, d)
	}
	return added, nil
}

func (a Added) agentDraft() config.AgentDraft {
	d := config.AgentDraft{Name: a.Name, Workspace: a.Dir, Layout: a.Layout}
	for _, b := range a.Baselines {
		d.Baselines = append(d.Baselines, config.BaselineDraft{File: b.File, Source: b.Source})
	}
	return d
}

// draftAdvice says what to change in a draft before it is approved.
func draftAdvice(l layout.Layout, file string, text []byte) (list []string) {
	if l.OwnerOf(file) != layout.Shared {
		return nil
	}
	_, end, ok := note.FindLine(text, note.Separator)
	switch {
	case !ok:
		list = append(list, "It has no line: as it is, all of "+file+" would be yours, and every note the agent adds would be drift. End it "+
			"with a line `---` and a heading for the notes.")
	case note.Lines(bytes.TrimSpace(text[end:])) > 1:
		list = append(list, "Below its last `---` are notes: cut them from the draft, or every reset brings them back.")
	}
	p, _ := (policy.Policy{}).With(l.Ref(), l.Policy())
	if min := policy.BaselineMinBytes.Of(p); len(text) < min {
		list = append(list, fmt.Sprintf("It has %d bytes; under %d (baseline.min_bytes) it is taken for damaged.", len(text), min))
	}
	return list
}

func (i Initiated) diffConfig(old, text []byte) string {
	var diff strings.Builder
	diff.WriteString(udiff.Unified(i.Config, i.Config, string(old), string(text)))
	for _, a := range i.Agents {
		for _, b := range a.Baselines {
			// A copy of a file that the reader has; it may hold secrets, too.
			fmt.Fprintf(&diff, "+++ %s (%s)\n", filepath.Join(filepath.Dir(i.Config), b.Source), textfmt.Count(note.Lines(b.text), "line"))
		}
	}
	return diff.String()
}

func (i Initiated) write(text []byte) error {
	for _, a := range i.Agents {
		for _, b := range a.Baselines {
			if err := createFile(filepath.Join(filepath.Dir(i.Config), filepath.FromSlash(b.Source)), b.text); err != nil {
				return err
			}
		}
	}
	return vault.ReplaceFile(i.Config, text, 0o644)
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

// createFile writes a file that must not exist yet, unless with the same text: an interrupted init can be run again.
func createFile(name string, data []byte) error {
	if there, err := fsys.ReadFile(name); err == nil && bytes.Equal(there, data) {
		return nil
	}
	err := vault.CreateFile(name, data, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return usererr.Refusef("move it away, or choose another --name", "%s already exists", name)
	}
	return err
}
