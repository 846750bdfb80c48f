package search

import "strings"

// matchPath tells whether a path fits a pattern. * and ? stop at slashes, ** does not. A pattern without a slash is
// matched with every name in the path, so memory* finds a folder of that name too; without * or ?, it may be any part of the path.
func matchPath(pattern, path string) bool {
	pattern, path = strings.ToLower(pattern), strings.ToLower(path)
	if !strings.ContainsAny(pattern, "*?") {
		return strings.Contains(path, pattern)
	}
	if strings.Contains(pattern, "/") {
		return glob(strings.TrimPrefix(pattern, "./"), path)
	}
	for name := range strings.SplitSeq(path, "/") {
		if glob(pattern, name) {
			return true
		}
	}
	return false
}

// glob matches in time proportional to the product of the lengths: it only ever goes back to the last star.
func glob(pattern, s string) bool {
	type retry struct{ p, s int }
	star, deep := retry{-1, 0}, retry{-1, 0}
	p, i := 0, 0
	for i < len(s) {
		switch {
		case strings.HasPrefix(pattern[p:], "**"):
			p += 2
			if p < len(pattern) && pattern[p] == '/' && (i == 0 || s[i-1] == '/') {
				// "**/" also matches no folder at all.
				deep, star = retry{p, i}, retry{-1, 0}
				p++
				continue
			}
			deep, star = retry{p, i}, retry{-1, 0}
		case p < len(pattern) && pattern[p] == '*':
			p++
			star = retry{p, i}
		case p < len(pattern) && (pattern[p] == s[i] || pattern[p] == '?' && s[i] != '/'):
			p++
			i++
		case star.p >= 0 && s[star.s] != '/':
			star.s++
			p, i = star.p, star.s
		case deep.p >= 0:
			deep.s++
			p, i, star = deep.p, deep.s, retry{-1, 0}
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
