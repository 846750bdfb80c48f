package layout

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// doc is a layout as written.
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

// parseDoc reads the mapping of a layout file.
func parseDoc(name string, data []byte) (*ast.MappingNode, error) {
	f, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, yamlError(name, err)
	}
	if len(f.Docs) == 0 || f.Docs[0].Body == nil {
		return ast.Mapping(token.New("", "", &token.Position{}), false), nil
	}
	m, ok := f.Docs[0].Body.(*ast.MappingNode)
	if !ok {
		return nil, fmt.Errorf("read layout %s: it is not a mapping of keys to values", name)
	}
	return m, nil
}

// decodeDoc decodes a layout strictly: an unknown key or a wrong type is an error with its line.
func decodeDoc(name string, m *ast.MappingNode) (doc, error) {
	var d doc
	if err := yaml.NodeToValue(m, &d, yaml.Strict()); err != nil {
		return doc{}, yamlError(name, err)
	}
	return d, nil
}

func yamlError(name string, err error) error {
	return fmt.Errorf("read layout %s: %s", name, strings.TrimSpace(yaml.FormatError(err, false, true)))
}

// member returns the value of a key, nil if there is none.
func member(m *ast.MappingNode, key string) ast.Node {
	for _, v := range m.Values {
		if v.Key.GetToken().Value == key {
			return v.Value
		}
	}
	return nil
}

// mergeMaps merges high over low: mappings merge, everything else replaces, null removes.
func mergeMaps(low, high *ast.MappingNode) *ast.MappingNode {
	out := ast.Mapping(high.Start, high.IsFlowStyle)
	for _, v := range high.Values {
		key := v.Key.GetToken().Value
		if v.Value.Type() == ast.NullType {
			continue
		}
		below, isMap := member(low, key).(*ast.MappingNode)
		if above, both := v.Value.(*ast.MappingNode); isMap && both {
			v = ast.MappingValue(v.Start, v.Key, mergeMaps(below, above))
		}
		out.Values = append(out.Values, v)
	}
	for _, v := range low.Values {
		if member(high, v.Key.GetToken().Value) == nil {
			out.Values = append(out.Values, v)
		}
	}
	return out
}
