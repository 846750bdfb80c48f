package markdown

import (
	"html"
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"

	"tend/internal/model/textfmt"
)

// piece is a stretch of a paragraph: finished HTML, or a run of marks that may begin or end emphasis.
type piece struct {
	html       string
	mark       byte
	n          int // marks not used yet
	open, shut bool
	before     string // tags that this run closes
	after      string // tags that it opens
}

// inline renders the text of a paragraph. Its time grows with the length of the text, whatever the text is.
func (p *page) inline(text string, links bool, depth int) {
	for _, x := range emphasize(p.pieces(text, links, depth)) {
		p.b.WriteString(x.before)
		p.b.WriteString(x.html)
		p.b.WriteString(strings.Repeat(string(x.mark), x.n))
		p.b.WriteString(x.after)
	}
}

func (p *page) pieces(text string, links bool, depth int) (out []piece) {
	plain := 0 // where text begins that is not written yet
	flush := func(to int) {
		if plain < to {
			out = append(out, piece{html: escaped(text[plain:to])})
		}
	}
	add := func(from, to int, x piece) {
		flush(from)
		out = append(out, x)
		plain = to
	}
	shut := brackets(text)
	unclosed := map[int]bool{} // lengths of runs of backticks that nothing closes from here on
	for i := 0; i < len(text); {
		from := i
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && text[i+1] == '\n':
			i += 2
			add(from, i, piece{html: "<br>\n"})
		case c == '\\' && i+1 < len(text) && isMark(text[i+1]):
			i += 2
			add(from, i, piece{html: escaped(text[from+1 : i])})
		case c == '\n':
			i++
			if strings.HasSuffix(text[plain:from], "  ") {
				add(from, i, piece{html: "<br>\n"})
			}
		case c == '`':
			i += run(text[i:])
			ticks := text[from:i]
			if unclosed[len(ticks)] {
				break
			}
			if end := closing(text[i:], ticks); end >= 0 {
				code := text[i : i+end]
				if t := strings.TrimSpace(code); t != "" && len(code) > 2 && code[0] == ' ' && code[len(code)-1] == ' ' {
					code = code[1 : len(code)-1]
				}
				i += end + len(ticks)
				add(from, i, piece{html: "<code>" + template.HTMLEscapeString(code) + "</code>"})
			} else {
				unclosed[len(ticks)] = true
			}
		case c == '<' && links:
			i++
			if end := strings.IndexAny(text[i:], "<> \n"); end > 0 && text[i+end] == '>' && strings.ContainsAny(text[i:i+end], ":@") {
				dest := text[i : i+end]
				if to := p.target(dest); strings.Contains(dest, ":") && to != "" {
					i += end + 1
					add(from, i, piece{html: anchor(to) + template.HTMLEscapeString(dest) + "</a>"})
				}
			}
		case c == '[' || c == '!' && strings.HasPrefix(text[i:], "!["):
			image := c == '!'
			if i++; image {
				i++
			}
			end := shut[i-1]
			if end == 0 || depth > 3 || !image && !links {
				break
			}
			dest, n, ok := destination(text[end+1:])
			if !ok {
				break
			}
			label := text[i:end]
			i = end + 1 + n
			add(from, i, piece{html: p.link(label, dest, image, links, depth)})
		case c == '*' || c == '_' || c == '~':
			i += run(text[i:])
			if c == '~' && i-from != 2 {
				break
			}
			add(from, i, delimiter(text, from, i))
		default:
			i++
		}
	}
	flush(len(text))
	return out
}

// link renders a link with a place to go, and names the place of any other and of an image.
func (p *page) link(label, dest string, image, links bool, depth int) string {
	inner := &page{target: p.target, ok: true}
	inner.inline(label, links && image, depth+1)
	named := inner.b.String() + template.HTMLEscapeString(" ("+textfmt.Clip(dest, 200)+")")
	if image {
		return `<span class="image">image: ` + named + `</span>`
	}
	if to := p.target(dest); to != "" {
		return anchor(to) + inner.b.String() + "</a>"
	}
	return named
}

func anchor(to string) string {
	return `<a rel="noopener noreferrer nofollow" href="` + template.HTMLEscapeString(to) + `">`
}

// escaped is text as HTML. An entity in it may name a hidden character.
func escaped(text string) string {
	if strings.Contains(text, "&") {
		text = textfmt.Safe(html.UnescapeString(text))
	}
	return template.HTMLEscapeString(text)
}

// emphasize pairs the runs of marks and gives them tags. What pairs with nothing stays as it was written.
func emphasize(list []piece) []piece {
	var stack []int
	open := map[byte]int{} // runs of each mark on the stack
	for i := range list {
		x := &list[i]
		for x.shut && x.n > 0 && open[x.mark] > 0 {
			top := stack[len(stack)-1]
			if list[top].mark != x.mark { // it crosses what is to be closed
				open[list[top].mark]--
				stack = stack[:len(stack)-1]
				continue
			}
			o := &list[top]
			n, tag := 1, "em"
			if x.n > 1 && o.n > 1 {
				n, tag = 2, "strong"
			}
			if x.mark == '~' {
				tag = "del"
			}
			o.n, x.n = o.n-n, x.n-n
			o.after = "<" + tag + ">" + o.after
			x.before += "</" + tag + ">"
			if o.n == 0 {
				open[x.mark]--
				stack = stack[:len(stack)-1]
			}
		}
		if x.open && x.n > 0 {
			stack = append(stack, i)
			open[x.mark]++
		}
	}
	return list
}

// delimiter is a run of marks. It begins emphasis before text and ends it after text; inside a word it is text.
func delimiter(text string, from, to int) piece {
	x := piece{mark: text[from], n: to - from}
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	after, _ := utf8.DecodeRuneInString(text[to:])
	blankBefore, blankAfter := from == 0 || unicode.IsSpace(before), to == len(text) || unicode.IsSpace(after)
	if isWord(before) && isWord(after) && from > 0 && to < len(text) {
		return x
	}
	x.open = !blankAfter && (blankBefore || !isWord(before) || x.mark == '~')
	x.shut = !blankBefore && (blankAfter || !isWord(after) || x.mark == '~')
	return x
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isMark says whether a backslash before the character makes it text.
func isMark(c byte) bool { return c < 0x80 && (unicode.IsPunct(rune(c)) || unicode.IsSymbol(rune(c))) }

// run is how often the first character is repeated.
func run(s string) int {
	n := 1
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return n
}

// closing finds a run of backticks of the same length, -1 if there is none.
func closing(s, ticks string) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		n := run(s[i:])
		if n == len(ticks) {
			return i
		}
		i += n
	}
	return -1
}

// brackets maps each opening bracket to the one that closes it.
func brackets(text string) map[int]int {
	var stack []int
	out := map[int]int{}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '[':
			stack = append(stack, i)
		case ']':
			if len(stack) > 0 {
				out[stack[len(stack)-1]] = i
				stack = stack[:len(stack)-1]
			}
		}
	}
	return out
}

// longestLink is how long a link's address may be.
const longestLink = 2000

// destination reads (ADDRESS "title") and returns its length. A title is not shown.
func destination(s string) (dest string, n int, ok bool) {
	s = s[:min(len(s), longestLink)]
	if !strings.HasPrefix(s, "(") {
		return "", 0, false
	}
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				dest = strings.TrimSpace(s[1:i])
				if in, found := strings.CutPrefix(dest, "<"); found {
					dest, _, _ = strings.Cut(in, ">")
				} else if fields := strings.Fields(dest); len(fields) > 0 {
					dest = fields[0]
				}
				return textfmt.Safe(html.UnescapeString(dest)), i + 1, true
			}
		case '\n':
			return "", 0, false
		}
	}
	return "", 0, false
}
