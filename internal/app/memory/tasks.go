package memory

import (
	"context"
	"strings"

	"tend/internal/app/memory/toolerr"
	"tend/internal/disk/vault"
	"tend/internal/text/layout"
	"tend/internal/text/tasks"
)

// taskFile returns the layout's task list, "" if it has none or keeps it in another format, such as markdown, that only the file
// tools write. Front ends offer the calls of Tasks only if there is one, see Service.HasTasks.
func (c *caller) taskFile() string {
	if p := c.agent.Layout.Path(layout.Tasks, ""); strings.HasSuffix(p, ".json") {
		return p
	}
	return ""
}

// List returns the tasks.
func (t *Tasks) List(ctx context.Context) (tasks.List, error) {
	p := vault.Path(t.taskFile())
	doc, err := t.files.Load(ctx, p)
	var list tasks.List
	if err == nil {
		list, err = parseTasks(doc)
	}
	if err != nil {
		return list, t.fail("task_list", "read", p, err)
	}
	return list, nil
}

// Add adds an open task and returns it.
func (t *Tasks) Add(ctx context.Context, text string) (added tasks.Task, err error) {
	if strings.TrimSpace(text) == "" {
		return added, t.fail("task_add", "add", "", toolerr.New(toolerr.BadInput, "The task is empty."))
	}
	_, err = t.updateList(ctx, "task_add", text, func(l *tasks.List) error {
		added = l.Add(text, t.agent.Now())
		return nil
	})
	return added, err
}

// Close marks a task as done or dropped.
func (t *Tasks) Close(ctx context.Context, id int, as tasks.Status) (Receipt, error) {
	return t.updateList(ctx, "task_close", "", func(l *tasks.List) error {
		if !l.Close(id, as, t.agent.Now()) {
			return toolerr.New(toolerr.NotFound, "Task #%d not found.", id).Try("task_list with all: true shows them.")
		}
		return nil
	})
}

// updateList changes the list under the same rules as any other write.
func (t *Tasks) updateList(ctx context.Context, call, text string, do func(*tasks.List) error) (Receipt, error) {
	return t.writer.change(ctx, edit{
		call: call, path: t.taskFile(), create: true, text: text,
		apply: func(doc vault.Doc) ([]byte, error) {
			list, err := parseTasks(doc)
			if err != nil {
				return nil, err
			}
			if err := do(&list); err != nil {
				return nil, err
			}
			return list.Format()
		},
	})
}

// parseTasks reads the list. A broken one is refused: overwriting it would lose every task.
func parseTasks(doc vault.Doc) (tasks.List, error) {
	if doc.Version == vault.Absent {
		return tasks.New(), nil
	}
	list, err := tasks.Parse(doc.Data)
	if err != nil {
		return list, toolerr.New(toolerr.Failed, "%s is not a valid task list (%v).", doc.Path, err).
			Try("Read it and correct it with memory_write, or tell the operator.")
	}
	return list, nil
}
