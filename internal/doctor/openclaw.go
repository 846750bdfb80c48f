package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"

	"tend/internal/config"
	"tend/internal/fleet"
	"tend/internal/job"
	"tend/internal/policy"
	"tend/internal/words"
)

// openclawConfig is what of openclaw.json bears on compaction.
type openclawConfig struct {
	Agents struct {
		Defaults struct {
			ContextTokens int `yaml:"contextTokens"`
			Model         any `yaml:"model"`
			Compaction    struct {
				Mode               string `yaml:"mode"`
				ReserveTokensFloor *int   `yaml:"reserveTokensFloor"`
				MemoryFlush        struct {
					Enabled             *bool `yaml:"enabled"`
					SoftThresholdTokens *int  `yaml:"softThresholdTokens"`
				} `yaml:"memoryFlush"`
			} `yaml:"compaction"`
		} `yaml:"defaults"`
	} `yaml:"agents"`
	Models struct {
		Providers map[string]struct {
			Models []struct {
				ID            string `yaml:"id"`
				ContextWindow int    `yaml:"contextWindow"`
			} `yaml:"models"`
		} `yaml:"providers"`
	} `yaml:"models"`
}

// window is the context window the settings give, 0 if they do not say.
func (c openclawConfig) window() int {
	if c.Agents.Defaults.ContextTokens > 0 {
		return c.Agents.Defaults.ContextTokens
	}
	name, _ := c.Agents.Defaults.Model.(string)
	if m, ok := c.Agents.Defaults.Model.(map[string]any); ok {
		name, _ = m["primary"].(string)
	}
	provider, id, _ := strings.Cut(name, "/")
	for _, m := range c.Models.Providers[provider].Models {
		if m.ID == id {
			return m.ContextWindow
		}
	}
	return 0
}

// lookCompaction does the harness's own sum for each OpenClaw configuration there is.
func lookCompaction(_ context.Context, p *patient) []Diagnosis {
	var out []Diagnosis
	seen := map[string]bool{}
	openclaws := 0
	for _, ag := range p.agents {
		if !strings.HasPrefix(ag.Layout.Name, "openclaw") {
			continue
		}
		openclaws++
		file := p.OpenClaw
		if file == "" {
			file = findOpenclaw(ag)
		}
		if file == "" || seen[file] {
			continue
		}
		seen[file] = true
		out = append(out, openclawDiagnosis(file, ag.Policy)...)
	}
	switch {
	case len(out) > 0:
		return out
	case openclaws > 0:
		return aside("openclaw.json was not found; --openclaw-config names it")
	case p.OpenClaw != "":
		return openclawDiagnosis(p.OpenClaw, policy.Policy{})
	}
	return []Diagnosis{{Result: Skipped, Message: "no agent runs on OpenClaw"}}
}

// findOpenclaw looks beside the workspace, where the environment says, and at home.
func findOpenclaw(ag *fleet.Agent) string {
	var places []string
	if ag.Workspace.Kind == config.Local {
		places = append(places, filepath.Join(filepath.Dir(ag.Workspace.Path), "openclaw.json"))
	}
	places = append(places, os.Getenv("OPENCLAW_CONFIG_PATH"))
	if home, err := os.UserHomeDir(); err == nil {
		places = append(places, filepath.Join(home, ".openclaw", "openclaw.json"))
	}
	for _, place := range places {
		if i, err := os.Stat(place); place != "" && err == nil && i.Mode().IsRegular() {
			return place
		}
	}
	return ""
}

func openclawDiagnosis(file string, p policy.Policy) []Diagnosis {
	c, err := readOpenclaw(file)
	if err != nil {
		return []Diagnosis{broken("name the right file with --openclaw-config", "%s: %v", file, err)}
	}
	set := c.Agents.Defaults.Compaction
	sum := job.Compaction{Window: c.window(), Reserve: policy.OpenClawReserveTokens.Of(p), Soft: policy.OpenClawSoftTokens.Of(p)}
	assumed := ""
	if sum.Window == 0 {
		sum.Window, assumed = policy.CompactionWindow.Of(p), " (window assumed)"
	}
	if set.ReserveTokensFloor != nil {
		sum.Reserve = *set.ReserveTokensFloor
	}
	if set.MemoryFlush.SoftThresholdTokens != nil {
		sum.Soft = *set.MemoryFlush.SoftThresholdTokens
	}
	better := sum.Better(p)
	remedy := fmt.Sprintf("in %s set agents.defaults.compaction.reserveTokensFloor to %d and memoryFlush.softThresholdTokens to %d: then it fires at %s (%.0f %%)",
		file, better.Reserve, better.Soft, words.Thousands(better.Trigger()), 100*better.Share())
	text := fmt.Sprintf("memory is flushed at %s of %s tokens, %.0f %%%s", words.Thousands(sum.Trigger()), words.Thousands(sum.Window), 100*sum.Share(), assumed)
	switch {
	case set.MemoryFlush.Enabled != nil && !*set.MemoryFlush.Enabled:
		return []Diagnosis{warn("set agents.defaults.compaction.memoryFlush.enabled to true in "+file, "the flush of memory before a compaction is off")}
	case sum.Never():
		return []Diagnosis{warn(remedy, "reserve and threshold take up the whole window of %s tokens", words.Thousands(sum.Window))}
	case sum.Late(p):
		return []Diagnosis{warn(remedy, "%s, later than %s", text, policy.Percent(policy.CompactionTriggerMax.Of(p)))}
	}
	return fine("%s", text)
}

func readOpenclaw(file string) (openclawConfig, error) {
	var c openclawConfig
	data, err := os.ReadFile(file)
	if err != nil {
		return c, err
	}
	if err := yaml.Unmarshal(plainJSON(data), &c); err != nil {
		return c, errors.New("it is not JSON")
	}
	return c, nil
}

// plainJSON takes from JSON5 what YAML cannot read: comments, tabs, colons right before a
// value, and single quotes. What strings say stays as it is.
func plainJSON(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"' || c == '\'':
			end := i + 1
			for end < len(data) && data[end] != c {
				if data[end] == '\\' {
					end++
				}
				end++
			}
			inner := data[i+1 : min(end, len(data))]
			if c == '\'' {
				inner = []byte(strings.NewReplacer(`\'`, `'`, `"`, `\"`).Replace(string(inner)))
			}
			out = append(append(append(out, '"'), inner...), '"')
			i = end
		case c == '/' && i+1 < len(data) && data[i+1] == '/':
			for i < len(data) && data[i] != '\n' {
				i++
			}
			out = append(out, '\n')
		case c == '/' && i+1 < len(data) && data[i+1] == '*':
			for i += 2; i < len(data) && !(data[i-1] == '*' && data[i] == '/' && i > 2); i++ {
			}
			out = append(out, ' ')
		case c == '\t' || c == '\r':
			out = append(out, ' ')
		case c == ':':
			out = append(out, ':', ' ')
		default:
			out = append(out, c)
		}
	}
	return out
}
