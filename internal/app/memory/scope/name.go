package scope

import (
	"errors"
	"fmt"
	"slices"
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
	return f.resolveName(p), nil
}

// isConfig reports whether a name is that of a configuration, which agents must never write.
func isConfig(part string) bool {
	return strings.EqualFold(part, "tend.yaml") || strings.EqualFold(part, "tend.yml")
}

func parseName(name string, l layout.Layout, p policy.Policy) (vault.Path, error) {
	invalid := func(why string) (vault.Path, error) {
		return "", toolerr.New(toolerr.BadPath, "%s is not a valid name for a memory file: %s.", toolerr.Quote(name), why).
			Try("Use a relative path such as memory/notes.md.")
	}
	switch {
	case strings.TrimSpace(name) == "":
		return invalid("it is empty")
	case len(name) > policy.PathMaxBytes.Of(p):
		return invalid("it is longer than " + policy.PathMaxBytes.Text(p) + " bytes")
	case strings.Count(name, "/") > policy.PathMaxDepth.Of(p):
		return invalid("it is more than " + policy.PathMaxDepth.Text(p) + " folders deep")
	}
	parsed, err := vault.ParsePath(name)
	if err != nil {
		return invalid(reasonOf(err))
	}
	_, known := l.RoleOf(name) // a layout may give hidden files a role, but none in .git
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case strings.HasPrefix(part, "-"):
			return invalid("a part begins with a dash")
		case strings.HasPrefix(part, ".") && (!known || part == ".git"):
			return invalid("hidden files are out of reach")
		case strings.HasSuffix(part, ".") || strings.TrimSpace(part) != part:
			return invalid("a part ends with a dot or has spaces around it")
		case isConfig(part):
			return invalid("it is the operator's configuration")
		case isDevice(part):
			return invalid("some systems treat it as a device")
		}
	}
	for _, r := range name {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) || r == utf8.RuneError {
			return invalid("it has invisible characters")
		}
	}
	return parsed, nil
}

// checkNewName is stricter still: a new name must look and be the same on every system.
func checkNewName(p vault.Path) error {
	name := string(p)
	invalid := func(why, try string, args ...any) error {
		return toolerr.New(toolerr.BadPath, "%s is not a valid name for a new file: %s.", toolerr.Quote(name), why).Try(try, args...)
	}
	if i := strings.IndexAny(name, `<>:"|?*`); i >= 0 {
		return invalid(fmt.Sprintf("%q is special on some systems", name[i:i+1]), "Use letters, digits, dots, dashes and underscores.")
	}
	if composed := norm.NFC.String(name); composed != name {
		return invalid("its letters are not in composed form (NFC)", "Use %s.", toolerr.Quote(composed))
	}
	for _, r := range name {
		if r >= utf8.RuneSelf && (!unicode.IsGraphic(r) || unicode.IsSpace(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
			unicode.Is(unicode.Variation_Selector, r)) {
			return invalid("it has invisible characters", "Use letters, digits, dots, dashes and underscores.")
		}
	}
	if word := mixedWord(name); word != "" {
		return invalid(toolerr.Quote(word)+" mixes Latin letters with Greek or Cyrillic ones and could be mistaken for another name",
			"Use one alphabet for each word.")
	}
	return nil
}

// mixedWord returns a word that has Latin letters and Greek or Cyrillic ones, many of which look like Latin ones; "" if there is
// none. A name may have words of several alphabets.
func mixedWord(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) })
	i := slices.IndexFunc(words, func(word string) bool {
		return strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Latin, r) }) &&
			strings.ContainsFunc(word, func(r rune) bool { return unicode.In(r, unicode.Greek, unicode.Cyrillic) })
	})
	if i < 0 {
		return ""
	}
	return words[i]
}

// isDevice reports whether Windows would open a device under this name.
func isDevice(part string) bool {
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

// reasonOf returns the middle of vault.ParsePath's error, without the path before it and the sentinel after it.
func reasonOf(err error) string {
	text := strings.TrimSuffix(err.Error(), ": "+errors.Unwrap(err).Error())
	if i := strings.LastIndex(text, `": `); i >= 0 {
		text = text[i+3:]
	}
	if strings.HasPrefix(text, "use ") {
		return text
	}
	return "it " + text
}
