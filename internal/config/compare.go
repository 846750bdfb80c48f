package config

import (
	"cmp"
	"slices"
	"strconv"

	"tend/internal/policy"
)

// Difference is one thing that a tend.yaml does otherwise than a memory-shepherd.conf says.
type Difference struct {
	File   string `json:"file"`   // address of the memory file
	What   string `json:"what"`   // baseline, separator, archives, enabled or a policy key
	Conf   string `json:"conf"`   // "" when the conf does not have the file
	Config string `json:"config"` // "" when the tend.yaml does not have the file
	Line   int    `json:"line"`   // of the agent in tend.yaml, 0 when there is none
}

// CompareImport says what cfg does otherwise than the text of a memory-shepherd.conf. It goes by the files they look
// after, so that an agent that was renamed, or made of several sections, is still the same.
func CompareImport(text []byte, opt ImportOptions, cfg *Config) ([]Difference, Imported, error) {
	opt.To = cfg.Path
	im, err := Import(text, opt)
	if err != nil {
		return nil, im, err
	}
	want, err := Parse(opt.To, im.Text, opt.Env)
	if err != nil {
		return nil, im, err
	}
	return compare(want, cfg), im, nil
}

// kept is one file with who looks after it.
type kept struct {
	agent  Agent
	source string
}

func (c *Config) kept() map[string]kept {
	files := map[string]kept{}
	for _, a := range c.Agents {
		for _, b := range a.Baselines {
			files[a.Workspace.File(b.File)] = kept{a, b.Source}
		}
	}
	return files
}

func compare(want, got *Config) []Difference {
	var out []Difference
	have := got.kept()
	for file, w := range want.kept() {
		g, ok := have[file]
		if !ok {
			out = append(out, Difference{File: file, What: "baseline", Conf: w.source})
			continue
		}
		delete(have, file)
		differ := func(what, conf, config string) {
			if conf != config {
				out = append(out, Difference{file, what, conf, config, g.agent.Line})
			}
		}
		differ("baseline", w.source, g.source)
		differ("separator", w.agent.Separator(), g.agent.Separator())
		differ("archives", w.agent.ArchiveDir, g.agent.ArchiveDir)
		differ("enabled", strconv.FormatBool(w.agent.Enabled), strconv.FormatBool(g.agent.Enabled))
		for _, key := range []interface {
			Name() string
			Text(policy.Policy) string
		}{policy.HotMaxBytes, policy.ArchiveRetention, policy.BaselineMinBytes} {
			differ(key.Name(), key.Text(w.agent.Policy), key.Text(g.agent.Policy))
		}
	}
	for file, g := range have {
		out = append(out, Difference{File: file, What: "baseline", Config: g.source, Line: g.agent.Line})
	}
	slices.SortFunc(out, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.What, b.What))
	})
	return out
}
