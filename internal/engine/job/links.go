package job

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// The words that tell a reader to open the file named next to them, in the languages of users. Where the verb comes last,
// it follows the name.
const (
	readBefore = `read|load|see|open|consult|refer to|follow|check|review|` +
		`leia|ler|veja|ver|consulte|carregue|lee|leer|lea|consulta|carga|lis|lire|voir|consulter|charge|` +
		`lies|lesen|siehe|lade|читай|прочитай|прочти|смотри|см\.|загрузи`
	readBeforeHan = `读取|阅读|查看|参考|参见|详见|加载|先读|必读`
	readAfter     = `を(?:読|参照|確認)|(?:을|를) ?(?:읽|참조|확인)`
	namedFile     = "(?:`([^`\\s]+\\.md)`|\\[[^\\]]*\\]\\(([^)\\s#]+\\.md)[^)]*\\))"
)

var (
	markdownLink = expr(`\]\(([^)\s#]+)(?:#[^)]*)?\)`)
	wikiLink     = expr(`\[\[([^\]|#]+)`)
	quotedPath   = expr("`([\\w./-]+\\.md)`")
	toRead       = expr(`(?i)(?:(?:^|[^\pL\pN])(?:` + readBefore + `)[ :*_]+|(?:` + readBeforeHan + `)[ :：*_]*)` + namedFile)
	toReadLast   = expr(namedFile + ` ?(?:` + readAfter + `)`)
	skillFolder  = expr("`((?:[\\w.-]+/)*skills/[\\w.-]+)/?`")
	imported     = expr(`(?:^|\s)@([\w./-]+\.md)\b`)
	// conditional matches what makes an instruction depend on the file being there.
	conditional = expr(`(?i)(?:^|[^\pL])(?:if|when|unless|exists?|existir|existe|se|si|falls|wenn|если)(?:[^\pL]|$)|如果|若|存在|あれば|있으면`)
)

// DeadReads finds instructions of loaded files to read a file that is missing. A mention is no instruction, and what may lie
// outside the workspace is not judged.
func DeadReads(in Input, loaded []vault.Path) []finding.Finding {
	names := namesOf(in)
	var out []finding.Finding
	for _, p := range loaded {
		doc := in.File(p)
		d := in.Parse(doc)
		imports := strings.HasPrefix(in.Layout.Ref(), "claude-code@")
		for _, b := range d.Parts {
			if b.Kind == note.Code || b.Kind == note.Comment || b.Kind == note.Table {
				continue
			}
			n := b.Line
			for line := range strings.Lines(string(doc.Data[b.Start:b.End])) {
				for _, target := range reads(line, imports) {
					if !names.lead(in, p, target) {
						out = append(out, finding.DeadLink.In(string(p), "it says to read %s, which does not exist", target).AtLine(n))
					}
				}
				n++
			}
		}
	}
	return out
}

// longestRule is how many bytes an instruction may have: what is longer on one line is data.
const longestRule = 2000

// reads returns the files that a line tells its reader to read, whatever the circumstances.
func reads(line string, imports bool) []string {
	if len(line) > longestRule || !strings.Contains(line, ".md") || conditional().MatchString(line) {
		return nil
	}
	var out []string
	for _, re := range []*regexp.Regexp{toRead(), toReadLast()} {
		for _, m := range re.FindAllStringSubmatch(line, -1) {
			out = append(out, m[1]+m[2])
		}
	}
	if imports {
		for _, m := range imported().FindAllStringSubmatch(line, -1) {
			out = append(out, m[1])
		}
	}
	return out
}

// names are what a workspace has by that name: paths, and the last part of each path.
type names struct{ paths, bases map[string]bool }

func namesOf(in Input) names {
	n := names{map[string]bool{}, map[string]bool{}}
	add := func(p vault.Path) { n.paths[string(p)], n.bases[p.Base()] = true, true }
	for p := range in.Files {
		add(p)
	}
	for p := range in.Facts.Unread {
		add(p)
	}
	return n
}

// exist reports whether the workspace has a file of that name, beside another one, at its root or elsewhere: a log may have
// moved to the archive.
func (n names) exist(from vault.Path, name string) bool {
	base := path.Base(name)
	return n.paths[path.Join(string(from.Dir()), name)] || n.paths[path.Clean(name)] || n.bases[base] && base != "SKILL.md"
}

// lead reports whether a file that the agent is told to read is there, or need not be: the layout names it, or it is the name
// of a kind of file.
func (n names) lead(in Input, from vault.Path, target string) bool {
	if elsewhere(target) || strings.HasPrefix(path.Clean(target), ".") || path.Base(target) == "SKILL.md" {
		return true
	}
	target = path.Clean(target)
	if n.exist(from, target) {
		return true
	}
	known := func(role layout.Role) bool { return in.Layout.Path(role, "") == target }
	return slices.ContainsFunc(layout.Roles(), known) ||
		slices.ContainsFunc(in.Layout.Show.Files, func(f layout.Shown) bool { return f.Name == target })
}

// elsewhere reports a target that is a pattern or not in the workspace: memory/YYYY-MM-DD.md is how logs are named, not a
// log.
func elsewhere(target string) bool {
	for _, sign := range []string{"YYYY", "yyyy-", "-MM-", "...", "://", "mailto:"} {
		if strings.Contains(target, sign) {
			return true
		}
	}
	return strings.ContainsAny(target, "{}<>*$…") || path.IsAbs(target) || strings.HasPrefix(target, "~")
}

// Unfound lists the markdown files and skills that loaded files name with their folder, and that are not in the workspace. A
// mention is no instruction to read them, and they may be elsewhere, so this is no finding.
func Unfound(in Input, loaded []vault.Path) (out []string) {
	names := namesOf(in)
	add := func(target string) {
		if !slices.Contains(out, target) {
			out = append(out, target)
		}
	}
	for _, p := range loaded {
		text := string(in.File(p).Data)
		for _, l := range brokenLinks(names, p, text) {
			if strings.Contains(l.Target, "/") {
				add(l.Target)
			}
		}
		for _, m := range skillFolder().FindAllStringSubmatch(text, -1) {
			if !names.paths[m[1]+"/SKILL.md"] && path.Ext(m[1]) == "" {
				add(m[1])
			}
		}
	}
	return out
}

// Link is a link in a text, with the number of lines before it.
type Link struct {
	Target string
	Line   int
}

// BrokenLinks returns the links in a text of a file to missing files. Only memory was read, and a bare word is no path.
func BrokenLinks(in Input, from vault.Path, text string) []Link {
	return brokenLinks(namesOf(in), from, text)
}

func brokenLinks(names names, from vault.Path, text string) []Link {
	var out []Link
	for _, re := range []*regexp.Regexp{markdownLink(), wikiLink(), quotedPath()} {
		line, at := 0, 0
		for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
			line += strings.Count(text[at:m[0]], "\n")
			at = m[0]
			target := text[m[2]:m[3]]
			name, ext := target, path.Ext(target)
			if ext == "" && strings.Contains(target, "/") {
				name, ext = target+".md", ".md"
			}
			if ext == ".md" && !elsewhere(target) && !names.exist(from, name) {
				out = append(out, Link{target, line})
			}
		}
	}
	return out
}
