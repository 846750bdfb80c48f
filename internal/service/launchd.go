package service

import (
	"fmt"
	"strings"
)

// Label names the agent to launchd.
const Label = "tend.keeper"

// Launchd is the property list of the keeper on macOS.
func Launchd(o Options) Unit {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ` + strings.TrimPrefix(Mark, "# ") + ` -->
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>` + Label + `</string>
	<key>ProgramArguments</key>
	<array>
`)
	for _, arg := range []string{o.Binary, "--config", o.Config.Path, "up"} {
		b.WriteString("\t\t<string>" + escape.Replace(arg) + "</string>\n")
	}
	b.WriteString(`	</array>
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>ProcessType</key>
	<string>Background</string>
	<key>Umask</key>
	<integer>63</integer>
</dict>
</plist>
`)
	return Unit{Name: fmt.Sprintf("%s.plist", Label), Text: b.String(), Enable: true}
}
