package setup

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/model/usererr"
	"tend/internal/text/layout"
)

// CreateLayout is the default layout of a new agent.
const CreateLayout = "harness"

// newIdentity is a new agent's identity file, for the operator to extend.
const newIdentity = `# %[1]s

You are %[1]s, an AI assistant.

## How to work

- Be clear, brief and direct.
- Use your tools when they help.
- Save to memory what a later session will need: decisions, preferences, what is unfinished.
`

// Create creates the workspace of a new agent where its harness looks for it, or in the request's folder, and adds it to
// the configuration as Init does. Existing files are not changed.
func Create(req InitRequest) (out Initiated, err error) {
	if !config.ValidName(req.Name) {
		return out, usererr.Usagef("use letters, digits and dashes", "%q cannot be an agent's name", req.Name)
	}
	req.Layout = cmp.Or(req.Layout, CreateLayout)
	l, err := layout.Preset(req.Layout)
	if err != nil {
		return out, usererr.Usage(err)
	}
	dir, err := newHome(l, req)
	if err != nil {
		return out, err
	}
	identity := l.Path(layout.Identity, "")
	if identity == "" {
		return out, usererr.Usagef("create it with the harness itself, then run tend init DIR", "%s has no identity file", l.Ref())
	}
	text := fmt.Sprintf(newIdentity, strings.ToUpper(req.Name[:1])+req.Name[1:])
	if req.DryRun {
		out.DryRun, out.Config = true, req.To
		out.Diff = udiff.Unified("/dev/null", filepath.Join(dir, identity), "", text)
		return out, nil
	}
	if err := vault.CreateFile(filepath.Join(dir, filepath.FromSlash(identity)), []byte(text), 0o644); err != nil {
		return out, err
	}
	if l.Reach != "" {
		if err := makeFolder(dir, l.Reach); err != nil {
			return out, err
		}
	}
	req.Dirs, req.Layout = []string{dir}, l.Ref()
	return Init(req)
}

// makeFolder creates a folder within another.
func makeFolder(dir, name string) (err error) {
	tree, err := fsys.Dir(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tree.Close()) }()
	return vault.MkdirAll(tree, vault.SyncEach{}, name, 0o755)
}

func isEmpty(dir string) (empty bool, err error) {
	tree, err := fsys.Dir(dir)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, tree.Close()) }()
	list, err := tree.ReadDir(".")
	return len(list) == 0, err
}

// newHome returns the folder for a new agent, which must be missing or empty.
func newHome(l layout.Layout, req InitRequest) (string, error) {
	if len(req.Dirs) > 1 {
		return "", usererr.Usagef("create one agent at a time", "--create takes one folder, not %d", len(req.Dirs))
	}
	dir := strings.ReplaceAll(l.Home, "{name}", req.Name)
	if len(req.Dirs) == 1 {
		dir = req.Dirs[0]
	} else if dir == l.Home {
		return "", usererr.Usagef("name the folder: tend init DIR --create "+req.Name, "%s has no default folder for a new agent", l.Ref())
	}
	env, err := config.OSEnv()
	if err != nil {
		return "", err
	}
	if dir, err = env.Abs(dir, env.Dir); err != nil {
		return "", err
	}
	switch empty, err := isEmpty(dir); {
	case err == nil && !empty:
		return "", usererr.Refusef("choose another name, or add it as it is: tend init "+dir, "agent %q already exists at %s", req.Name, dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	return dir, nil
}
