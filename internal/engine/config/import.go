package config

import (
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tend/internal/model/policy"
)

// ImportOptions configure an import.
type ImportOptions struct {
	Conf     string // absolute path of the memory-shepherd.conf; its relative paths start at its folder
	To       string // absolute path the tend.yaml will have
	Separate bool   // keep sections separate even if they are clearly files of one agent
	Env      Env
}

// Imported is a memory-shepherd.conf converted to a tend.yaml.
type Imported struct {
	Text     []byte `json:"-"`
	Agents   int    `json:"agents"`
	Notes    []Note `json:"notes"`     // what is read or named differently than by the bash tool
	CouldNot []Note `json:"could_not"` // what was not converted, or needs a decision
}

var (
	confGeneralKeys = []string{"baseline_dir", "archive_dir", "max_memory_size", "archive_retention_days", "separator", "min_baseline_size"}
	confAgentKeys   = []string{"memory_file", "baseline", "archive_subdir", "remote_host", "remote_user", "remote_memory"}
)

// Import converts the text of a memory-shepherd.conf. The result has been read back as a tend.yaml; the error says
// why it is not usable as it is, and comes with the text, to be corrected by hand.
func Import(text []byte, opt ImportOptions) (Imported, error) {
	c := parseConf(string(text))
	im := importer{conf: c, opt: opt, general: &confSection{}}
	im.draft.Layout = "shepherd"
	im.draft.Head = "Made from " + filepath.Base(opt.Conf) + " by `tend import`."
	var sections []*confSection
	for _, s := range c.sections {
		if s.name == general {
			im.general = s
		} else {
			sections = append(sections, s)
		}
	}
	im.generalKeys()
	var files []importedFile
	for _, s := range sections {
		if f, ok := im.readSection(s); ok {
			files = append(files, f)
		}
	}
	im.groupAgents(im.dropRepeated(files))
	im.dropReachableArchive()
	if im.relative {
		im.addNote(0, "relative paths are taken against "+filepath.Dir(opt.Conf)+"; memory-shepherd took them against the folder of its script")
	}
	out := Imported{Text: Render(im.draft), Agents: len(im.draft.Agents), Notes: c.notes, CouldNot: c.couldNot}
	if len(sections) == 0 {
		out.CouldNot = append(out.CouldNot, Note{0, "there is no agent in the file"})
	}
	byLine := func(a, b Note) int { return a.Line - b.Line }
	slices.SortStableFunc(out.Notes, byLine)
	slices.SortStableFunc(out.CouldNot, byLine)
	_, err := Parse(opt.To, out.Text, opt.Env)
	return out, err
}

// importer turns sections into a Draft.
type importer struct {
	*conf
	opt       ImportOptions
	general   *confSection
	baselines string // baseline_dir, as it will be written
	relative  bool   // some path was relative
	draft     Draft
}

// importedFile is the file of one section.
type importedFile struct {
	section   *confSection
	workspace string // as it will be written
	file      string
	source    string // of the baseline; "" if the section has none
	archive   string
}

func (im *importer) generalKeys() {
	g := im.general
	im.reportUnknown(g, confGeneralKeys)
	im.baselines = im.rebasePath("baseline_dir", g.value("baseline_dir", "./baselines"), im.line(g, "baseline_dir"))
	im.draft.ArchiveDir = im.rebasePath("archive_dir", g.value("archive_dir", "./archives"), im.line(g, "archive_dir"))
	if sep := g.value("separator", "---"); sep != "---" {
		im.draft.Separator = sep
	}
	if k, ok := g.get("max_memory_size"); ok {
		im.number(k, policy.HotMaxBytes.Name(), "", "max_memory_size")
	}
	if k, ok := g.get("archive_retention_days"); ok {
		if k.value == "0" {
			im.addNote(k.line, "archive_retention_days=0 let memory-shepherd remove archives after a day; 0 would mean never here, so it is 1d")
			k.value = "1"
		}
		im.number(k, policy.ArchiveRetention.Name(), "d", "archive_retention_days")
	}
	if k, ok := g.get("min_baseline_size"); ok {
		im.number(k, policy.BaselineMinBytes.Name(), "", "min_baseline_size")
	} else {
		im.addNote(0, "min_baseline_size is not set: Tend refuses baselines below "+policy.BaselineMinBytes.Text(policy.Policy{})+
			" bytes, later versions of memory-shepherd below 500")
	}
}

// dropRepeated leaves out files that an earlier section already has.
func (im *importer) dropRepeated(files []importedFile) []importedFile {
	owner := map[string]*confSection{}
	var out []importedFile
	for _, f := range files {
		key := f.workspace + "\x00" + f.file
		if first, ok := owner[key]; ok {
			im.addFailure(f.section.line,
				f.section.header+" looks after the same file as "+first.header+" (line "+strconv.Itoa(first.line)+") and was left out")
			continue
		}
		owner[key] = f.section
		out = append(out, f)
	}
	return out
}

// dropReachableArchive drops archive_dir if an agent could reach it: nobody but Tend may touch archives.
func (im *importer) dropReachableArchive() {
	dir, err := im.opt.Env.Abs(im.draft.ArchiveDir, filepath.Dir(im.opt.To))
	if err != nil {
		return
	}
	for _, a := range im.draft.Agents {
		w, err := parseWorkspace(a.Workspace, filepath.Dir(im.opt.To), im.opt.Env)
		if err == nil && w.Kind == Local && foldersOverlap(dir, w.Path) {
			im.addFailure(im.line(im.general, "archive_dir"), "archive_dir "+im.draft.ArchiveDir+" and the workspace of "+a.Name+
				" are inside one another; archives go below state_dir instead, the old ones stay where they are")
			im.draft.ArchiveDir = ""
			return
		}
	}
}

func (im *importer) line(s *confSection, key string) int {
	k, _ := s.get(key)
	return k.line
}

// number carries a whole number into the policy if the policy takes it.
func (im *importer) number(k confKey, name, unit, comment string) {
	n, err := strconv.Atoi(k.value)
	if err != nil || n < 0 {
		im.addFailure(k.line, k.key+": "+k.value+" is not a number")
		return
	}
	value := strconv.Itoa(n) + unit
	if _, err := (policy.Policy{}).With("", map[string]any{name: value}); err != nil {
		im.addFailure(k.line, k.key+": "+err.Error())
		return
	}
	im.draft.Policy = append(im.draft.Policy, Setting{Key: name, Value: value, Comment: comment})
}

func (im *importer) reportUnknown(s *confSection, known []string) {
	for _, k := range s.keys {
		if slices.Contains(known, k.key) {
			continue
		}
		hint := "memory-shepherd knows " + strings.Join(known, ", ")
		if near := policy.Nearest(k.key, known); near != "" {
			hint = "did you mean " + near + "?"
		}
		im.addFailure(k.line, "unknown key "+k.key+": "+hint)
	}
}

// readSection reads one section; false means that nothing in it can be looked after.
func (im *importer) readSection(s *confSection) (importedFile, bool) {
	im.reportUnknown(s, confAgentKeys)
	if s.name == "" || !ValidName(s.name) {
		im.addFailure(s.line, s.header+" cannot be the name of an agent and was left out: use letters, digits, - and _")
		return importedFile{}, false
	}
	switch {
	case s.rejected:
		im.addFailure(s.line, s.header+" is no section to memory-shepherd, which gave its keys to the section above; here it is the agent "+
			s.name+", switched off until you have looked at it")
	case "["+s.name+"]" != s.header:
		im.addNote(s.line, s.header+" is now the agent "+s.name)
	}
	f := importedFile{section: s, archive: s.value("archive_subdir", "")}
	if f.archive != "" && (!archiveName().MatchString(f.archive) || path.Clean(f.archive) != f.archive) {
		im.addFailure(im.line(s, "archive_subdir"), "archive_subdir "+f.archive+" is no plain folder name; archives go to "+s.name)
		f.archive = ""
	}
	if b, ok := s.get("baseline"); ok {
		f.source = joinPath(im.baselines, b.value)
		if filepath.IsAbs(b.value) || strings.HasPrefix(b.value, "~") {
			im.addNote(b.line, "baseline is a path of its own; memory-shepherd looked for it below baseline_dir")
			f.source = im.rebasePath("baseline", b.value, b.line)
		}
	} else {
		im.addFailure(s.line, s.header+" has no baseline: it cannot be reset until you name one")
	}
	if _, remote := s.get("remote_host"); remote {
		return f, im.readRemote(s, &f)
	}
	return f, im.readLocal(s, &f)
}

func (im *importer) readLocal(s *confSection, f *importedFile) bool {
	m, ok := s.get("memory_file")
	if !ok {
		im.addFailure(s.line, s.header+" has no memory_file and was left out")
		return false
	}
	for _, key := range []string{"remote_user", "remote_memory"} {
		if k, ok := s.get(key); ok {
			im.addFailure(k.line, key+" without remote_host has no effect and was left out")
		}
	}
	full := im.rebasePath("memory_file", m.value, m.line)
	dir, name := path.Split(full)
	f.workspace, f.file = joinPath(dir, "."), name
	if abs, err := im.opt.Env.Abs(f.workspace, filepath.Dir(im.opt.To)); err != nil || abs == "/" {
		im.addFailure(m.line, "memory_file "+m.value+" is not in a folder of its own; "+s.header+" was left out")
		return false
	}
	return true
}

func (im *importer) readRemote(s *confSection, f *importedFile) bool {
	memory, ok := s.get("remote_memory")
	if !ok {
		im.addFailure(s.line, s.header+" has remote_host but no remote_memory and was left out")
		return false
	}
	if k, ok := s.get("memory_file"); ok {
		im.addNote(k.line, "memory_file is left out: with remote_host, memory-shepherd looks at remote_memory only")
	}
	host, _ := s.get("remote_host")
	w := Workspace{Kind: SSH, Host: host.value, User: s.value("remote_user", ""), Path: path.Dir(path.Clean(memory.value))}
	if !strings.HasPrefix(memory.value, "/") && !strings.HasPrefix(memory.value, "~") {
		w.Path = path.Join("~", w.Path)
	}
	f.workspace, f.file = w.String(), path.Base(memory.value)
	if _, err := parseWorkspace(f.workspace, "/", im.opt.Env); err != nil {
		im.addFailure(host.line, s.header+" was left out: "+err.Error())
		return false
	}
	return true
}

// rebasePath converts a path of the conf for the tend.yaml: absolute paths and those below ~ stay as they are, those
// relative to the conf's folder become relative to the new file's.
func (im *importer) rebasePath(key, p string, line int) string {
	for _, home := range []string{"$HOME", "${HOME}"} {
		if rest, ok := strings.CutPrefix(p, home); ok && (rest == "" || rest[0] == '/') {
			im.addNote(line, key+": memory-shepherd does not expand "+home+"; written as ~ here")
			return path.Clean("~" + rest)
		}
	}
	if strings.Contains(p, "$") {
		im.addFailure(line, key+": "+p+" contains a $, which neither memory-shepherd nor Tend expands")
	}
	if p == "~" || strings.HasPrefix(p, "~/") {
		im.addNote(line, key+": memory-shepherd does not expand ~, so this never worked there; it does here")
		return path.Clean(p)
	}
	if filepath.IsAbs(p) {
		return path.Clean(p)
	}
	if key == "memory_file" {
		im.addNote(line, "memory_file is relative: taken against the folder of "+filepath.Base(im.opt.Conf)+
			", memory-shepherd took it against the folder it was started in")
	}
	im.relative = true
	abs := filepath.Join(filepath.Dir(im.opt.Conf), p)
	if rel, err := filepath.Rel(filepath.Dir(im.opt.To), abs); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
		return "./" + rel
	}
	return abs
}

// joinPath puts a name below a folder and keeps the leading ./ that marks a path as relative to the file.
func joinPath(dir, name string) string {
	if strings.HasPrefix(dir, "./") {
		return "./" + path.Join(dir, name)
	}
	return path.Join(dir, name)
}
