package policy

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseBytes parses a size: 16384, "16KB", "1.5 MB". K, M and G are powers of 1024, with or without B.
func ParseBytes(s string) (int, error) {
	text := strings.ToUpper(strings.TrimSpace(s))
	digits := strings.TrimRight(text, "KMGIB ")
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a size such as 16KB or 16384", s)
	}
	scale := 1.0
	switch strings.TrimSpace(strings.TrimPrefix(text, digits)) {
	case "", "B":
	case "K", "KB", "KIB":
		scale = 1 << 10
	case "M", "MB", "MIB":
		scale = 1 << 20
	case "G", "GB", "GIB":
		scale = 1 << 30
	default:
		return 0, fmt.Errorf("%q is not a size such as 16KB or 16384", s)
	}
	if n < 0 || n*scale > 1<<50 {
		return 0, fmt.Errorf("%q is out of range", s)
	}
	return int(n * scale), nil
}

// FormatBytes formats a size exactly: 16KB if it is a whole number of a unit, else the number of bytes.
func FormatBytes(n int) string {
	for _, u := range []struct {
		size int
		name string
	}{{1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "KB"}} {
		if n >= u.size && n%u.size == 0 {
			return strconv.Itoa(n/u.size) + u.name
		}
	}
	return strconv.Itoa(n)
}
