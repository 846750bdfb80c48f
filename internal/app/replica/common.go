package replica

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/transfer"
	"tend/internal/model/policy"
	"tend/internal/model/usererr"
	"tend/internal/state/token"
	"tend/internal/sync/journal"
	"tend/internal/sync/store"
	"tend/internal/sync/store/dial"
)

// Common is what belongs to all agents of a store: the configuration of replicas, the tokens of their clients, and
// since when each agent is there.
type Common struct {
	Config string               // tend.yaml; paths in it are relative to a replica's own folder
	Tokens string               // tokens.json
	Since  map[string]time.Time // by agent
	At     journal.Position
}

// The files of the fleet's journal.
const (
	commonConfig = journal.Config + "/tend.yaml"
	commonTokens = journal.Config + "/tokens.json"
	commonSince  = journal.Config + "/since.json"
)

// ReadCommon reads what belongs to all agents. A new store gives an empty configuration.
func ReadCommon(ctx context.Context, s *dial.Connected) (Common, error) {
	if s.Syncing {
		return Common{}, Explain(fmt.Errorf("%s: %w", s.Name(), dial.ErrSyncing))
	}
	x, at, err := journal.Fleet(s).Rebuild(ctx, 0)
	if errors.Is(err, journal.ErrNoAgent) {
		return Common{Config: string(config.Render(config.Draft{StateDir: "./state"})), Since: map[string]time.Time{}}, nil
	}
	if err != nil {
		return Common{}, Explain(err)
	}
	return commonOf(x, at)
}

func commonOf(x journal.Texts, at journal.Position) (Common, error) {
	c := Common{Config: string(x[commonConfig]), Tokens: string(x[commonTokens]), Since: map[string]time.Time{}, At: at}
	if text := x[commonSince]; len(text) > 0 {
		if err := json.Unmarshal(text, &c.Since); err != nil {
			return c, fmt.Errorf("read %s of the store: %w", commonSince, err)
		}
	}
	return c, nil
}

func (c Common) texts() (journal.Texts, error) {
	x := journal.Texts{commonConfig: []byte(c.Config)}
	if c.Tokens != "" {
		x[commonTokens] = []byte(c.Tokens)
	}
	since, err := json.MarshalIndent(c.Since, "", "  ")
	x[commonSince] = append(since, '\n')
	return x, err
}

// Parse parses the configuration as a replica in a folder would.
func (c Common) Parse(dir string) (*config.Config, error) {
	env, err := config.OSEnv()
	if err != nil {
		return nil, err
	}
	return config.Parse(filepath.Join(dir, "tend.yaml"), []byte(c.Config), env)
}

// ErrBeyond: a configuration that anyone with access to a store can write reaches beyond the replicas that read it.
var ErrBeyond = errors.New("a store without a key must not")

// checkConfined refuses a configuration of a store without a key that runs a program of a replica's machine, reads a file there or
// writes outside the replica's folder.
func checkConfined(cfg *config.Config, dir string) error {
	inside := func(what, name string) error {
		if rel, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(rel) {
			return nil
		}
		return beyond("name a path outside the replica's folder: %s: %s", what, name)
	}
	if len(cfg.Alerts.Command) > 0 || cfg.Alerts.SecretFile != "" {
		return beyond("run a program or name a file: alerts")
	}
	if err := errors.Join(inside("state_dir", cfg.StateDir), inside("archive_dir", cfg.ArchiveDir)); err != nil {
		return err
	}
	for _, a := range cfg.Agents {
		if len(policy.Curator.Of(a.Policy).Command) > 0 || policy.CuratorKeyFile.Of(a.Policy) != noFile {
			return beyond("run a program or name a file: curator of %s", a.Name)
		}
		err := errors.Join(inside("workspace of "+a.Name, a.Workspace.Path), inside("archive_dir of "+a.Name, a.ArchiveDir))
		for _, b := range a.Baselines {
			err = errors.Join(err, inside("baseline of "+a.Name, b.Source))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// noFile is the value of curator.key_file where there is none.
const noFile = "none"

func beyond(format string, args ...any) error {
	return usererr.Refusef("create the store with --key-file", "%w "+format, append([]any{ErrBeyond}, args...)...)
}

// commonTries bounds how often a change starts over because another writer was faster.
const commonTries = 20

// ChangeCommon changes what belongs to all agents, in one step. change is called again if another writer was faster. It returns
// the entry that the fleet's journal ends with.
func ChangeCommon(ctx context.Context, s *dial.Connected, who string, now time.Time, change func(*Common) error) (uint64, error) {
	host, _ := os.Hostname()
	for try := 1; ; try++ {
		c, err := ReadCommon(ctx, s)
		if err != nil {
			return 0, err
		}
		was := journal.Texts{}
		if c.At.N > 0 {
			if was, err = c.texts(); err != nil {
				return 0, err
			}
		}
		c.Since = maps.Clone(c.Since)
		if err := change(&c); err != nil {
			return 0, err
		}
		will, err := c.texts()
		if err != nil {
			return 0, err
		}
		e := journal.Entry{Writer: who + "@" + host, At: now.UTC(), Kind: journal.Changed, Tree: will.Tree().Digest()}
		for _, name := range slices.Sorted(maps.Keys(will)) {
			if old, there := was[name]; !there || string(old) != string(will[name]) {
				e.Changes = append(e.Changes, journal.NewChange(name, old, will[name]))
			}
		}
		if len(e.Changes) == 0 {
			return c.At.N, nil
		}
		at, err := journal.Fleet(s).Commit(ctx, c.At, e)
		if err == nil && at.N%journal.Every == 0 {
			return at.N, Explain(journal.Fleet(s).Snapshot(ctx, at, will))
		}
		if !errors.Is(err, journal.ErrConflict) || try == commonTries {
			return at.N, Explain(err)
		}
		if err := store.Pause(ctx, try); err != nil {
			return 0, err
		}
	}
}

// SetConfig replaces the configuration of all replicas.
func SetConfig(ctx context.Context, s *dial.Connected, who string, now time.Time, text string) error {
	_, err := ChangeCommon(ctx, s, who, now, func(c *Common) error {
		c.Config = text
		cfg, err := c.Parse(string(filepath.Separator))
		if err != nil {
			return err
		}
		if err := checkConfined(cfg, string(filepath.Separator)); err != nil && !s.Sealed {
			return err
		}
		for _, a := range cfg.Agents {
			if a.Workspace.Kind != config.Local {
				return usererr.Usagef("leave workspace out of it: replicas have their own copies", "agent %s: its workspace is on another host", a.Name)
			}
			if a.Location == time.Local {
				return usererr.Usagef("set timezone, for all of them under defaults", "agent %s: its time zone would be that of each replica", a.Name)
			}
			if _, ok := c.Since[a.Name]; !ok {
				c.Since[a.Name] = now.UTC()
			}
		}
		return nil
	})
	return err
}

// errListed: the store already has an agent of this name.
var errListed = errors.New("is among the agents of the store")

// enlist adds a pushed agent to those that replicas serve. An existing one stays.
func enlist(ctx context.Context, f *fleet.Fleet, s *dial.Connected, name, who string) error {
	cfg, err := f.Config.Agent(name)
	if err != nil {
		return err
	}
	about := transfer.Describe(f.Config, cfg)
	d := about.Draft()
	for _, b := range cfg.Baselines {
		d.Baselines = append(d.Baselines, config.BaselineDraft{File: b.File, Source: strings.ReplaceAll(b.File, "/", "-")})
	}
	err = Enlist(ctx, s, who, f.Clock(), d, about.LayoutText)
	if errors.Is(err, errListed) {
		return nil
	}
	return err
}

// Enlist adds an agent to those that replicas serve.
func Enlist(ctx context.Context, s *dial.Connected, who string, now time.Time, d config.AgentDraft, layoutText string) error {
	env, err := config.OSEnv()
	if err != nil {
		return err
	}
	d.Workspace = path.Join("workspaces", d.Name)
	if d.Timezone == "" {
		d.Timezone = "UTC" // replicas may be in different ones
	}
	for i, b := range d.Baselines {
		d.Baselines[i].Source = path.Join("baselines", d.Name, b.Source)
	}
	_, err = ChangeCommon(ctx, s, who, now, func(c *Common) error {
		d := d
		cfg, err := c.Parse(string(filepath.Separator))
		if err != nil {
			return err
		}
		if _, err := cfg.Agent(d.Name); err == nil {
			return &usererr.Error{Code: usererr.CodeRefused, Err: fmt.Errorf("%s %w", d.Name, errListed),
				Hint: "choose another name; `tend store config get` lists the agents"}
		}
		text, err := transfer.AddLayout(cfg, []byte(c.Config), &d, layoutText, env)
		if err == nil {
			text, err = config.Append(cfg.Path, text, d, env)
		}
		c.Config, c.Since[d.Name] = string(text), now.UTC()
		return err
	})
	return err
}

// TokenList returns the tokens of all replicas' clients.
func (c Common) TokenList() (list []token.Token, err error) {
	if c.Tokens != "" {
		err = json.Unmarshal([]byte(c.Tokens), &list)
	}
	return list, err
}

// ChangeTokens changes the tokens of all replicas' clients and returns the entry of the fleet's journal that did.
func ChangeTokens(ctx context.Context, s *dial.Connected, who string, now time.Time,
	do func([]token.Token) ([]token.Token, error)) (uint64, error) {
	return ChangeCommon(ctx, s, who, now, func(c *Common) error {
		list, err := c.TokenList()
		if err != nil {
			return err
		}
		if list, err = do(list); err != nil {
			return err
		}
		text, err := json.MarshalIndent(list, "", "  ")
		c.Tokens = string(text) + "\n"
		return err
	})
}
