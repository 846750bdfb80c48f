package memory

import (
	"context"
	"strings"

	"tend/internal/layout"
	"tend/internal/tasks"
	"tend/internal/vault"
)

// taskFile is where the layout keeps its list of open work, "" if it has none that tools can write.
func (s *Service) taskFile() string {
	if p := s.agent.Layout.Path(layout.Tasks, ""); strings.HasSuffix(p, ".json") {
		return p
	}
	return ""
}

// HasTasks reports whether the layout keeps a list of tasks.
func (s *Service) HasTasks() bool { return s.taskFile() != "" }

// Tasks is the list of open work.
func (s *Service) Tasks(ctx context.Context) (tasks.List, error) {
	p := vault.Path(s.taskFile())
	doc, err := s.files.load(ctx, p)
	var list tasks.List
	if err == nil {
		list, err = parseTasks(doc)
	}
	if err != nil {
		return list, s.fail("task_list", "read", p, err)
	}
	return list, nil
}

// AddTask adds an open task and returns it.
func (s *Service) AddTask(ctx context.Context, text string) (t tasks.Task, err error) {
	if strings.TrimSpace(text) == "" {
		return t, s.fail("task_add", "add", "", refuse(BadInput, "There is no text for the task."))
	}
	_, err = s.changeTasks(ctx, "task_add", text, func(l *tasks.List) error {
		t = l.Add(text, s.Now())
		return nil
	})
	return t, err
}

// CloseTask marks a task as done or dropped.
func (s *Service) CloseTask(ctx context.Context, id int, as tasks.Status) (Receipt, error) {
	return s.changeTasks(ctx, "task_close", "", func(l *tasks.List) error {
		if !l.Close(id, as, s.Now()) {
			return refuse(NotFound, "Task #%d not found.", id).try("task_list with all: true shows them.")
		}
		return nil
	})
}

// changeTasks changes the list under the rules for any other write.
func (s *Service) changeTasks(ctx context.Context, call, text string, do func(*tasks.List) error) (Receipt, error) {
	return s.change(ctx, edit{
		call: call, path: s.taskFile(), create: true, text: text,
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

// parseTasks reads the list. One that is broken is refused: written over, every task would be gone.
func parseTasks(doc vault.Doc) (tasks.List, error) {
	if doc.Version == vault.Absent {
		return tasks.New(), nil
	}
	list, err := tasks.Parse(doc.Data)
	if err != nil {
		return list, refuse(Failed, "%s is not a list of tasks (%v). Nothing was changed.", doc.Path, err).
			try("Read it and correct it with memory_write, or tell the operator.")
	}
	return list, nil
}

// Names lists what is at the top of the memory, folders too; not ok if the folder is missing.
func (s *Service) Names(ctx context.Context) (names []string, ok bool, err error) {
	infos, err := s.agent.Vault.List(ctx, vault.Path(s.agent.Layout.Reach))
	if err != nil {
		if e := translate("list", vault.Path(s.agent.Layout.Reach), err); e.Code == NotFound {
			return nil, false, nil
		}
		return nil, false, s.fail("list", "list", "", err)
	}
	for _, i := range infos {
		if !i.Special && s.files.visible(i, 0) {
			names = append(names, i.Path.Base())
		}
	}
	return names, true, nil
}

// Identity is the text that says who the agent is.
func (s *Service) Identity(ctx context.Context) (string, error) {
	p := vault.Path(s.agent.Layout.Path(layout.Identity, ""))
	if p == "" {
		return "", s.fail("read", "read", "", refuse(NotFound, "This layout has no file that says who the agent is."))
	}
	doc, err := s.agent.Vault.Read(ctx, p)
	if err != nil {
		return "", s.fail("read", "read", p, err)
	}
	return string(doc.Data), nil
}
