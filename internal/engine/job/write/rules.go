package write

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"tend/internal/model/policy"
	"tend/internal/text/layout"
)

// RulesBegin and RulesEnd enclose the block of rules, so that it can be replaced in place.
const (
	RulesBegin = policy.RulesBegin
	RulesEnd   = policy.RulesEnd
)

// rulesText is the block, with names in braces for what depends on layout and policy. A line with a name that has no value
// is left out; {name?} prints nothing itself.
//
//go:embed rules.txt
var rulesText string

// toolRulesText is the block for an agent that a harness gives Tend's tools and the memory itself. It is in every session, so it
// is short: what the tools and the hook say, it does not.
//
//go:embed rules_tools.txt
var toolRulesText string

// Rules returns the block of standing rules for an agent: what it must do for its memory, with
// the numbers that jobs and checks use. guarded are the files with a baseline.
func Rules(agent string, l layout.Layout, p policy.Policy, guarded []string) string {
	values := ruler{l, p}.values(guarded)
	values["agent"] = agent
	return fill(rulesText, values)
}

// ToolRules returns the block for an agent connected to a harness: server has the tools, and where says where the files are.
func ToolRules(server, where string, l layout.Layout, p policy.Policy, guarded []string) string {
	values := ruler{l, p}.values(guarded)
	values["server"], values["where"] = server, where
	return fill(toolRulesText, values)
}

func fill(text string, values map[string]string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(filled(line, values))
	}
	return b.String()
}

// filled fills in a line, "" if a value is missing.
func filled(line string, values map[string]string) string {
	out := ""
	for {
		before, rest, found := strings.Cut(line, "{")
		if out += before; !found {
			return out
		}
		name, after, _ := strings.Cut(rest, "}")
		name, test := strings.CutSuffix(name, "?")
		if values[name] == "" {
			return ""
		}
		if !test {
			out += values[name]
		}
		line = after
	}
}

// ruler collects the values of the rules from a layout and a policy.
type ruler struct {
	l layout.Layout
	p policy.Policy
}

// values maps the names in rulesText to their values; "" if there is no such file or limit.
func (r ruler) values(guarded []string) map[string]string {
	limit := func(k policy.Key[int]) string {
		if n := k.Of(r.p); n > 0 {
			return strconv.Itoa(n)
		}
		return ""
	}
	number := func(k policy.Key[int]) string { return strconv.Itoa(k.Of(r.p)) }
	percent := func(k policy.Key[float64]) string { return policy.Percent(k.Of(r.p)) }
	v := map[string]string{
		"begin": RulesBegin, "end": RulesEnd,
		"daily": r.file(layout.Daily), "session": r.file(layout.Session), "buffer": r.file(layout.Buffer), "hot": r.file(layout.Hot),
		"observations": r.file(layout.Observations), "learnings": r.folder(layout.Learnings), "recur": number(policy.LearningsRecur),
		"tags": r.tags(), "responses": ordinal(policy.CheckpointEveryResponses.Of(r.p)), "large": number(policy.CheckpointLargeOutputTokens),
		"buffer at": percent(policy.CheckpointBufferAt), "flush at": percent(policy.CheckpointFlushAt),
		"dump at":   percent(policy.CheckpointDumpAt),
		"hot lines": limit(policy.HotMaxLines), "questions": limit(policy.QuestionsMax), "loaded chars": limit(policy.HotMaxChars),
		"buffer lines": limit(policy.BufferMaxLines), "buffer active": number(policy.BufferMaxActive),
		"observed lines": limit(policy.ObservationsMaxLines), "trim to": number(policy.ObservationsTrimTo),
		"separator": policy.BaselineSeparator.Of(r.p), "start": r.start(),
		"owners": r.owners("- %s: %s", "\n"), "homes": r.owners("%s %s", ", "),
	}
	if protocol := policy.Protocol.Of(r.p); protocol != policy.ProtocolNone {
		v["protocol"] = protocol.Mark()
	}
	if policy.SessionMaxAge.Of(r.p) > 0 {
		v["session age"] = policy.SessionMaxAge.Text(r.p)
	} else {
		v["ageless session"] = v["session"]
	}
	if policy.BufferExpect.Of(r.p) == policy.BufferWAL {
		v["buffer ahead"] = v["buffer"]
	} else {
		v["buffer over"] = v["buffer"]
	}
	if h, ok := r.l.Header(layout.Semantic); ok && h.TagsLine() > 0 {
		v["tags line"], v["file tags"], v["verified age"] = strconv.Itoa(h.TagsLine()), "any words", policy.VerifyMaxAge.Text(r.p)
		if policy.TagsVocabulary.Of(r.p) == policy.VocabularyClosed {
			v["file tags"] = "only these: " + strings.Join(policy.TagsFile.Of(r.p), ", ")
		}
	}
	if len(r.l.Closure) > 0 {
		v["closure"] = "`" + strings.Join(r.l.Closure, ":` `") + ":`"
	}
	if len(guarded) > 0 {
		v["guarded"] = "`" + strings.Join(guarded, "`, `") + "`"
	}
	v["unsaved"] = v["buffer"]
	if v["unsaved"] == "" {
		v["unsaved"] = "a file"
	}
	switch {
	case v["daily"] != "" && v["session"] != "":
		v["dump"] = v["daily"] + " and " + v["session"]
	case v["daily"]+v["session"] != "":
		v["dump"] = v["daily"] + v["session"]
	default:
		v["dump"] = v["unsaved"]
	}
	return v
}

// file is the path of a role's file, as the rules name it.
func (r ruler) file(role layout.Role) string {
	for _, p := range r.l.Patterns(role) {
		if role == layout.Daily || !strings.Contains(p, "*") {
			return "`" + strings.NewReplacer("{date}", "YYYY-MM-DD", "{yyyy}", "YYYY", "{mm}", "MM", "{dd}", "DD").Replace(p) + "`"
		}
	}
	return ""
}

// folder is the folder of a role's files, if it has many.
func (r ruler) folder(role layout.Role) string {
	for _, p := range r.l.Patterns(role) {
		if dir, _, ok := strings.Cut(p, "/*"); ok {
			return "`" + dir + "/`"
		}
	}
	return ""
}

// tags lists the tags of entries, with the question for the usual ones.
func (r ruler) tags() string {
	meanings := map[string]string{
		"decision": "did it change a plan?", "surprise": "was it unexpected?", "human": "did a person say that they care?",
		"lesson": "can it be used again?", "identity": "did it change how you see yourself?",
	}
	var lines []string
	for _, t := range policy.TagsEntry.Of(r.p) {
		line := "- `[" + t + "]`"
		if m := meanings[t]; m != "" {
			line += ": " + m
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func ordinal(n int) string {
	switch {
	case n == 1:
		return "single"
	case n%10 == 2 && n%100 != 12:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3 && n%100 != 13:
		return fmt.Sprintf("%drd", n)
	case n%10 == 1 && n%100 != 11:
		return fmt.Sprintf("%dst", n)
	}
	return fmt.Sprintf("%dth", n)
}

// owners lists which file is the home of each class of facts.
func (r ruler) owners(format, between string) string {
	var out []string
	for _, o := range r.l.Owners {
		where := "`" + o.Path + "`"
		if o.Path == "" {
			where = r.file(o.Role)
		}
		if where == "" {
			where = "`" + strings.Join(r.l.Patterns(o.Role), "`, `") + "`"
		}
		out = append(out, fmt.Sprintf(format, o.Class, where))
	}
	return strings.Join(out, between)
}

// start lists the order in which a session's start reads its files.
func (r ruler) start() string {
	var steps []string
	for _, part := range r.l.Context.Parts {
		file, daily := r.file(part.Role), r.file(layout.Daily)
		switch {
		case part.Kind == layout.PartToday && daily != "":
			steps = append(steps, "Read today's log, "+daily+".")
		case part.Kind == layout.PartYesterday && daily != "":
			steps = append(steps, "Read yesterday's log.")
		case part.Kind == layout.PartFiles && part.Role == layout.Buffer && file != "":
			steps = append(steps, fmt.Sprintf("Read %s. If it was last active more than %s ago, look for work that was left behind.", file,
				policy.BufferStale.Text(r.p)))
		case part.Kind == layout.PartFiles && part.Role == layout.Learnings && r.folder(part.Role) != "":
			steps = append(steps, fmt.Sprintf("Read the last %d lines of each file in %s.", policy.LearningsScanLines.Of(r.p), r.folder(part.Role)))
		case part.Kind == layout.PartFiles && file != "":
			steps = append(steps, "Read "+file+".")
		}
	}
	steps = append(steps, "Go on from the files, not from what you think you remember.")
	for i, step := range steps {
		steps[i] = fmt.Sprintf("%d. %s", i+1, step)
	}
	return strings.Join(steps, "\n")
}
