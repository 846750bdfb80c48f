package policy

import (
	"strings"
	"unicode/utf8"
)

// KeyError is a problem with one key; the configuration reader adds the line.
type KeyError struct {
	Key     string
	Problem string
	Hint    string
}

func (e *KeyError) Error() string {
	s := e.Key + ": " + e.Problem
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	return s
}

func unknownKey(name string) *KeyError {
	e := &KeyError{Key: name, Problem: "unknown policy key"}
	var names, below []string
	for _, k := range allKeys() {
		n := k.Info().Name
		names = append(names, n)
		if strings.HasPrefix(n, name+".") {
			below = append(below, n)
		}
	}
	switch {
	case len(below) > 0:
		e.Hint = "write the full key: " + strings.Join(below, ", ")
	default:
		if near := Nearest(name, names); near != "" {
			e.Hint = "did you mean " + near + "?"
		} else {
			e.Hint = "`tend policy` lists all keys"
		}
	}
	return e
}

// Nearest returns the known word most like the given one, or "" if none is similar. It serves every "did you mean".
func Nearest(word string, known []string) string {
	best, bestCost := "", utf8.RuneCountInString(word)/2+1
	for _, k := range known {
		if cost := editDistance(strings.ToLower(word), strings.ToLower(k)); cost < bestCost {
			best, bestCost = k, cost
		}
	}
	return best
}

// editDistance is the number of single-letter edits (insert, delete, replace, swap of neighbours) between a and b.
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, prev, cur := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		cur[0] = i
		for j := 1; j <= len(y); j++ {
			change := 1
			if x[i-1] == y[j-1] {
				change = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(y)]
}
