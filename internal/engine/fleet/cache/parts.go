package cache

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"runtime/debug"
	"sync"
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/job"
	"tend/internal/model/finding"
	"tend/internal/text/layout"
	"tend/internal/text/scan"
)

// Parts are what jobs read and write together, by name, in one file. What is missing or damaged is found out again.
type Parts map[string]json.RawMessage

const partsFile = "cache.json"

// Parts returns the parts as they are saved.
func (s Store) Parts() (Parts, error) {
	p := Parts{}
	data, err := s.Read(partsFile)
	if err != nil || json.Unmarshal(data, &p) != nil {
		return Parts{}, err
	}
	return p, nil
}

// Change saves new values of some parts. The others stay as they are.
func (s Store) Change(news Parts) error {
	if len(news) == 0 {
		return nil
	}
	p, err := s.Parts()
	if err != nil {
		return err
	}
	maps.Copy(p, news)
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return s.Write(partsFile, data)
}

// Get reads a part; false if it is missing or damaged.
func (p Parts) Get(name string, to any) bool { return json.Unmarshal(p[name], to) == nil }

// Set changes a part to a value that JSON can write.
func (p Parts) Set(name string, v any) { p[name], _ = json.Marshal(v) }

// clean is the part with the texts in which the scan found nothing.
type clean struct {
	Rules string                 `json:"rules"` // the digest of the ruleset
	Texts map[vault.Version]bool `json:"texts"`
}

// ruleset identifies the rules by which a text is clean: the scan's table and the program's build.
var ruleset = sync.OnceValue(func() string {
	var b bytes.Buffer
	for _, r := range scan.Rules() {
		fmt.Fprintf(&b, "%+v\n", r)
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(&b, info.Main.Version, info.Settings)
	}
	return string(vault.VersionOf(b.Bytes()))
})

// Clean returns the texts in which the scan found nothing, by the present rules.
func (p Parts) Clean() map[vault.Version]bool {
	var c clean
	if !p.Get("clean", &c) || c.Rules != ruleset() {
		return map[vault.Version]bool{}
	}
	return c.Texts
}

// SetClean records which texts an audit found clean, if they are not those it knew.
func (p Parts) SetClean(in job.Input, texts map[vault.Version]bool) {
	if !maps.Equal(texts, in.Facts.Audit.Clean) {
		p.Set("clean", clean{ruleset(), texts})
	}
}

// Found returns what the last chain of jobs found: in how many places, by the findings' keys. nil if none has run.
func (p Parts) Found() (out map[string]int) {
	p.Get("found", &out)
	return out
}

// SetFound records what a chain found, if it is not the same as before.
func (p Parts) SetFound(list []finding.Finding, before map[string]int) {
	now := map[string]int{}
	for _, f := range list {
		now[f.Key()] += f.Places()
	}
	if before == nil || !maps.Equal(now, before) {
		p.Set("found", now)
	}
}

// Seals returns the versions that past logs had when their day was over.
func (p Parts) Seals() map[vault.Path]job.Seal {
	out := map[vault.Path]job.Seal{}
	p.Get("logs", &out)
	return out
}

// Seal adds the logs of past days as they are to the seals, once, so that the audit notices later changes, and drops seals older
// than keep. It records them if that changed any.
func (p Parts) Seal(in job.Input, seals map[vault.Path]job.Seal, keep time.Duration) {
	logs := in.Logs()
	if len(logs) == 0 {
		return
	}
	was := maps.Clone(seals)
	for _, log := range logs {
		if _, ok := seals[log.Path]; !ok && log.Day < in.Today() && in.Today().Sub(log.Day) <= int(keep.Hours()/24) {
			seals[log.Path] = job.Seal{Version: log.Version, At: in.Now}
		}
	}
	maps.DeleteFunc(seals, func(_ vault.Path, old job.Seal) bool { return in.Now.Sub(old.At) > keep })
	if !maps.Equal(was, seals) {
		p.Set("logs", seals)
	}
}

// Seen returns since when each entry has been in the loaded files.
func (p Parts) Seen() map[job.Mark]time.Time {
	out := map[job.Mark]time.Time{}
	p.Get("seen", &out)
	return out
}

// SetSeen records which entries are in the hot file and among the observations now. Known ones keep their time;
// missing ones are dropped.
func (p Parts) SetSeen(in job.Input) {
	was, now := in.Facts.Remembered.Seen, map[job.Mark]time.Time{}
	for _, role := range []layout.Role{layout.Hot, layout.Observations} {
		for _, e := range in.Parse(in.File(in.Sole(role))).Entries(0) {
			m := job.MarkOf(e.Normal())
			if t, ok := was[m]; ok {
				now[m] = t
			} else if _, ok := now[m]; !ok {
				now[m] = in.Now.Truncate(time.Second)
			}
		}
	}
	if !maps.EqualFunc(was, now, time.Time.Equal) {
		p.Set("seen", now)
	}
}
