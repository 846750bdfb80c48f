// Package findinglog remembers findings: when each was first and last seen, whether someone has acknowledged it, and when
// it was last alerted.
//
// Each agent has its own file in the state folder, which only the keeper writes. Acknowledgements are in a second
// file that only people's commands write, so neither needs a lock on the other.
package findinglog

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/model/finding"
)

// Notice is a finding with its history.
type Notice struct {
	ID string `json:"id"`
	finding.Finding
	Source string    `json:"source"` // the job or watch that saw it
	First  time.Time `json:"first_seen"`
	Last   time.Time `json:"last_seen"`
	Times  int       `json:"times"`
	// Event marks something that happened once, as opposed to a condition: nothing ends it.
	Event   bool       `json:"event,omitempty"`
	Alerted *time.Time `json:"alerted,omitempty"`
	// Pending lists the channels through which the alert of Alerted has not been delivered yet.
	Pending []string `json:"undelivered,omitempty"`
	// Over is when the condition ended, for a notice whose alert is still pending.
	Over *time.Time `json:"over,omitempty"`
	// Announced says that it was recorded before the change was made, and not confirmed since.
	Announced bool `json:"announced,omitempty"`
	Ack       *Ack `json:"acknowledged,omitempty"`
}

// Ack is a person's acknowledgement.
type Ack struct {
	By  string    `json:"by"`
	At  time.Time `json:"at"`
	Why string    `json:"why,omitempty"`
	// Accepted is the id of the acceptance it follows from.
	Accepted string `json:"accepted,omitempty"`
	// Undone says that what was found is over: found again, it is new.
	Undone bool `json:"undone,omitempty"`
}

// NoAgent is the name under which findings without an agent are kept.
const NoAgent = "_keeper"

// eventShown is how long an unacknowledged event is shown, and how long an acknowledged one.
const eventShown, ackedShown = 30 * 24 * time.Hour, 24 * time.Hour

// Host is the source of findings about an agent's host. Each job words them in its own way, and they are one.
const Host = "host"

// idOf derives a finding's id, which stays the same when its numbers change.
func idOf(source string, f finding.Finding) string {
	about := f.File
	if about == "" && source != Host {
		about, _, _ = strings.Cut(f.Text, " ")
	}
	return string(vault.VersionOf([]byte(strings.Join([]string{f.Agent, source, f.Code, about}, "\x00")))[:10])
}

// Book holds the findings of one agent.
type Book struct {
	Agent string
	notes map[string]*Notice
}

func fileOf(agent, name string) string {
	if agent == NoAgent {
		return "keeper-" + name
	}
	return "agents/" + agent + "/" + name
}

// Read reads an agent's book with its acknowledgements. If it cannot be read it is empty: conditions are found again.
func Read(state fsys.FS, agent string) (*Book, error) {
	b := &Book{Agent: agent, notes: map[string]*Notice{}}
	var list []*Notice
	if err := readJSON(state, fileOf(agent, "findings.json"), &list); err != nil {
		return b, err
	}
	for _, n := range list {
		if n != nil {
			b.notes[n.ID] = n
		}
	}
	return b, b.ReadAcks(state)
}

// ReadAcks reads new acknowledgements.
func (b *Book) ReadAcks(state fsys.FS) error {
	if len(b.notes) == 0 {
		return nil
	}
	acks, err := readAcks(state, b.Agent)
	for id, ack := range acks {
		if n := b.notes[id]; n != nil && n.isCovered(ack) {
			n.Ack = &ack
		}
	}
	accepted, acceptedErr := Accepted(state, b.Agent)
	for _, n := range b.notes {
		n.applyAcceptances(accepted)
	}
	return errors.Join(err, acceptedErr)
}

// applyAcceptances applies a person's acceptances to a condition. One that was taken back or is over no longer counts.
func (n *Notice) applyAcceptances(accepted []finding.Acceptance) {
	if n.Event || n.Ack != nil && n.Ack.Accepted == "" {
		return
	}
	n.Ack = nil
	for _, a := range accepted {
		if a.Covers(n.Finding, func() string { return "" }, n.Last) {
			n.Ack = &Ack{By: a.By, At: a.At, Why: a.Reason, Accepted: a.ID}
			return
		}
	}
}

// isCovered reports whether an acknowledgement applies to this notice: not one of an earlier finding, nor of an event
// that has happened again since, nor of what was undone and is back.
func (n *Notice) isCovered(ack Ack) bool {
	if n.Event || ack.Undone {
		return !n.Last.After(ack.At)
	}
	return !n.First.After(ack.At)
}

func readAcks(state fsys.FS, agent string) (map[string]Ack, error) {
	acks := map[string]Ack{}
	return acks, readJSON(state, fileOf(agent, "acks.json"), &acks)
}

func readJSON(state fsys.FS, name string, into any) error {
	data, err := vault.ReadFile(state, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_ = json.Unmarshal(data, into)
	return nil
}

// Write saves the book. Conditions are found again, so they need not survive a power loss; events must, and are
// synced.
func (b *Book) Write(state fsys.FS, synced bool) error {
	return writeJSON(state, fileOf(b.Agent, "findings.json"), b.sortedNotices(), synced)
}

func writeJSON(state fsys.FS, name string, v any, synced bool) error {
	var d vault.Durability = vault.NoSync{}
	if synced {
		d = vault.SyncEach{}
	}
	if err := vault.MkdirAll(state, d, path.Dir(name), 0o700); err != nil {
		return err
	}
	return vault.WriteJSON(state, d, name, v)
}

// Acknowledge records that someone has seen findings; without ids, all of them.
func Acknowledge(state fsys.FS, agent string, ids []string, ack Ack) (done []Notice, err error) {
	b, err := Read(state, agent)
	if err != nil {
		return nil, err
	}
	acks, err := readAcks(state, agent)
	if err != nil {
		return nil, err
	}
	for _, n := range b.List() {
		if len(ids) == 0 && n.Ack == nil || slices.Contains(ids, n.ID) {
			acks[n.ID] = ack
			n.Ack = &ack
			done = append(done, n)
		}
	}
	if len(done) == 0 {
		return nil, nil
	}
	for id := range acks { // of findings that are gone
		if b.notes[id] == nil {
			delete(acks, id)
		}
	}
	return done, writeJSON(state, fileOf(agent, "acks.json"), acks, true)
}

// List returns open notices, the most severe first.
func (b *Book) List() []Notice {
	return slices.DeleteFunc(b.sortedNotices(), func(n Notice) bool { return n.Over != nil })
}

func (b *Book) sortedNotices() []Notice {
	list := make([]Notice, 0, len(b.notes))
	for _, id := range slices.Sorted(maps.Keys(b.notes)) {
		list = append(list, *b.notes[id])
	}
	slices.SortStableFunc(list, func(x, y Notice) int {
		if x.Severity != y.Severity {
			return int(y.Severity) - int(x.Severity)
		}
		return x.First.Compare(y.First)
	})
	return list
}

// Open returns unacknowledged notices that need attention.
func Open(list []Notice) (out []Notice) {
	for _, n := range list {
		if n.Ack == nil && n.Severity >= finding.Warning {
			out = append(out, n)
		}
	}
	return out
}
