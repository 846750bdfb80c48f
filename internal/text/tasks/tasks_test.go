package tasks

import (
	"testing"
	"time"
)

// store is a list as the harness 0.1.4 writes it, to the byte.
const store = `{
  "nextId": 3,
  "tasks": [
    {
      "id": 1,
      "text": "ship <it> & tell Anna",
      "status": "done",
      "created": "2026-11-14T08:00:00.000Z",
      "closed": "2026-11-15T09:30:00.000Z"
    },
    {
      "id": 2,
      "text": "write the report",
      "status": "open",
      "created": "2026-11-15T09:00:00.000Z",
      "owner": "ada"
    }
  ],
  "theme": "dark"
}`

func TestTaskListKeepsItsForm(t *testing.T) {
	l, err := Parse([]byte(store))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := l.Format(); err != nil || string(out) != store {
		t.Errorf("%v\n%s", err, out)
	}
	if got := l.Tasks[0].String() + "|" + l.Tasks[1].String(); got != "[x] #1 ship <it> & tell Anna|[ ] #2 write the report" {
		t.Error(got)
	}
	now := time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)
	if added := l.Add("call the bank", now); added.ID != 3 || l.NextID != 4 || added.Created != "2026-11-15T10:00:00.000Z" {
		t.Errorf("%+v", added)
	}
	if !l.Close(2, Dropped, now) || l.Tasks[1].String() != "[-] #2 write the report" || l.Close(9, Done, now) {
		t.Errorf("%+v", l.Tasks)
	}
}

// TestBrokenIsNotEmpty: a broken list is never treated as an empty one.
func TestBrokenIsNotEmpty(t *testing.T) {
	for _, text := range []string{
		``, "\n", `{`, `[]`, `null`, `{}`, `{"nextId": 1}`, `{"nextId": "1", "tasks": []}`, `{"nextId": 1, "tasks": [{}]}`,
		`{"nextId": 1, "tasks": [{"id": 1, "text": "x", "status": "later", "created": ""}]}`,
	} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%s was read as a list", text)
		}
	}
	for _, text := range []string{`{"tasks": []}`, `{"nextId": 1, "tasks": []}`} {
		if l, err := Parse([]byte(text)); err != nil || l.NextID != 1 {
			t.Errorf("%q: %+v, %v", text, l, err)
		}
	}
	// A number that was lost is not assigned again.
	if l, err := Parse([]byte(`{"nextId": 1, "tasks": [{"id": 7, "text": "x", "status": "open", "created": ""}]}`)); err != nil ||
		l.NextID != 8 {
		t.Errorf("%+v, %v", l, err)
	}
}
