// Package existence finds what a line of memory says exists on this machine: paths, programs, systemd units, local ports, git
// repositories and branches, installed packages and their versions.
//
// It is pure and prefers to find nothing: a line that speaks of the past, of a plan, of an example or of another machine claims
// nothing, and a name counts only where its form says what it is.
package existence

import (
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what is claimed to exist.
type Kind string

// The kinds.
const (
	Path       Kind = "path"
	Program    Kind = "program"
	Unit       Kind = "unit"
	Port       Kind = "port"
	Repository Kind = "repository"
	Branch     Kind = "branch"
	Package    Kind = "package"
	Version    Kind = "version"
)

// Claim is one thing that a line says exists.
type Claim struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"`
	In   string `json:"in,omitempty"` // the repository of a branch, the package of a version
}

// Of returns the claims of a line, each once.
func Of(line string) []Claim {
	words := split(line)
	if len(words) == 0 || excused(line, words) {
		return nil
	}
	var out []Claim
	seen := map[Claim]bool{}
	add := func(c Claim) {
		if !seen[c] {
			seen[c], out = true, append(out, c)
		}
	}
	ofRepository, ofDebian := says(words, repositoryWords), says(words, debianWords) // once: a line may have many words
	repository := ""
	for _, w := range words {
		switch kind, name := w.form(); kind {
		case Path:
			if repository == "" && ofRepository {
				repository = name
				add(Claim{Kind: Repository, Name: name})
				continue
			}
			add(Claim{Kind: Path, Name: name})
		case Unit, Port:
			add(Claim{Kind: kind, Name: name})
		}
	}
	for i, w := range words {
		named := func(labels wordSet) bool {
			return w.code && (i > 0 && labels.has(words[i-1].lower) || i+1 < len(words) && labels.has(words[i+1].lower))
		}
		switch {
		case !w.bare():
		case named(branchWords) && repository != "":
			add(Claim{Kind: Branch, Name: w.text, In: repository})
		case named(packageWords) && ofDebian:
			add(Claim{Kind: Package, Name: w.text})
			if v := versionNear(words, i); v != "" {
				add(Claim{Kind: Version, Name: v, In: w.text})
			}
		case named(programWords) && !strings.Contains(w.text, "/"):
			add(Claim{Kind: Program, Name: w.text})
		}
	}
	return out
}

// word is a word of a line, or what stands between backticks.
type word struct {
	text, lower string
	code        bool // between backticks
}

// split returns the words of a line. What stands between backticks is one word if it has no blank.
func split(line string) []word {
	var out []word
	add := func(s string, code bool) {
		for f := range strings.FieldsFuncSeq(s, func(r rune) bool {
			return unicode.IsSpace(r) || r >= 0x2e80 && unicode.IsPunct(r) || r == '|'
		}) {
			for _, part := range byScript(f, code) {
				part = strings.Trim(part, "\"'*_()[]{}<>,;!?“”„’")
				if part = strings.TrimRight(part, ".:"); part != "" {
					out = append(out, word{text: part, lower: strings.ToLower(part), code: code})
				}
			}
		}
	}
	for i, part := range strings.Split(line, "`") {
		code := i%2 == 1
		if code && (strings.HasPrefix(part, "/") || strings.HasPrefix(part, "~/")) && strings.ContainsRune(part, ' ') {
			continue // a command line, or a path with a blank: nobody can tell where it ends
		}
		add(part, code)
	}
	return out
}

// byScript cuts a run where a script without blanks begins or ends: its words stand directly beside paths and names.
func byScript(s string, code bool) []string {
	if code {
		return []string{s}
	}
	var out []string
	start, packed := 0, false
	for i, r := range s {
		now := r >= 0x2e80
		if i > 0 && now != packed {
			out = append(out, s[start:i])
			start = i
		}
		packed = now
	}
	return append(out, s[start:])
}

// form recognises a word that says by itself what it names.
func (w word) form() (Kind, string) {
	switch {
	case strings.ContainsAny(w.text, "*$<>{}%\\…") || strings.Contains(w.text, "://") || strings.Contains(w.text, "..."):
		return "", "" // a pattern or an address
	case strings.HasPrefix(w.text, "/") || strings.HasPrefix(w.text, "~/"):
		return pathForm(w.text)
	case strings.HasSuffix(w.lower, ".service") || strings.HasSuffix(w.lower, ".timer") || strings.HasSuffix(w.lower, ".socket"):
		if w.bare() && !strings.Contains(w.text, "@") {
			return Unit, w.text
		}
	}
	for _, host := range []string{"localhost:", "127.0.0.1:", "[::1]:"} {
		if rest, ok := strings.CutPrefix(w.lower, host); ok {
			digits, _, _ := strings.Cut(rest, "/")
			if n, err := strconv.Atoi(digits); err == nil && n > 0 && n < 1<<16 {
				return Port, digits
			}
		}
	}
	return "", ""
}

// pathForm accepts a path of two parts or more that could be a file's: no command line, no dates left to fill in.
func pathForm(s string) (Kind, string) {
	clean := path.Clean(s)
	parts := strings.Split(strings.TrimPrefix(strings.TrimPrefix(clean, "~"), "/"), "/")
	if len(parts) < 2 && !strings.HasPrefix(clean, "~/") || strings.ContainsAny(clean, ":=@#?&,;|\"'") || strings.Contains(clean, "YYYY") {
		return "", ""
	}
	for _, p := range parts {
		if p == "" || p == ".." || !strings.ContainsFunc(p, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return "", ""
		}
	}
	return Path, clean
}

// bare reports a name without blanks and separators.
func (w word) bare() bool {
	if utf8.RuneCountInString(w.text) < 2 || strings.HasPrefix(w.text, "-") || strings.HasPrefix(w.text, "/") {
		return false
	}
	return !strings.ContainsFunc(w.text, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.+/", r)
	})
}

// versionNear returns the version that follows a package's name within two words.
func versionNear(words []word, i int) string {
	for _, w := range words[i+1 : min(len(words), i+4)] {
		v := strings.TrimPrefix(w.lower, "v")
		if strings.Count(v, ".") > 0 && v[0] >= '0' && v[0] <= '9' && !strings.ContainsFunc(v, func(r rune) bool {
			return r != '.' && !unicode.IsDigit(r)
		}) {
			return v
		}
	}
	return ""
}

func says(words []word, set wordSet) bool {
	for _, w := range words {
		if set.has(w.lower) {
			return true
		}
	}
	return false
}
