package cli

import (
	"bytes"
	"strings"

	"github.com/spf13/cobra"
)

// fitHelp makes help fit the terminal it is printed on.
func fitHelp(root *cobra.Command) {
	plain := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		out := cmd.OutOrStdout()
		width, _, ok := screenOf(out)
		if !ok {
			plain(cmd, args)
			return
		}
		var page bytes.Buffer
		cmd.SetOut(&page)
		plain(cmd, args)
		cmd.SetOut(out)
		writeSafe(out, reflow(page.String(), width))
	})
}

// reflow fits a page of help into width columns: the lines of a paragraph are joined and broken again, a line with columns is
// continued below its last one. Examples stay on one line, so that they can be copied.
func reflow(page string, width int) string {
	var b strings.Builder
	var paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			b.WriteString(wrap(strings.Join(paragraph, " "), "", width, 0) + "\n")
			paragraph = nil
		}
	}
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n ")
		if line != "" && line[0] != ' ' && !strings.HasSuffix(line, ":") {
			paragraph = append(paragraph, line)
			continue
		}
		flush()
		if at := lastColumn(line); at > 0 {
			line = wrap(line, strings.Repeat(" ", at), width, 0)
		}
		b.WriteString(line + "\n")
	}
	flush()
	return b.String()
}

// lastColumn is where the last of the columns of a line begins that are at least two blanks apart; 0 if there is one column.
func lastColumn(line string) int {
	text := strings.TrimLeft(line, " ")
	if i := strings.LastIndex(text, "  "); i >= 0 {
		return len(line) - len(text) + i + 2
	}
	return 0
}
