package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	_ "time/tzdata" // so that a static binary knows time zones on a bare machine

	"tend/internal/engine/job/table"
	"tend/internal/model/policy"
	"tend/internal/text/layout"
)

// overlay is the policy values of one place in the file.
type overlay struct {
	source string
	set    []setting
}

type setting struct {
	pos
	key   string
	value *node
}

func (o *overlay) find(key string) (setting, bool) {
	for _, s := range o.set {
		if s.key == key {
			return s, true
		}
	}
	return setting{}, false
}

func (o *overlay) values() map[string]any {
	m := make(map[string]any, len(o.set))
	for _, s := range o.set {
		m[s.key] = s.value.value()
	}
	return m
}

// readShorthand reads a key of an agent that is short for a policy key.
func (d *decoder) readShorthand(o *overlay, key string, f *entry) {
	if f.value.kind == nullNode {
		d.errorf(f.pos, "write a value, or remove the line", "%s is empty", f.key)
		return
	}
	d.putSetting(o, setting{pos: f.value.pos, key: key, value: &f.value})
}

// readPolicy reads a policy mapping, whose keys may be dotted or nested.
func (d *decoder) readPolicy(o *overlay, prefix string, n *node, what string) {
	entries := d.readMapping(n, what)
	for i := range entries {
		e := &entries[i]
		switch name := prefix + e.key; e.value.kind {
		case nullNode:
			d.errorf(e.pos, "write a value, or remove the line", "%s is empty", name)
		case mappingNode:
			d.readPolicy(o, name+".", &e.value, what)
		default:
			d.putSetting(o, setting{pos: e.pos, key: name, value: &e.value})
		}
	}
}

func (d *decoder) putSetting(o *overlay, s setting) {
	if first, ok := o.find(s.key); ok {
		d.errorf(s.pos, "remove one of them", "%s is set twice, first in line %d", s.key, first.line)
		return
	}
	o.set = append(o.set, s)
}

// resolver keeps what agents share.
type resolver struct {
	own       map[string]layout.Layout // from the layouts section
	texts     map[string]string        // of these, as they are written
	broken    map[string]bool          // names there that could not be read
	bases     map[string]*base
	locations map[string]*time.Location
}

// base is a layout with the policy that results from it and the defaults.
type base struct {
	layout layout.Layout
	policy policy.Policy
	ok     bool
}

func newResolver() resolver {
	return resolver{
		own: map[string]layout.Layout{}, texts: map[string]string{}, broken: map[string]bool{}, bases: map[string]*base{},
		locations: map[string]*time.Location{},
	}
}

func (d *decoder) readTimezone(f *entry) (*time.Location, bool) {
	name, ok := d.readWord(f)
	if !ok {
		return nil, false
	}
	if loc, ok := d.locations[name]; ok {
		return loc, true
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		d.errorf(f.value.pos, "names are written like Europe/Berlin, America/New_York or UTC", "%q is not a time zone", name)
		return nil, false
	}
	d.locations[name] = loc
	return loc, true
}

// resolveAgent sets the agent's layout and policy: the layout's values override Tend's, the defaults override those, the
// agent's own come last.
func (d *decoder) resolveAgent(a *Agent, ref string, at pos, defs *defaults, own *overlay) {
	if ref == "" {
		if defs.layoutAt.line > 0 {
			return // it exists, and its problem has been reported
		}
		d.errorf(a.at, "add layout: here or under defaults; `tend init` finds out which", "agent %s has no layout", a.Name)
		return
	}
	b := d.baseOf(ref, at, defs)
	if !b.ok {
		d.applyOverlay(policy.Policy{}, own)
		return
	}
	a.Layout = b.layout
	if a.Workspace.Kind == Local {
		if ref, reach := flatLayout(b.layout, a.Workspace.Path); ref != "" {
			b = d.baseOf(ref, at, defs)
			a.Layout = b.layout
			a.Layout.Reach = reach
		}
	}
	a.Policy = b.policy
	if len(own.set) == 0 {
		return
	}
	if p, ok := d.applyOverlay(b.policy, own); ok {
		a.Policy = p
		d.policyErrors(p.Check(), own, a.at)
	}
}

// flatLayout returns the layout of a workspace that has its memory file at the top instead of in the layout's folder, and what agents
// reach there. They never reach more than the configured layout allows: a file that appears at the top must not open the
// workspace to them. A harness's home has the folder that confines agents, so a file at its top does not count.
func flatLayout(l layout.Layout, workspace string) (ref, reach string) {
	if l.Flat == "" {
		return "", ""
	}
	top, err := layout.Preset(l.Flat)
	if err != nil {
		return "", ""
	}
	has := func(path string) bool {
		_, err := os.Stat(filepath.Join(workspace, filepath.FromSlash(path)))
		return !errors.Is(err, fs.ErrNotExist)
	}
	hot := func(l layout.Layout) string { return l.Path(layout.Hot, "") }
	if !has(hot(top)) || has(hot(l)) {
		return "", ""
	}
	if strings.HasPrefix(top.Path(layout.Daily, "2006-01-02"), l.Reach+"/") {
		return l.Flat, l.Reach
	}
	if l.Reach != "" && has(l.Reach) {
		return "", ""
	}
	return l.Flat, top.Reach
}

func (d *decoder) baseOf(ref string, at pos, defs *defaults) *base {
	if b, ok := d.bases[ref]; ok {
		return b
	}
	b := new(base)
	d.bases[ref] = b
	l, ok := d.resolveLayout(ref, at)
	if !ok {
		return b
	}
	p, err := policy.Policy{}.With("layout "+ref, l.Policy())
	if err = errors.Join(err, table.CheckKeys(l.Policy())); err != nil {
		d.errorf(at, "fix the policy section of the layout", "layout %s: %v", ref, err)
		return b
	}
	if p, err = p.With(defs.overlay.source, defs.overlay.values()); err != nil {
		return b // reported where the defaults were read
	}
	d.policyErrors(p.Check(), &defs.overlay, at)
	b.layout, b.policy, b.ok = l, p, true
	return b
}

// applyOverlay applies an overlay to p and reports each value that is not accepted.
func (d *decoder) applyOverlay(p policy.Policy, o *overlay) (policy.Policy, bool) {
	p, err := p.With(o.source, o.values())
	err = errors.Join(err, table.CheckKeys(o.values()))
	d.policyErrors(err, o, pos{})
	return p, err == nil
}

// policyErrors reports errors about keys at their place in the file; elsewhere is for a key that is not in the
// overlay.
func (d *decoder) policyErrors(err error, o *overlay, elsewhere pos) {
	if err == nil {
		return
	}
	var bad *policy.KeyError
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range many.Unwrap() {
			d.policyErrors(one, o, elsewhere)
		}
		return
	}
	if !errors.As(err, &bad) {
		d.errorf(elsewhere, "", "policy: %v", err)
		return
	}
	at := elsewhere
	for _, s := range o.set {
		if s.key == bad.Key || strings.Contains(bad.Problem, s.key) {
			at = s.pos // of two that contradict each other, the one that was set here
			break
		}
	}
	d.errorf(at, bad.Hint, "%s: %s", bad.Key, bad.Problem)
}
