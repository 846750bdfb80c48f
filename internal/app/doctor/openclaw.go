package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"tend/internal/disk/fsys"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job/write"
	"tend/internal/model/policy"
	"tend/internal/model/textfmt"
	"tend/internal/text/confedit"
)

// openclawConfig is the part of openclaw.json that affects compaction.
type openclawConfig struct {
	Agents struct {
		Defaults struct {
			ContextTokens int `json:"contextTokens"`
			Model         any `json:"model"`
			Compaction    struct {
				Mode               string `json:"mode"`
				ReserveTokensFloor *int   `json:"reserveTokensFloor"`
				MemoryFlush        struct {
					Enabled             *bool `json:"enabled"`
					SoftThresholdTokens *int  `json:"softThresholdTokens"`
				} `json:"memoryFlush"`
			} `json:"compaction"`
		} `json:"defaults"`
	} `json:"agents"`
	Models struct {
		Providers map[string]struct {
			Models []struct {
				ID            string `json:"id"`
				ContextWindow int    `json:"contextWindow"`
			} `json:"models"`
		} `json:"providers"`
	} `json:"models"`
}

// contextWindow returns the configured context window, 0 if none is set.
func (c openclawConfig) contextWindow() int {
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

// lookCompaction computes the flush point of each OpenClaw configuration, as the harness does.
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
		return note("openclaw.json was not found; --openclaw-config names it")
	case p.OpenClaw != "":
		return openclawDiagnosis(p.OpenClaw, policy.Policy{})
	}
	return []Diagnosis{{Result: Skipped, Message: "no agent runs on OpenClaw"}}
}

// findOpenclaw looks beside the workspace, at the path in the environment, and in the home folder.
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
		return []Diagnosis{broken("correct the file, or name the right one with --openclaw-config", "%s: %v", file, err)}
	}
	set := c.Agents.Defaults.Compaction
	sum := write.Compaction{Window: c.contextWindow(), Reserve: policy.OpenClawReserveTokens.Of(p), Soft: policy.OpenClawSoftTokens.Of(p)}
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
	remedy := fmt.Sprintf("in %s set agents.defaults.compaction.reserveTokensFloor to %d and memoryFlush.softThresholdTokens to %d: "+
		"then it fires at %s (%.0f %%)",
		file, better.Reserve, better.Soft, textfmt.Thousands(better.Trigger()), 100*better.Share())
	text := fmt.Sprintf("memory is flushed at %s of %s tokens, %.0f %%%s", textfmt.Thousands(sum.Trigger()), textfmt.Thousands(sum.Window),
		100*sum.Share(), assumed)
	switch {
	case set.MemoryFlush.Enabled != nil && !*set.MemoryFlush.Enabled:
		return []Diagnosis{warn("set agents.defaults.compaction.memoryFlush.enabled to true in "+file,
			"the flush of memory before a compaction is off")}
	case sum.Never():
		return []Diagnosis{warn(remedy, "reserve and threshold take up the whole window of %s tokens", textfmt.Thousands(sum.Window))}
	case sum.Late(p):
		return []Diagnosis{warn(remedy, "%s, later than %s", text, policy.Percent(policy.CompactionTriggerMax.Of(p)))}
	}
	return fine("%s", text)
}

func readOpenclaw(file string) (openclawConfig, error) {
	var c openclawConfig
	data, err := fsys.ReadFile(file)
	if err != nil {
		return c, err
	}
	root, err := confedit.ParseJSON(string(data), confedit.JSON5)
	if err != nil {
		return c, fmt.Errorf("it is not JSON: %w", err)
	}
	if err := root.Decode(&c); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			return c, fmt.Errorf("%s is a %s, but OpenClaw reads a %s there", wrong.Field, wrong.Value, kindName(wrong.Type))
		}
		return c, errors.New("a setting has another type than OpenClaw reads")
	}
	return c, nil
}

// kindName returns the JSON name of a type.
func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Float64:
		return "number"
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Slice:
		return "list"
	}
	return "object"
}
