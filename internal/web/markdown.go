package web

import (
	"bytes"
	"html"
	"html/template"
	"io"
	"net/url"
	"path"
	"strings"

	gomarkdown "github.com/gomarkdown/markdown"
	"github.com/gomarkdown/markdown/ast"
	render "github.com/gomarkdown/markdown/html"
	"github.com/gomarkdown/markdown/parser"

	"tend/internal/words"
)

// mostRendered is how long a rendered text may be: deeply nested quotes make little text large.
const mostRendered = 40 << 10

// mostNested is how deep a document may be nested. Browsers have a limit too, and the parser drops what is deeper than 64.
const mostNested = 60

// markdown renders an agent's text. HTML in it is shown as text, images are named and not loaded, and links lead to
// files of the agent or, by http and mailto, elsewhere; any other link is text. ok is false if it would be too long.
//
// Its library is the one that costs least when a program starts: each command pays for what the dashboard links.
func markdown(agent, file, text string) (out template.HTML, ok bool) {
	p := parser.NewWithExtensions(parser.Tables | parser.FencedCode | parser.Strikethrough | parser.SpaceHeadings |
		parser.NoIntraEmphasis | parser.NoEmptyLineBeforeBlock | parser.BackslashLineBreak | parser.OrderedListStart)
	doc := p.Parse(gomarkdown.NormalizeNewlines([]byte(words.Safe(text))))
	if depth(doc) > mostNested {
		return "", false
	}
	t := &tame{agent: agent, file: file, level: 2}
	b := gomarkdown.Render(doc, render.NewRenderer(render.RendererOptions{RenderNodeHook: t.node}))
	if len(b) > mostRendered {
		return "", false
	}
	return template.HTML(bytes.ToValidUTF8(b, []byte("\ufffd"))), true
}

// depth is how deep a document is nested.
func depth(doc ast.Node) (deepest int) {
	now := 0
	ast.WalkFunc(doc, func(_ ast.Node, entering bool) ast.WalkStatus {
		if entering {
			now++
			deepest = max(deepest, now)
		} else {
			now--
		}
		return ast.GoToNext
	})
	return deepest
}

// tame renders what could run, load or lead somewhere.
type tame struct {
	agent, file string
	level       int // of the heading before
}

// node takes over the dangerous kinds of nodes, and headings, which stand below those of the page.
func (t *tame) node(w io.Writer, n ast.Node, entering bool) (ast.WalkStatus, bool) {
	switch n := n.(type) {
	case *ast.HTMLSpan:
		escape(w, string(n.Literal))
	case *ast.HTMLBlock:
		code(w, n.Literal)
	case *ast.CodeBlock: // the library does not escape its language
		code(w, n.Literal)
	case *ast.Text:
		escape(w, words.Safe(html.UnescapeString(string(n.Literal)))) // an entity may name a hidden character
	case *ast.Image:
		if entering {
			put(w, `<span class="image">image: `)
			break
		}
		escape(w, " ("+words.Clip(string(n.Destination), 200)+")")
		put(w, `</span>`)
	case *ast.Link:
		t.link(w, string(n.Destination), entering)
	case *ast.Heading:
		t.heading(w, n.Level, entering)
	case *ast.TableCell:
		n.Align = 0
		return ast.GoToNext, false
	default:
		return ast.GoToNext, false
	}
	return ast.GoToNext, true
}

func (t *tame) link(w io.Writer, dest string, entering bool) {
	to := t.target(dest)
	switch {
	case to == "" && !entering:
		escape(w, " ("+words.Clip(dest, 200)+")")
	case to != "" && entering:
		put(w, `<a rel="noopener noreferrer nofollow" href="`)
		escape(w, to)
		put(w, `">`)
	case to != "":
		put(w, "</a>")
	}
}

// heading never skips a level: people who hear a page go from heading to heading.
func (t *tame) heading(w io.Writer, level int, entering bool) {
	if entering {
		t.level = min(6, level+2, t.level+1)
	}
	tag := "h" + string(rune('0'+t.level)) + ">"
	if entering {
		put(w, "<"+tag)
	} else {
		put(w, "</"+tag+"\n")
	}
}

// target is where a link may lead, "" if nowhere.
func (t *tame) target(dest string) string {
	u, err := url.Parse(dest)
	if err != nil {
		return ""
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		if u.Host == "" {
			return ""
		}
		return u.String()
	case "mailto":
		return u.String()
	case "":
	default:
		return ""
	}
	if u.Host != "" || u.Path == "" || strings.HasPrefix(u.Path, "/") {
		return ""
	}
	file := path.Join(path.Dir(t.file), u.Path)
	if file == ".." || strings.HasPrefix(file, "../") {
		return ""
	}
	return "/a/" + escapePath(t.agent) + "/file/" + escapePath(file)
}

func code(w io.Writer, text []byte) {
	put(w, "<pre><code>")
	escape(w, string(text))
	put(w, "</code></pre>\n")
}

func put(w io.Writer, s string) { _, _ = io.WriteString(w, s) }

func escape(w io.Writer, s string) { put(w, template.HTMLEscapeString(s)) }
