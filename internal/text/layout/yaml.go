package layout

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/goccy/go-yaml"
)

// doc is a layout as written. Only this file uses the YAML library.
type doc struct {
	Name    string              `yaml:"name"`
	Version string              `yaml:"version"`
	About   string              `yaml:"about"`
	Since   string              `yaml:"since"`
	Extends string              `yaml:"extends"`
	Home    string              `yaml:"home"`
	Reach   string              `yaml:"reach"`
	Flat    string              `yaml:"flat"`
	Local   []string            `yaml:"local"`
	Roles   map[string]patterns `yaml:"roles"`
	Entries Entries             `yaml:"entries"`
	Headers []Header            `yaml:"headers"`
	Closure []string            `yaml:"closure"`
	Owners  []Owner             `yaml:"owners"`
	// Ownership is the owner by role: operator, shared or agent.
	Ownership map[string]string `yaml:"ownership"`
	Policy    map[string]any    `yaml:"policy"`
	Show      Show              `yaml:"show"`
	Context   Context           `yaml:"context"`
	Detect    []sign            `yaml:"detect"`
}

// patterns may be written as one path or a list.
type patterns []string

func (p *patterns) UnmarshalYAML(decode func(any) error) error {
	var one string
	if err := decode(&one); err == nil {
		*p = patterns{one}
		return nil
	}
	return decode((*[]string)(p))
}

// decodeDoc parses a layout strictly: an unknown key or a wrong type is an error with its line.
func decodeDoc(name string, data []byte) (doc, error) {
	var d doc
	err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&d)
	if err != nil && !errors.Is(err, io.EOF) {
		return doc{}, fmt.Errorf("read layout %s: %s", name, strings.TrimSpace(yaml.FormatError(err, false, true)))
	}
	return d, nil
}

// tree parses a layout loosely, for merging.
func tree(name string, data []byte) (map[string]any, error) {
	var m map[string]any
	if err := yaml.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("read layout %s: %w", name, err)
	}
	return m, nil
}

// untree converts a merged layout through JSON: all JSON is YAML, and unlike the YAML library's output it keeps texts
// that consist of line breaks only.
func untree(name string, m map[string]any) (doc, error) {
	data, err := json.Marshal(m)
	if err != nil {
		return doc{}, fmt.Errorf("extend layout %s: %w", name, err)
	}
	return decodeDoc(name, data)
}

// merge merges high over low: mappings merge, everything else replaces, null removes.
func merge(low, high map[string]any) map[string]any {
	out := make(map[string]any, len(low)+len(high))
	maps.Copy(out, low)
	for k, v := range high {
		below, isMap := out[k].(map[string]any)
		above, both := v.(map[string]any)
		switch {
		case v == nil:
			delete(out, k)
		case isMap && both:
			out[k] = merge(below, above)
		default:
			out[k] = v
		}
	}
	return out
}
