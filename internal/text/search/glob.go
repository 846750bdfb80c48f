package search

import (
	"regexp"
	"strings"
)

var globParts = strings.NewReplacer(`\*\*/`, `(.*/)?`, `\*\*`, `.*`, `\*`, `[^/]*`, `\?`, `[^/]`)

// pathMatcher tells whether paths fit a pattern. * and ? stop at slashes, ** does not. A pattern without a slash is
// matched with every name in the path, so memory* finds a folder of that name too; without * or ?, it may be any part of the path.
func pathMatcher(pattern string) func(path string) bool {
	pattern = strings.ToLower(strings.ToValidUTF8(strings.TrimPrefix(pattern, "./"), "?"))
	if !strings.ContainsAny(pattern, "*?") {
		return func(path string) bool { return strings.Contains(strings.ToLower(path), pattern) }
	}
	whole := "(?s)^%$"
	if !strings.Contains(pattern, "/") {
		whole = "(^|/)%($|/)"
	}
	re := regexp.MustCompile(strings.Replace(whole, "%", globParts.Replace(regexp.QuoteMeta(pattern)), 1))
	return func(path string) bool { return re.MatchString(strings.ToLower(path)) }
}
