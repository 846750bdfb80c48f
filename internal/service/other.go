package service

import (
	"embed"
	"encoding/xml"
	"strings"
	"text/template"
)

// Label names the agent to launchd, TaskName the task to the Task Scheduler of Windows.
const Label, TaskName = "tend.keeper", "tend"

//go:embed units/launchd.plist units/task.xml
var units embed.FS

// Launchd is the property list of the keeper on macOS.
func Launchd(o Options) Unit {
	return Unit{Name: Label + ".plist", Text: filled("launchd.plist", o), Enable: true}
}

// Task is the definition of the keeper for the Task Scheduler: it starts when the user logs on, is started
// again when it fails, and is never ended for running long.
func Task(o Options) Unit {
	return Unit{Name: TaskName + ".xml", Text: filled("task.xml", o), Enable: true}
}

// filled is an embedded unit with the options in it.
func filled(name string, o Options) string {
	escape := func(s string) string {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder takes everything
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
