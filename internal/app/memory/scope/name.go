package scope

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/text/layout"
)

// Name checks a path that a caller gives. It is stricter than vault.ParsePath: tools must not use hidden folders,
// names that other systems treat as devices, or trees deeper than the policy allows.
func (f *Files) Name(name string) (vault.Path, error) {
	p, err := parseName(name, f.agent.Layout, f.agent.Policy)
	if err != nil {
		return p, err
	}
	return f.reached(p), nil
}

// isConfig reports whether a name is that of a configuration, which agents must never write.
func isConfig(part string) bool {
	return strings.EqualFold(part, "tend.yaml") || strings.EqualFold(part, "tend.yml")
}

func parseName(name string, l layout.Layout, p policy.Policy) (vault.Path, error) {
	bad := func(why string) (vault.Path, error) {
		return "", toolerr.New(toolerr.BadPath, "%s is not a valid name for a memory file: %s.", toolerr.Quote(name), why).
			Try("Use a relative path such as memory/notes.md.")
	}
	switch {
	case strings.TrimSpace(name) == "":
		return bad("it is empty")
	case len(name) > policy.PathMaxBytes.Of(p):
		return bad("it is longer than " + policy.PathMaxBytes.Text(p) + " bytes")
	case strings.Count(name, "/") > policy.PathMaxDepth.Of(p):
		return bad("it is more than " + policy.PathMaxDepth.Text(p) + " folders deep")
	}
	path, err := vault.ParsePath(name)
	if err != nil {
		return bad(reason(err))
	}
	_, known := l.RoleOf(name)
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case strings.HasPrefix(part, "-"):
			return bad("a part begins with a dash")
		case strings.HasPrefix(part, ".") && !(known && part != ".git"):
			return bad("hidden files are out of reach")
		case strings.HasSuffix(part, ".") || strings.TrimSpace(part) != part:
			return bad("a part ends with a dot or has spaces around it")
		case isConfig(part):
			return bad("it is the operator's configuration")
		case device(part):
			return bad("some systems treat it as a device")
		}
	}
	for _, r := range name {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) || r == utf8.RuneError {
			return bad("it has invisible characters")
		}
	}
	return path, nil
}

// newName is stricter still: a new name must look and be the same on every system.
func newName(p vault.Path) error {
	no := func(why, try string, args ...any) error {
		return toolerr.New(toolerr.BadPath, "%s is not a valid name for a new file: %s.", toolerr.Quote(string(p)), why).Try(try, args...)
	}
	if i := strings.IndexAny(string(p), `<>:"|?*`); i >= 0 {
		return no(fmt.Sprintf("%q is special on some systems", string(p[i])), "Use letters, digits, dots, dashes and underscores.")
	}
	if composed := norm.NFC.String(string(p)); composed != string(p) {
		return no("its letters are not in composed form (NFC)", "Use %s.", toolerr.Quote(composed))
	}
	for part := range strings.SplitSeq(string(p), "/") {
		for _, r := range part {
			if r >= utf8.RuneSelf && (!unicode.IsGraphic(r) || unicode.IsSpace(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
				unicode.Is(unicode.Variation_Selector, r)) {
				return no("it has invisible characters", "Use letters, digits, dots, dashes and underscores.")
			}
		}
		if mixed(strings.TrimSuffix(part, path.Ext(part))) {
			return no("it mixes Latin letters with Greek or Cyrillic ones that look the same", "Use one alphabet.")
		}
	}
	return nil
}

// mixed reports whether a name could be mistaken for another one: many Greek and Cyrillic letters look like Latin
// ones.
func mixed(name string) bool {
	latin := strings.ContainsFunc(name, func(r rune) bool { return unicode.Is(unicode.Latin, r) })
	other := strings.ContainsFunc(name, func(r rune) bool { return unicode.In(r, unicode.Greek, unicode.Cyrillic) })
	return latin && other
}

// device reports whether Windows would open a device under this name.
func device(part string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(part), ".")
	switch strings.TrimSpace(stem) {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	if len(stem) == 4 && (strings.HasPrefix(stem, "com") || strings.HasPrefix(stem, "lpt")) {
		return stem[3] >= '1' && stem[3] <= '9'
	}
	return false
}

// reason returns the middle of vault.ParsePath's error, without the path before it and the sentinel after it.
func reason(err error) string {
	text := strings.TrimSuffix(err.Error(), ": "+errors.Unwrap(err).Error())
	if i := strings.LastIndex(text, `": `); i >= 0 {
		text = text[i+3:]
	}
	if strings.HasPrefix(text, "use ") {
		return text
	}
	return "it " + text
}
