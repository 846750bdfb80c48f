package service

import (
	"encoding/xml"
	"strings"
)

// TaskName names the task to the Task Scheduler of Windows.
const TaskName = "tend"

// Task is the definition of the keeper for the Task Scheduler: it starts when the user logs on, is started
// again when it fails, and is never ended for running long.
func Task(o Options) Unit {
	escape := func(s string) string {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(s)) // a strings.Builder takes everything
		return b.String()
	}
	text := `<?xml version="1.0" encoding="UTF-8"?>
<!-- ` + strings.TrimPrefix(Mark, "# ") + ` -->
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Tend: keeps the memory of agents whole, small and true</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>5</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>` + escape(o.Binary) + `</Command>
      <Arguments>` + escape(`--config "`+o.Config.Path+`" up`) + `</Arguments>
    </Exec>
  </Actions>
</Task>
`
	return Unit{Name: TaskName + ".xml", Text: text, Enable: true}
}
