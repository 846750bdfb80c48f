package web

import (
	"bytes"
	"html/template"
	"net/url"
	"path"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"tend/internal/words"
)

// mostRendered is how long a rendered text may be: deeply nested quotes make little text large.
const mostRendered = 40 << 10

// markdown renders an agent's text. HTML in it is shown as text, images are named and not loaded, and links lead to
// files of the agent or, by http and mailto, elsewhere; any other link is text. ok is false if it would be too long.
func markdown(agent, file, text string) (html template.HTML, ok bool) {
	md := goldmark.New(
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone)), extension.Strikethrough),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(&tame{agent: agent, file: file, level: 2}, 100))),
	)
	src := []byte(words.Safe(text))
	doc := md.Parser().Parse(gmtext.NewReader(src))
	if depth(doc) > mostNested {
		return "", false
	}
	var b bytes.Buffer
	if err := md.Renderer().Render(&b, src, doc); err != nil || b.Len() > mostRendered {
		return "", false
	}
	return template.HTML(b.String()), true
}

// mostNested is how deep quotes and lists may be nested; browsers have a limit too.
const mostNested = 60

// depth is how deep a document is nested.
func depth(doc ast.Node) (deepest int) {
	now := 0
	_ = ast.Walk(doc, func(_ ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			now--
			return ast.WalkContinue, nil
		}
		now++
		deepest = max(deepest, now)
		return ast.WalkContinue, nil
	})
	return deepest
}

// tame renders what could run, load or lead somewhere.
type tame struct {
	agent, file string
	level       int // of the heading before
}

// RegisterFuncs takes over the dangerous kinds of nodes, and headings, which stand below those of the page.
func (t *tame) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindRawHTML, t.raw)
	reg.Register(ast.KindHTMLBlock, t.block)
	reg.Register(ast.KindImage, t.image)
	reg.Register(ast.KindLink, t.link)
	reg.Register(ast.KindAutoLink, t.autoLink)
	reg.Register(ast.KindHeading, t.heading)
}

func (t *tame) raw(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		segments := n.(*ast.RawHTML).Segments
		for i := range segments.Len() {
			s := segments.At(i)
			escape(w, string(s.Value(src)))
		}
	}
	return ast.WalkSkipChildren, nil
}

func (t *tame) block(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	b := n.(*ast.HTMLBlock)
	_, _ = w.WriteString("<pre><code>")
	for i := range b.Lines().Len() {
		line := b.Lines().At(i)
		escape(w, string(line.Value(src)))
	}
	if b.HasClosure() {
		closure := b.ClosureLine
		escape(w, string(closure.Value(src)))
	}
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkSkipChildren, nil
}

func (t *tame) image(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(`<span class="image">image: `)
		return ast.WalkContinue, nil
	}
	escape(w, " ("+words.Clip(string(n.(*ast.Image).Destination), 200)+")")
	_, _ = w.WriteString(`</span>`)
	return ast.WalkContinue, nil
}

func (t *tame) link(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	dest := string(n.(*ast.Link).Destination)
	to := t.target(dest)
	switch {
	case to == "" && !entering:
		escape(w, " ("+words.Clip(dest, 200)+")")
	case to != "" && entering:
		open(w, to)
	case to != "":
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func (t *tame) autoLink(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	l := n.(*ast.AutoLink)
	label, dest := string(l.Label(src)), string(l.URL(src))
	if l.AutoLinkType == ast.AutoLinkEmail {
		dest = "mailto:" + dest
	}
	to := t.target(dest)
	if to != "" {
		open(w, to)
	}
	escape(w, label)
	if to != "" {
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

// heading never skips a level: people who hear a page go from heading to heading.
func (t *tame) heading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		t.level = min(6, n.(*ast.Heading).Level+2, t.level+1)
	}
	level := string(rune('0' + t.level))
	if entering {
		_, _ = w.WriteString("<h" + level + ">")
	} else {
		_, _ = w.WriteString("</h" + level + ">\n")
	}
	return ast.WalkContinue, nil
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

func open(w util.BufWriter, to string) {
	_, _ = w.WriteString(`<a rel="noopener noreferrer nofollow" href="`)
	escape(w, to)
	_, _ = w.WriteString(`">`)
}

func escape(w util.BufWriter, s string) { _, _ = w.WriteString(template.HTMLEscapeString(s)) }
