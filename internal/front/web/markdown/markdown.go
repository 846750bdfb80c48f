// Package markdown renders an agent's text as HTML that can do nothing: HTML in it is shown as text, images are named and not
// loaded, and the caller decides where a link may lead.
package markdown

import (
	"bytes"
	"fmt"
	"html/template"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"tend/internal/model/textfmt"
)

// mostRendered is how many bytes the source may have, and its HTML: deeply nested quotes make much of little text.
const mostRendered = 40 << 10

// mostNested is how many levels the parsed text may have. A quote is one, a list with its items two. Browsers have a limit too.
const mostNested = 60

// pageLevel is the level of the heading that stands above the text on its page: the text's own headings go below it.
const pageLevel = 2

// HTML renders text. target returns where a link may lead, "" for a link that is to be shown as text. ok is false if the
// text or the result would be too long, or nested too deep.
func HTML(source string, target func(dest string) string) (out template.HTML, ok bool) {
	if len(source) > mostRendered {
		return "", false
	}
	src := []byte(textfmt.Safe(source))
	md := newMarkdown(target)
	doc := md.Parser().Parse(text.NewReader(src))
	var b bytes.Buffer
	if deeper(doc, mostNested) || md.Renderer().Render(&b, src, doc) != nil || b.Len() > mostRendered {
		return "", false
	}
	return template.HTML(b.String()), true
}

// newMarkdown returns goldmark without what could hide text or act: no HTML, no character references, no link references.
// A line of dashes is always a rule, never an underlined heading: in a memory file it is "the line".
func newMarkdown(target func(dest string) string) goldmark.Markdown {
	blocks := []util.PrioritizedValue{
		util.Prioritized(parser.NewThematicBreakParser(), 200), util.Prioritized(parser.NewListParser(), 300),
		util.Prioritized(parser.NewListItemParser(), 400), util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600), util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(parser.NewBlockquoteParser(), 800), util.Prioritized(parser.NewParagraphParser(), 1000),
	}
	inlines := []util.PrioritizedValue{
		util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewLinkParser(), 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300), util.Prioritized(parser.NewEmphasisParser(), 500),
	}
	md := goldmark.New(
		goldmark.WithParser(parser.NewParser(parser.WithBlockParsers(blocks...), parser.WithInlineParsers(inlines...))),
		goldmark.WithRenderer(renderer.NewRenderer(renderer.WithNodeRenderers(
			util.Prioritized(&nodes{target: target, level: pageLevel}, 100),
			util.Prioritized(html.NewRenderer(html.WithWriter(literal{html.DefaultWriter})), 1000)))),
	)
	extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone)).Extend(md)
	extension.Strikethrough.Extend(md)
	return md
}

// deeper reports whether a node has more than so many levels below it.
func deeper(n ast.Node, levels int) bool {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if levels == 0 || deeper(c, levels-1) {
			return true
		}
	}
	return false
}

// literal shows a character reference as it is written: the character it names may be a hidden one.
type literal struct{ html.Writer }

func (l literal) Write(w util.BufWriter, source []byte) {
	l.RawWrite(w, util.UnescapePunctuations(source))
}

// nodes renders headings, links and images in place of goldmark's own renderer.
type nodes struct {
	target func(string) string
	level  int // of the last heading that was rendered
}

func (r *nodes) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindHeading, r.heading)
	reg.Register(ast.KindLink, r.link)
	reg.Register(ast.KindImage, image)
	reg.Register(ast.KindAutoLink, r.autoLink)
}

// heading never skips a level: people who hear a page go from heading to heading.
func (r *nodes) heading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		r.level = min(n.(*ast.Heading).Level+pageLevel, r.level+1, 6)
		fmt.Fprintf(w, "<h%d>", r.level)
	} else {
		fmt.Fprintf(w, "</h%d>\n", r.level)
	}
	return ast.WalkContinue, nil
}

// link renders a link that has a place to go, and names the place of any other.
func (r *nodes) link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	dest := string(util.UnescapePunctuations(n.(*ast.Link).Destination))
	to := r.target(dest)
	switch {
	case to == "" && !entering:
		_, _ = w.WriteString(destination(dest))
	case to != "" && entering:
		_, _ = w.WriteString(anchor(to))
	case to != "":
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func image(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(`<span class="image">image: `)
	} else {
		_, _ = w.WriteString(destination(string(n.(*ast.Image).Destination)) + "</span>")
	}
	return ast.WalkContinue, nil
}

func (r *nodes) autoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	label := string(n.(*ast.AutoLink).Label(source))
	if to := r.target(label); to != "" {
		_, _ = w.WriteString(anchor(to) + template.HTMLEscapeString(label) + "</a>")
	} else {
		_, _ = w.WriteString(template.HTMLEscapeString("<" + label + ">"))
	}
	return ast.WalkContinue, nil
}

func anchor(to string) string {
	return `<a rel="noopener noreferrer nofollow" href="` + template.HTMLEscapeString(to) + `">`
}

// destination shows an address that is not linked to.
func destination(dest string) string {
	return template.HTMLEscapeString(" (" + textfmt.Clip(dest, 200) + ")")
}
