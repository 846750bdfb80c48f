package policy

import (
	"fmt"
	"slices"
	"strings"
)

// choice is a key with a closed set of words.
func choice[T ~string](name string, def T, options []T, d doc) Key[T] {
	words := make([]string, len(options))
	for i, o := range options {
		words[i] = string(o)
	}
	k := Key[T]{def: def, format: func(v T) string { return string(v) }}
	k.accept = func(v any) (T, error) {
		text, ok := v.(string)
		if t, same := v.(T); same {
			text, ok = string(t), true
		}
		if b, isBool := v.(bool); isBool && !b {
			text, ok = "off", true // YAML 1.1 habits: off may arrive as false
		}
		if !ok {
			return "", fmt.Errorf("%s is not one of the words", describe(v))
		}
		if !slices.Contains(words, text) {
			if near := Nearest(text, words); near != "" {
				return "", fmt.Errorf("%q is not known, did you mean %s?", text, near)
			}
			return "", fmt.Errorf("%q is not known", text)
		}
		return T(text), nil
	}
	k.info = d.info(name, Enum)
	k.accepts = func() string { return strings.Join(words, ", ") }
	return k
}

// text is a key of one line of text that must not be empty.
func text(name, def string, d doc) Key[string] {
	k := Key[string]{def: def, format: func(s string) string { return s }}
	k.accept = func(v any) (string, error) {
		s, ok := v.(string)
		if !ok {
			return "", fmt.Errorf("%s is not text", describe(v))
		}
		if strings.TrimSpace(s) == "" || strings.ContainsAny(s, "\r\n") {
			return "", fmt.Errorf("%q is not one line of text", s)
		}
		return s, nil
	}
	k.info = d.info(name, Text)
	k.accepts = func() string { return "one line of text" }
	return k
}

// list is a key of distinct words in an order.
func list(name string, def []string, d doc) Key[[]string] {
	k := Key[[]string]{def: def, clone: slices.Clone[[]string]}
	k.format = func(words []string) string {
		if len(words) == 0 {
			return "none"
		}
		return strings.Join(words, ", ")
	}
	k.accept = func(v any) ([]string, error) {
		var words []string
		switch v := v.(type) {
		case []string:
			words = slices.Clone(v)
		case []any:
			for i, item := range v {
				s, ok := item.(string)
				if !ok {
					return nil, fmt.Errorf("item %d, %s, is not text", i+1, describe(item))
				}
				words = append(words, s)
			}
		default:
			return nil, fmt.Errorf("%s is not a list", describe(v))
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
	k.info = d.info(name, List)
	k.accepts = func() string { return "a list of words such as [a, b]" }
	return k
}
