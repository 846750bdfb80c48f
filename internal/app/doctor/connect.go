package doctor

import (
	"cmp"
	"context"
	"os"

	"tend/internal/app/connect"
	"tend/internal/engine/config"
	"tend/internal/model/textfmt"
)

// lookHarnesses tests each connection: the settings have our entries, and the hooks work as the harness expects.
func lookHarnesses(ctx context.Context, p *patient) []Diagnosis {
	records, err := connect.Records(p.cfg.StateDir)
	if err != nil {
		return []Diagnosis{broken("run `tend connect` again", "%v", err)}
	}
	if len(records) == 0 {
		return note("no harness is connected; `tend connect` does it")
	}
	var out []Diagnosis
	for _, r := range records {
		out = append(out, p.lookHarness(ctx, r)...)
	}
	return out
}

func (p *patient) lookHarness(ctx context.Context, r connect.Record) []Diagnosis {
	name := r.Harness + " of " + r.Agent
	h, err := connect.Find(r.Harness)
	if err != nil {
		return []Diagnosis{broken("", "%v", err)}
	}
	call := "tend connect " + r.Harness + " --agent " + r.Agent
	if r.Dir != "" {
		call += " --dir " + textfmt.ShellQuote(r.Dir)
	}
	if r.Scope != h.Scopes[0] {
		call += " --scope " + string(r.Scope)
	}
	again := "run `" + call + "` again"
	home, err := os.UserHomeDir()
	if err != nil {
		return []Diagnosis{broken("", "%v", err)}
	}
	ag, err := p.cfg.Agent(r.Agent)
	if err != nil {
		return []Diagnosis{broken("undo it: `"+call+" --undo`", "%s: %v", name, err)}
	}
	t := connect.Target{Agent: r.Agent, Binary: r.Binary, Config: r.Config, Dir: r.Dir, Home: home, Scope: r.Scope, Env: r.Getenv(os.Getenv)}
	if ag.Workspace.Kind == config.Local {
		t.Workspace = ag.Workspace.Path
	}
	if r.Rules != "" {
		t.Rules = connect.RulesFor(ag, h, t)
	}
	var out []Diagnosis
	gone, err := connect.Missing(h.Files(t))
	if err != nil {
		out = append(out, broken("fix the file, then "+again, "%s: %v", name, err))
	}
	for _, file := range gone {
		out = append(out, warn(again, "%s: %s no longer has what Tend wrote, or the rules have changed since", name, file))
	}
	for _, file := range []string{r.Binary, r.Config} {
		if _, err := os.Stat(file); err != nil {
			return append(out, broken(again, "%s: it was connected with %s, which no longer exists", name, file))
		}
	}
	try := trial{name: name, again: again, version: p.Version, target: t, dir: t.Dir}
	try.dir = cmp.Or(try.dir, t.Home)
	out = append(out, try.start(ctx, h.Hook)...)
	if h.Checkpoint != "" {
		out = append(out, try.tryCheckpoint(ctx, h.Checkpoint)...)
	}
	tools, found := try.tryServer(ctx)
	if out = append(out, found...); len(out) == 0 {
		out = fine("%s: the settings have our entries, the hooks answer, and the server starts with %s", name, textfmt.Count(tools, "tool"))
	}
	return out
}
