//go:build linux

package screen

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode/utf8"
)

var sgr = regexp.MustCompile(`\x1b\[([0-9;]*)m`)

// svg draws a screen as a picture: a dark window with a prompt, one text element a line.
func svg(prompt, screen string) string {
	const wide, high, left, top = 8.4, 18, 16, 48
	lines := append([]string{prompt}, strings.Split(strings.TrimRight(screen, "\n"), "\n")...)
	width, height := int(columns*wide)+2*left, top+len(lines)*high+8
	var b strings.Builder
	fmt.Fprintf(&b,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="#16181d"/>`+"\n", width, height)
	for i, colour := range []string{"#ff5f57", "#febc2e", "#28c840"} {
		fmt.Fprintf(&b, `<circle cx="%d" cy="20" r="6" fill="%s"/>`+"\n", 22+i*20, colour)
	}
	for i, line := range lines {
		at := 0
		style := ""
		y := top + i*high
		draw := func(text string) {
			if strings.TrimSpace(text) != "" {
				fmt.Fprintf(&b, `<text xml:space="preserve" x="%.1f" y="%d" fill="%s"%s>%s</text>`+"\n", left+float64(at)*wide, y, colourOf(style),
					weightOf(style), html.EscapeString(text))
			}
			at += utf8.RuneCountInString(text)
		}
		for _, part := range split(line) {
			if m := sgr.FindStringSubmatch(part); m != nil {
				style = m[1]
			} else {
				draw(part)
			}
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// split cuts a line at its escape sequences and keeps them.
func split(line string) []string {
	var parts []string
	for line != "" {
		at := sgr.FindStringIndex(line)
		if at == nil {
			return append(parts, line)
		}
		parts = append(parts, line[:at[0]], line[at[0]:at[1]])
		line = line[at[1]:]
	}
	return parts
}

func colourOf(style string) string {
	for code, colour := range map[string]string{"31": "#ff6b6b", "32": "#7bd88f", "33": "#f2c94c", "36": "#66d9ef", "2": "#8b929e"} {
		if style == code || strings.HasSuffix(style, ";"+code) {
			return colour
		}
	}
	return "#e6e6e6"
}

func weightOf(style string) string {
	if style == "1" {
		return ` font-weight="bold"`
	}
	return ""
}
