package job

import (
	"regexp"
	"sync"
)

// expr is a regular expression that is compiled when it is first used: most
// commands need none of them, and all should start at once.
func expr(s string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}
