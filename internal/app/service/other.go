package service

import (
	"embed"
	"encoding/xml"
	"strings"
	"text/template"
)

// Label is the agent's name for launchd, TaskName the task's name for the Task Scheduler of Windows.
const Label, TaskName = "tend.keeper", "tend"

//go:embed units/launchd.plist units/task.xml
var units embed.FS

// Launchd returns the property list of the keeper on macOS.
func Launchd(o Options) Unit {
	return Unit{Name: Label + ".plist", Text: fillTemplate("launchd.plist", o), Enable: true}
}

// Task returns the definition of the keeper for the Task Scheduler: it starts when the user logs on, restarts after a
// failure, and has no time limit.
func Task(o Options) Unit {
	return Unit{Name: TaskName + ".xml", Text: fillTemplate("task.xml", o), Enable: true}
}

// fillTemplate returns an embedded unit with the options filled in.
func fillTemplate(name string, o Options) string {
	escape := func(s string) string {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder never fails
		return b.String()
	}
	var b strings.Builder
	t := template.Must(template.New(name).Funcs(template.FuncMap{"xml": escape}).ParseFS(units, "units/"+name))
	if err := t.Execute(&b, struct {
		Options
		Mark, Label string
		Args        []string
	}{o, strings.TrimPrefix(Mark, "# "), Label, []string{o.Binary, "--config", o.Config.Path, "up"}}); err != nil {
		panic(err) // the units are part of the program
	}
	return b.String()
}
