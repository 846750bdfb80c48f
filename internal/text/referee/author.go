package referee

import "strings"

// Author names the program that wrote lines, if they have its marks; "" if they do not.
func Author(added []Line) string {
	for _, l := range added {
		if strings.HasPrefix(l.Text, "<!-- openclaw-memory-promotion:") || strings.HasPrefix(l.Text, "## Promoted From Short-Term Memory") {
			return "OpenClaw's dreaming"
		}
	}
	return ""
}
