package setup

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tend/internal/app/connect"
	"tend/internal/disk/fsys"
	"tend/internal/engine/config"
	"tend/internal/model/usererr"
	"tend/internal/text/layout"
)

// Workspace is a folder that was recognised as an agent's memory.
type Workspace struct {
	Name   string   `json:"agent"` // the harness's name for the agent, unique among those found together
	Dir    string   `json:"workspace"`
	Layout string   `json:"layout"`
	Why    []string `json:"why"`

	files []string // relative, with slashes
}

// minConfidence is the lowest confidence at which a folder counts as a workspace.
const minConfidence = 0.3

const (
	maxDepth     = 5    // levels below a folder that are searched for workspaces
	maxFileDepth = 4    // levels below a workspace in which files are listed
	maxFiles     = 5000 // files of a workspace that are listed
	maxRead      = 1 << 20
)

// Find finds the workspaces in and below folders: in a harness's home with several agents, in a folder of projects, and
// where Claude Code keeps a project's memory. It changes nothing.
func Find(dirs ...string) ([]Workspace, error) {
	f := finder{roots: layout.HomeRoots(), seen: map[string]bool{}}
	for _, dir := range dirs {
		abs, err := folderAt(dir)
		if err != nil {
			return nil, err
		}
		if err := f.search(abs, 0); err != nil {
			return nil, err
		}
	}
	names := map[string]bool{}
	for i := range f.found {
		f.found[i].Name = uniqueName(f.found[i], names)
	}
	return f.found, nil
}

// workspacesIn returns the folders as workspaces of a layout. Without a layout it searches in and below them.
func workspacesIn(dirs []string, ref, flag string) (found []Workspace, err error) {
	if ref == "" {
		found, err = Find(dirs...)
	} else {
		found, err = withLayout(dirs, ref)
	}
	if err == nil && len(found) == 0 {
		err = usererr.Usagef("name the harness with "+flag+" ("+strings.Join(layout.Presets(), ", ")+")",
			"no agent's memory was recognised in or below %s", strings.Join(dirs, ", "))
	}
	return found, err
}

func withLayout(dirs []string, ref string) (found []Workspace, err error) {
	l, err := layout.Preset(ref)
	if err != nil {
		return nil, usererr.Usage(err)
	}
	names := map[string]bool{}
	for _, dir := range dirs {
		abs, err := folderAt(dir)
		if err != nil {
			return nil, err
		}
		w := Workspace{Name: agentName(abs), Dir: abs, Layout: l.Ref(), Why: []string{"the layout was given"}, files: filesOf(abs)}
		w.Name = uniqueName(w, names)
		found = append(found, w)
	}
	return found, nil
}

// folderAt returns the absolute path of a folder, or an error if it is not one.
func folderAt(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err == nil && !isDir(abs) {
		err = usererr.Usagef("name the folder the agent's memory is in", "%s is not a folder", abs)
	}
	return abs, err
}

type finder struct {
	roots []string // hidden folders that harnesses use
	seen  map[string]bool
	found []Workspace
}

// add adds a workspace, unless it was found already, and the memory that Claude Code keeps of it elsewhere.
func (f *finder) add(w Workspace) {
	real := w.Dir
	if r, err := filepath.EvalSymlinks(w.Dir); err == nil {
		real = r
	}
	if f.seen[real] {
		return
	}
	f.seen[real] = true
	if strings.HasPrefix(w.Layout, "claude-code") {
		if memory := connect.ClaudeMemory(w.Dir); memory != "" && f.addMemory(memory, filepath.Base(w.Dir)) {
			w.Name += "-project"
		}
	}
	f.found = append(f.found, w)
}

// addMemory adds the folder in which Claude Code keeps a project's memory, if there is any: it is the agent of the project's name.
func (f *finder) addMemory(dir, project string) bool {
	files := filesOf(dir)
	if !slices.ContainsFunc(files, func(p string) bool { return strings.HasSuffix(p, ".md") }) {
		return false
	}
	l, err := layout.Preset("claude-code")
	if err == nil {
		f.add(Workspace{Name: tidyName(project), Dir: dir, Layout: l.Ref(), Why: []string{"Claude Code's memory of " + project},
			files: files})
	}
	return err == nil
}

// search adds the workspaces in and below a folder, which is depth levels below one that was named.
func (f *finder) search(dir string, depth int) error {
	parent := filepath.Dir(dir)
	isProject := filepath.Base(parent) == "projects" && filepath.Base(filepath.Dir(parent)) == ".claude"
	if memory := filepath.Join(dir, "memory"); isProject && isDir(memory) {
		f.addMemory(memory, filepath.Base(connect.ClaudeProject(filepath.Base(dir))))
		return nil
	}
	w, known, err := Recognise(dir)
	if err != nil {
		return err
	}
	if known {
		f.add(w)
	}
	isClaudeHome := filepath.Base(dir) == ".claude" // the projects' memories are below it
	if depth >= maxDepth || (known && !isClaudeHome) {
		return nil
	}
	if isClaudeHome {
		dir = filepath.Join(dir, "projects")
	}
	entries, err := fsys.ReadFolder(dir)
	if err != nil {
		return nil // skip unreadable folders
	}
	for _, e := range entries {
		hidden := strings.HasPrefix(e.Name(), ".") && !slices.Contains(f.roots, e.Name())
		if !e.IsDir() || hidden || e.Name() == "node_modules" || e.Name() == "vendor" {
			continue
		}
		if err := f.search(filepath.Join(dir, e.Name()), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// Recognise reports whether a folder itself is a workspace, and of which harness.
func Recognise(dir string) (w Workspace, known bool, err error) {
	w = Workspace{Name: agentName(dir), Dir: dir, files: filesOf(dir)}
	guesses, err := guessLayouts(dir, w.files)
	if err != nil || len(guesses) == 0 || guesses[0].Confidence < minConfidence {
		return w, false, err
	}
	w.Layout, w.Why = guesses[0].Ref, guesses[0].Reasons
	return w, true, nil
}

// guessLayouts returns the layouts a folder may have, by its files and its location, the most likely first.
func guessLayouts(dir string, files []string) ([]layout.Guess, error) {
	guesses, err := layout.Detect(files, func(p string) []byte {
		name := filepath.Join(dir, filepath.FromSlash(p))
		if st, err := os.Lstat(name); err != nil || !st.Mode().IsRegular() || st.Size() > maxRead {
			return nil
		}
		data, err := fsys.ReadFile(name)
		if err != nil {
			return nil
		}
		return data
	})
	if err != nil {
		return nil, err
	}
	for i, g := range guesses {
		l, err := layout.Preset(g.Ref)
		if err != nil {
			return nil, err
		}
		if l.AtHome(filepath.ToSlash(dir)) {
			guesses[i].Confidence = 1 - (1-g.Confidence)*0.3
			guesses[i].Reasons = append(g.Reasons, "it is where "+l.Name+" keeps its workspace")
		}
	}
	slices.SortStableFunc(guesses, func(a, b layout.Guess) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return guesses, nil
}

// filesOf lists the files by which a folder's layout is detected.
func filesOf(dir string) []string {
	var paths []string
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // skip what cannot be read
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return nil
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || strings.Count(rel, string(filepath.Separator)) > maxFileDepth) {
			return fs.SkipDir
		}
		if len(paths) >= maxFiles {
			return fs.SkipAll
		}
		if !d.IsDir() {
			paths = append(paths, filepath.ToSlash(rel))
		}
		return nil
	})
	return paths
}

func isDir(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}

// agentName returns the harness's name for the agent of a workspace. OpenClaw's main agent is in `workspace`, the others
// are in `workspace-NAME`.
func agentName(dir string) string {
	base := strings.ToLower(filepath.Base(dir))
	parent := strings.ToLower(strings.TrimLeft(filepath.Base(filepath.Dir(dir)), "."))
	switch name, ok := strings.CutPrefix(base, "workspace-"); {
	case ok && name != "":
		base = name
	case base == "workspace" && parent == "openclaw":
		base = "main"
	case base == "workspace" || base == "memory":
		base = parent
	case strings.HasPrefix(base, "."):
		base = strings.TrimLeft(base, ".")
	}
	return tidyName(base)
}

func tidyName(s string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, strings.ToLower(s)), "-")
}

// uniqueName makes a workspace's name unique, with the parent folder's name, then with a number.
func uniqueName(w Workspace, taken map[string]bool) string {
	const fallback = "agent"
	name := w.Name
	if !config.ValidName(name) {
		name = fallback
	}
	if taken[name] {
		if longer := tidyName(filepath.Base(filepath.Dir(w.Dir)) + "-" + name); config.ValidName(longer) {
			name = longer
		}
	}
	base := name
	for n := 2; taken[name]; n++ {
		if name = fmt.Sprintf("%s-%d", base, n); !config.ValidName(name) { // too long
			name = fmt.Sprintf("%s-%d", fallback, n)
		}
	}
	taken[name] = true
	return name
}
