package note

import (
	"regexp"
	"strings"
	"sync"
)

// Remark adds words in brackets to the first line of an entry, before a colon at its end.
func Remark(entry, words string) string {
	first, rest, nested := strings.Cut(entry, "\n")
	first, colon := strings.TrimRight(first, " "), ""
	for _, c := range []string{":", "："} {
		if before, ok := strings.CutSuffix(first, c); ok {
			first, colon = before, c
		}
	}
	if first += " (" + words + ")" + colon; nested {
		return first + "\n" + rest
	}
	return first
}

// WithoutDay returns an entry without a day that stands as a remark at the end of its first line.
func WithoutDay(entry string) string {
	first, rest, nested := strings.Cut(entry, "\n")
	first = dayRemark().ReplaceAllString(first, "$1")
	if nested {
		return first + "\n" + rest
	}
	return first
}

var dayRemark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` \(\d{4}-\d{2}-\d{2}\)([:：]?)$`) })
