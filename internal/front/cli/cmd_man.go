package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tend/internal/model/textfmt"
)

func newManCommand(a *app) *cobra.Command {
	return a.command("man DIR", func(_ context.Context, args []string) error {
		if err := os.MkdirAll(args[0], 0o755); err != nil {
			return err
		}
		pages, err := writeManPages(newRoot(new(app), nil), args[0])
		if err != nil {
			return err
		}
		return a.emit(map[string]any{"folder": args[0], "pages": pages}, func() {
			if !a.quiet {
				a.printf("wrote %s to %s; `man %s` shows the first\n", textfmt.Count(len(pages), "page"), args[0], filepath.Join(args[0], "tend.1"))
			}
		})
	})
}

// writeManPages writes the pages of a command and its subcommands, and returns their names.
func writeManPages(cmd *cobra.Command, dir string) (pages []string, err error) {
	if !cmd.IsAvailableCommand() && cmd.HasParent() {
		return nil, nil
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	if err := os.WriteFile(filepath.Join(dir, name+".1"), []byte(manPage(cmd, name)), 0o644); err != nil {
		return nil, err
	}
	pages = []string{name + ".1"}
	for _, sub := range cmd.Commands() {
		more, err := writeManPages(sub, dir)
		if err != nil {
			return nil, err
		}
		pages = append(pages, more...)
	}
	return pages, nil
}

// manPage renders a command's help as roff.
func manPage(cmd *cobra.Command, name string) string {
	cmd.InitDefaultHelpFlag() // as --help does
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %q 1 \"\" \"tend %s\" \"Tend\"\n", strings.ToUpper(name), version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", escapeRoff(name), escapeRoff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", escapeRoff(cmd.UseLine()))
	text := cmd.Long
	text = cmp.Or(text, cmd.Short)
	// Sections of the long help have titles in capitals on a separate line.
	b.WriteString(".SH DESCRIPTION\n.nf\n")
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if line != "" && line == strings.ToUpper(line) && !strings.ContainsAny(line, ".:`") {
			fmt.Fprintf(&b, ".fi\n.SH %s\n.nf\n", escapeRoff(line))
			continue
		}
		b.WriteString(escapeRoff(line) + "\n")
	}
	b.WriteString(".fi\n")
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roffLines(cmd.Example))
	}
	flags := func(title string, set *pflag.FlagSet) {
		if set.HasAvailableFlags() {
			fmt.Fprintf(&b, ".SH %s\n.nf\n%s\n.fi\n", title, roffLines(strings.TrimRight(set.FlagUsages(), "\n")))
		}
	}
	flags("OPTIONS", cmd.NonInheritedFlags())
	flags("GLOBAL OPTIONS", cmd.InheritedFlags())
	var related []string
	if cmd.HasParent() {
		related = append(related, strings.ReplaceAll(cmd.Parent().CommandPath(), " ", "-"))
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			related = append(related, strings.ReplaceAll(sub.CommandPath(), " ", "-"))
		}
	}
	if len(related) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s(1)\n", escapeRoff(strings.Join(related, "(1), ")))
	}
	return b.String()
}

func roffLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = escapeRoff(l)
	}
	return strings.Join(lines, "\n")
}

// escapeRoff escapes what the formatter would take for a command.
func escapeRoff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else { // understood by every roff, whatever the locale
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	s = b.String()
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
