package policy

import (
	"fmt"
	"slices"
	"strings"
)

// choice is a key with a closed set of words.
func choice[T ~string](name string, def T, options []T, d doc) Key[T] {
	return Key[T]{name: name, unit: Enum, def: def, options: options, doc: d, kind: &kind[T]{
		accept:  acceptWord[T],
		accepts: func(k Key[T]) string { return strings.Join(wordsOf(k), ", ") },
		format:  func(_ Key[T], v T) string { return string(v) },
	}}
}

func wordsOf[T ~string](k Key[T]) []string {
	words := make([]string, len(k.options))
	for i, o := range k.options {
		words[i] = string(o)
	}
	return words
}

func acceptWord[T ~string](k Key[T], v any) (T, error) {
	text, ok := v.(string)
	if t, same := v.(T); same {
		text, ok = string(t), true
	}
	if b, isBool := v.(bool); isBool && !b {
		text, ok = "off", true // in YAML 1.1 off is false
	}
	if !ok {
		return "", fmt.Errorf("%s is not a word", describeValue(v))
	}
	if words := wordsOf(k); !slices.Contains(words, text) {
		if near := Nearest(text, words); near != "" {
			return "", fmt.Errorf("%q is not known, did you mean %s?", text, near)
		}
		return "", fmt.Errorf("%q is not known", text)
	}
	return T(text), nil
}

// text is a key of one line of text that must not be empty.
func text(name, def string, d doc) Key[string] {
	return Key[string]{name: name, unit: Text, def: def, doc: d, kind: &texts}
}

var texts = kind[string]{
	accept: func(_ Key[string], v any) (string, error) {
		s, ok := v.(string)
		if !ok {
			return "", fmt.Errorf("%s is not text", describeValue(v))
		}
		if strings.TrimSpace(s) == "" || strings.ContainsAny(s, "\r\n") {
			return "", fmt.Errorf("%q is not one line of text", s)
		}
		return s, nil
	},
	accepts: func(Key[string]) string { return "one line of text" },
	format:  func(_ Key[string], s string) string { return s },
}

// list is a key with an ordered list of distinct words.
func list(name string, def []string, d doc) Key[[]string] {
	return Key[[]string]{name: name, unit: List, def: def, doc: d, kind: &lists}
}

var lists = kind[[]string]{
	accept:  func(_ Key[[]string], v any) ([]string, error) { return distinctWords(v) },
	accepts: func(Key[[]string]) string { return "a list of words such as [a, b]" },
	format: func(_ Key[[]string], words []string) string {
		if len(words) == 0 {
			return "none"
		}
		return strings.Join(words, ", ")
	},
	clone: func(words []string) []string { return slices.Clone(words) },
}

func distinctWords(v any) ([]string, error) {
	var words []string
	switch v := v.(type) {
	case []string:
		words = slices.Clone(v)
	case []any:
		for i, item := range v {
			s, ok := item.(string)
			if !ok {
				return nil, fmt.Errorf("item %d, %s, is not text", i+1, describeValue(item))
			}
			words = append(words, s)
		}
	default:
		return nil, fmt.Errorf("%s is not a list", describeValue(v))
	}
	seen := make(map[string]bool, len(words))
	for i, w := range words {
		switch {
		case strings.TrimSpace(w) == "" || strings.ContainsAny(w, "\r\n"):
			return nil, fmt.Errorf("item %d is empty or not one line", i+1)
		case seen[w]:
			return nil, fmt.Errorf("item %d, %q, appears twice", i+1, w)
		}
		seen[w] = true
	}
	return words, nil
}
