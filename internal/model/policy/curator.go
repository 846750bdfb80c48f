package policy

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// The model that curates memory: one setting names it.
var (
	Curator = curator("curator", doc{
		"the model that curates memory: openclaw, claude, codex, gemini, ollama/NAME, openai/NAME, anthropic/NAME, " +
			"https://host/v1#NAME or [program, argument]",
		"Tend: no model needed"})
	CuratorKeyFile = text("curator.key_file", "none", doc{
		"file with the API key of the curator's server, absolute; none takes it from the environment",
		"Tend"})
)

// curator is a key that names a model or a command.
func curator(name string, d doc) Key[CuratorChoice] {
	return Key[CuratorChoice]{name: name, unit: Text, doc: d, kind: &curators}
}

// CuratorChoice names a curator: a program or model by one word, or a command. The zero value is none.
type CuratorChoice struct {
	Name    string
	Command []string
}

// Off reports that there is no curator.
func (c CuratorChoice) Off() bool { return c.Name == "" && len(c.Command) == 0 }

func (c CuratorChoice) String() string {
	switch {
	case len(c.Command) > 0:
		return "[" + strings.Join(c.Command, ", ") + "]"
	case c.Name == "":
		return "off"
	}
	return c.Name
}

// programs are the harnesses whose own program can be the curator.
var programs = []string{"openclaw", "claude", "codex", "gemini"}

var curators = kind[CuratorChoice]{
	accept: func(_ Key[CuratorChoice], v any) (CuratorChoice, error) { return curatorChoice(v) },
	accepts: func(Key[CuratorChoice]) string {
		return "off, a program, PROVIDER/MODEL, https://host/v1#MODEL or [program, argument]"
	},
	format: func(_ Key[CuratorChoice], c CuratorChoice) string { return c.String() },
	clone:  func(c CuratorChoice) CuratorChoice { return CuratorChoice{c.Name, slices.Clone(c.Command)} },
}

func curatorChoice(v any) (CuratorChoice, error) {
	switch v := v.(type) {
	case CuratorChoice:
		return v, nil
	case bool:
		if !v {
			return CuratorChoice{}, nil // in YAML 1.1 off is false
		}
	case string:
		return namedCurator(strings.TrimSpace(v))
	case []string, []any:
		words, err := argumentList(v)
		if err != nil || len(words) == 0 {
			return CuratorChoice{}, fmt.Errorf("%s is not a command", describeValue(v))
		}
		return CuratorChoice{Command: words}, nil
	}
	return CuratorChoice{}, fmt.Errorf("%s is neither a curator nor a command", describeValue(v))
}

// argumentList is a program with its arguments, which may repeat.
func argumentList(v any) ([]string, error) {
	if list, ok := v.([]string); ok {
		return list, nil
	}
	var out []string
	for i, item := range v.([]any) {
		s, ok := item.(string)
		if !ok || strings.ContainsAny(s, "\r\n\x00") || i == 0 && s == "" {
			return nil, fmt.Errorf("item %d is not an argument", i+1)
		}
		out = append(out, s)
	}
	return out, nil
}

func namedCurator(s string) (CuratorChoice, error) {
	c := CuratorChoice{Name: s}
	if s == "off" || s == "none" {
		return CuratorChoice{}, nil
	}
	if slices.Contains(programs, s) {
		return c, nil
	}
	if strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://") {
		u, err := url.Parse(s)
		if err != nil || u.Host == "" || u.Fragment == "" || u.User != nil {
			return CuratorChoice{}, fmt.Errorf("%q is not an address with a model: write https://host/v1#MODEL", s)
		}
		return c, nil
	}
	provider, model, ok := strings.Cut(s, "/")
	if ok && model != "" && !strings.ContainsAny(model, " \t\r\n") && slices.Contains([]string{"ollama", "openai", "anthropic"}, provider) {
		return c, nil
	}
	if near := Nearest(provider, append([]string{"ollama/MODEL", "openai/MODEL", "anthropic/MODEL"}, programs...)); near != "" {
		return CuratorChoice{}, fmt.Errorf("%q is not known, did you mean %s?", s, near)
	}
	return CuratorChoice{}, fmt.Errorf("%q is not known", s)
}
