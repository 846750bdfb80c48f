// Package tasks reads and writes a harness's task list, tasks.json, without losing fields it does not know.
package tasks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Status is the state of a task.
type Status string

// The statuses.
const (
	Open    Status = "open"
	Done    Status = "done"
	Dropped Status = "dropped"
)

// Task is one piece of work.
type Task struct {
	ID      int
	Text    string
	Status  Status
	Created string // as written, an ISO time
	Closed  string // "" while it is open

	extra map[string]json.RawMessage // fields this package does not know
}

// String formats a task as the harness does.
func (t Task) String() string {
	mark := " "
	switch t.Status {
	case Done:
		mark = "x"
	case Dropped:
		mark = "-"
	}
	return fmt.Sprintf("[%s] #%d %s", mark, t.ID, strings.Join(strings.Fields(t.Text), " "))
}

// List is all tasks of an agent.
type List struct {
	NextID int
	Tasks  []Task

	extra map[string]json.RawMessage
}

// New returns an empty list.
func New() List { return List{NextID: 1} }

// Parse reads a list. Anything else is an error, even an empty text: treating it as an empty list would overwrite
// what a person might still save.
func Parse(data []byte) (List, error) {
	l := New()
	if len(bytes.TrimSpace(data)) == 0 {
		return l, errors.New("it is empty")
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		if json.Valid(data) {
			return l, errors.New(`it is not an object with "nextId" and "tasks"`)
		}
		return l, fmt.Errorf("it is not JSON: %w", err)
	}
	var tasks []map[string]json.RawMessage
	if err := take(all, "tasks", &tasks); err != nil {
		return l, err
	}
	if err := maybe(all, "nextId", &l.NextID); err != nil {
		return l, err
	}
	for i, fields := range tasks {
		var t Task
		err := errors.Join(take(fields, "id", &t.ID), take(fields, "text", &t.Text), take(fields, "status", &t.Status),
			maybe(fields, "created", &t.Created), maybe(fields, "closed", &t.Closed))
		if err == nil && t.Status != Open && t.Status != Done && t.Status != Dropped {
			err = fmt.Errorf("status %q is not open, done or dropped", t.Status)
		}
		if err != nil {
			return l, fmt.Errorf("task %d: %w", i+1, err)
		}
		t.extra = fields
		l.Tasks = append(l.Tasks, t)
		l.NextID = max(l.NextID, t.ID+1)
	}
	l.extra = all
	return l, nil
}

// take moves a field out of an object.
func take(from map[string]json.RawMessage, name string, to any) error {
	raw, ok := from[name]
	if !ok {
		return fmt.Errorf("it has no %q", name)
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	delete(from, name)
	return nil
}

// maybe is take for a field that may be missing.
func maybe(from map[string]json.RawMessage, name string, to any) error {
	if _, ok := from[name]; !ok {
		return nil
	}
	return take(from, name, to)
}

// Add adds an open task.
func (l *List) Add(text string, now time.Time) Task {
	t := Task{ID: l.NextID, Text: text, Status: Open, Created: stamp(now)}
	l.NextID++
	l.Tasks = append(l.Tasks, t)
	return t
}

// Close marks a task as done or dropped, and reports whether it exists.
func (l *List) Close(id int, s Status, now time.Time) bool {
	i := slices.IndexFunc(l.Tasks, func(t Task) bool { return t.ID == id })
	if i < 0 {
		return false
	}
	l.Tasks[i].Status, l.Tasks[i].Closed = s, stamp(now)
	return true
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// field is a member of an object in the order in which it is written.
type field struct {
	name  string
	value any
}

// Format formats the list as the harness does.
func (l List) Format() ([]byte, error) {
	tasks := []json.RawMessage{}
	for _, t := range l.Tasks {
		fields := []field{{"id", t.ID}, {"text", t.Text}, {"status", t.Status}, {"created", t.Created}}
		if t.Closed != "" {
			fields = append(fields, field{"closed", t.Closed})
		}
		raw, err := object(fields, t.extra)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, raw)
	}
	raw, err := object([]field{{"nextId", l.NextID}, {"tasks", tasks}}, l.extra)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// object writes the known fields in their order, then the others by name.
func object(known []field, extra map[string]json.RawMessage) (json.RawMessage, error) {
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		known = append(known, field{name, extra[name]})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, f := range known {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := enc.Encode(f.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := enc.Encode(f.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
