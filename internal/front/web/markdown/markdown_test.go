package markdown

import (
	"strings"
	"testing"
	"time"
)

// to lets notes and the web be linked to.
func to(dest string) string {
	if strings.HasPrefix(dest, "https:") || strings.HasPrefix(dest, "notes/") {
		return dest
	}
	return ""
}

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"heading", "# A *b*\n## B ##\n#### C\n#not", "<h3>A <em>b</em></h3> <h4>B</h4> <h5>C</h5> <p>#not</p>"},
		{"underlined", "Title\n===\ntext", "<h3>Title</h3> <p>text</p>"},
		{"the line", "Rules\n---\nnotes", "<p>Rules</p> <hr> <p>notes</p>"},
		{"breaks", "one  \ntwo\\\nthree\nfour", "<p>one  <br> two<br> three four</p>"},
		{"tight list", "text\n- a\n  more\n- b\n  - c\n    1. d\n* e",
			"<p>text</p> <ul> <li>a more </li> <li>b <ul> <li>c <ol start=\"1\"> <li>d </li> </ol> </li> </ul> </li> </ul> <ul> <li>e </li> </ul>"},
		{"loose list", "- a\n\n  b\n- c", "<ul> <li><p>a</p> <p>b</p> </li> <li><p>c</p> </li> </ul>"},
		{"lazy", "- a\nb\n\nc", "<ul> <li>a b </li> </ul> <p>c</p>"},
		{"numbers", "3. a\n4. b\n\nIn\n2026. it", "<ol start=\"3\"> <li>a </li> <li>b </li> </ol> <p>In 2026. it</p>"},
		{"quote", "> a\n> > b\nc", "<blockquote> <p>a</p> <blockquote> <p>b</p> </blockquote> </blockquote> <p>c</p>"},
		{"fence", "```go\na < *b*\n\n# c\n```\nd", "<pre><code>a &lt; *b*  # c </code></pre> <p>d</p>"},
		{"open fence", "~~~\na", "<pre><code>a </code></pre>"},
		{"fence in a list", "- a\n  ```\n  b\n    c\n  ```", "<ul> <li>a <pre><code>b   c </code></pre> </li> </ul>"},
		{"indented", "    a\n\n    b\nc", "<pre><code>a  b </code></pre> <p>c</p>"},
		{"table", "| a | b\\|c |\n|:--|--:|\n| `x` |\nend",
			"<table> <thead> <tr><th>a</th><th>b|c</th></tr> </thead> <tbody> <tr><td><code>x</code></td><td></td></tr> " +
				"</tbody> </table> <p>end</p>"},
		{"emphasis", "*a* **b** ***c*** _d_ __e__ ~~f~~ 2*3*4 snake_case_name * x",
			"<p><em>a</em> <strong>b</strong> <em><strong>c</strong></em> <em>d</em> <strong>e</strong> <del>f</del> 2*3*4 snake_case_name * x</p>"},
		{"nested emphasis", "**a *b* c** *x **y***", "<p><strong>a <em>b</em> c</strong> <em>x <strong>y</strong></em></p>"},
		{"code", "`a*b*` ``c`d`` `open", "<p><code>a*b*</code> <code>c`d</code> `open</p>"},
		{"escapes", `\*a\* &amp; &lt;b&gt; <b>`, "<p>*a* &amp; &lt;b&gt; &lt;b&gt;</p>"},
		{"links", "[a](notes/b.md) [c](https://x.example/(d) \"t\") [e](javascript:f) <https://g.example> <h@i.example>",
			`<p><a rel="noopener noreferrer nofollow" href="notes/b.md">a</a> <a rel="noopener noreferrer nofollow" href="https://x.example/(d)">c</a> e (javascript:f) ` +
				`<a rel="noopener noreferrer nofollow" href="https://g.example">https://g.example</a> &lt;h@i.example&gt;</p>`},
		{"image", "![a *b*](../c.png)", `<p><span class="image">image: a <em>b</em> (../c.png)</span></p>`},
		{"no link in a link", "[a [b](https://c.example)](https://d.example)",
			`<p><a rel="noopener noreferrer nofollow" href="https://d.example">a [b](https://c.example)</a></p>`},
		{"not a link", "[decision] [x] a [b] (c)", "<p>[decision] [x] a [b] (c)</p>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, ok := HTML(c.in, to)
			if got := strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", " "); !ok || got != c.want {
				t.Errorf("%v\n got %s\nwant %s", ok, got, c.want)
			}
		})
	}
}

// For any text, the time is linear in its length: a hundred such pages may be open.
func TestMarkdownIsLinear(t *testing.T) {
	for _, unit := range []string{"*a ", "a* ", "**a* ", "_*", "`", "`a``b", "[", "]", "[a](", "![", "<", "<a:", "> ", "- ", "- a\n", "1. ",
		"|", "|-\n", "# ", "~~", "\\", "&", "((", "[a](b", "\t", "```\n", "    a\n\n", "a\n=\n"} {
		text := strings.Repeat(unit, 200<<10/len(unit))
		began := time.Now()
		HTML(text, to)
		if d := time.Since(began); d > 10*time.Second {
			t.Errorf("%q: %s for 200 KB", unit, d)
		}
	}
}
