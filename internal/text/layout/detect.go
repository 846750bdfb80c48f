package layout

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/goccy/go-yaml"
)

// sign is evidence in a folder for a layout, or against it if its weight is negative.
type sign struct {
	Path     string  `yaml:"path"`     // a pattern that some file must match
	Contains string  `yaml:"contains"` // and contain this text
	Weight   float64 `yaml:"weight"`   // 1 would be proof
	Why      string  `yaml:"why"`
}

// Guess is a layout a folder may have.
type Guess struct {
	Ref        string
	Confidence float64 // 0 to 1
	Reasons    []string
}

// Detect guesses the harness of a folder from its paths (relative, with slashes) and, for a few of them, their text. The
// best guess comes first; of two versions that look alike, the newer one. Without evidence the list is empty. read may be
// nil, or return nil for a file that cannot be read.
func Detect(paths []string, read func(path string) []byte) ([]Guess, error) {
	var out []Guess
	for _, p := range slices.Backward(presets()) {
		signs, err := p.readSigns()
		if err != nil {
			return nil, err
		}
		if g := combineSigns(p.ref(), signs, paths, read); g.Confidence > 0 {
			out = append(out, g)
		}
	}
	slices.SortStableFunc(out, func(a, b Guess) int { return cmp.Compare(b.Confidence, a.Confidence) })
	return out, nil
}

// readSigns reads only the signs of a preset: most commands look for them, and few need more than one of the presets.
func (p preset) readSigns() (list []sign, err error) {
	m, err := presetTree(p.ref())
	if err != nil {
		return nil, err
	}
	if n := member(m, "detect"); n != nil {
		err = yaml.NodeToValue(n, &list)
	}
	return list, err
}

// combineSigns combines signs as independent evidence: doubt is what all signs together leave.
func combineSigns(ref string, signs []sign, paths []string, read func(string) []byte) Guess {
	g := Guess{Ref: ref}
	doubt, trust := 1.0, 1.0
	for _, s := range signs {
		path, ok := s.findIn(paths, read)
		if !ok {
			continue
		}
		if s.Weight < 0 {
			trust *= 1 + s.Weight
		} else {
			doubt *= 1 - s.Weight
		}
		g.Reasons = append(g.Reasons, path+" "+cmp.Or(s.Why, "exists"))
	}
	g.Confidence = (1 - doubt) * trust
	return g
}

func (s sign) findIn(paths []string, read func(string) []byte) (string, bool) {
	p, ok := compilePattern(s.Path)
	if !ok {
		return "", false
	}
	for _, path := range paths {
		if _, fits := p.match(path); !fits {
			continue
		}
		if s.Contains == "" {
			return path, true
		}
		if read != nil && bytes.Contains(read(path), []byte(s.Contains)) {
			return path, true
		}
	}
	return "", false
}
