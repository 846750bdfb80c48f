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
		{"the line", "Rules\n---\nnotes", "<p>Rules</p> <hr> <p>notes</p>"},
		{"list", "text\n- a\n  more\n- b\n  - c\n    1. d", "<p>text</p> <ul> <li>a more</li> <li>b <ul> <li>c " +
			"<ol> <li>d</li> </ol> </li> </ul> </li> </ul>"},
		{"quote", "> a\n> > b", "<blockquote> <p>a</p> <blockquote> <p>b</p> </blockquote> </blockquote>"},
		{"fence", "```go\na < *b*\n\n# c\n```\nd", "<pre><code class=\"language-go\">a &lt; *b*  # c </code></pre> <p>d</p>"},
		{"table", "| a | b\\|c |\n|:--|--:|\n| `x` |\n\nend", "<table> <thead> <tr> <th>a</th> <th>b|c</th> </tr> </thead> " +
			"<tbody> <tr> <td><code>x</code></td> <td></td> </tr> </tbody> </table> <p>end</p>"},
		{"emphasis", "*a* **b** ~~f~~ snake_case_name * x", "<p><em>a</em> <strong>b</strong> <del>f</del> snake_case_name * x</p>"},
		{"as written", `\*a\* &amp; &#8203; <b>`, "<p>*a* &amp;amp; &amp;#8203; &lt;b&gt;</p>"},
		{"links", "[a](notes/b.md) [c](https://x.example/(d) \"t\") [e](javascript:f) <https://g.example> <h@i.example>",
			`<p><a rel="noopener noreferrer nofollow" href="notes/b.md">a</a> <a rel="noopener noreferrer nofollow" href="https://x.example/(d)">c</a> e (javascript:f) ` +
				`<a rel="noopener noreferrer nofollow" href="https://g.example">https://g.example</a> &lt;h@i.example&gt;</p>`},
		{"image", "![a *b*](../c.png)", `<p><span class="image">image: a <em>b</em> (../c.png)</span></p>`},
		{"not a link", "[decision] [x] a [b] (c)\n\n[x]: https://x.example", "<p>[decision] [x] a [b] (c)</p> <p>[x]: https://x.example</p>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, ok := HTML(c.in, to)
			if got := strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", " "); !ok || got != c.want {
				t.Errorf("%v\n got %s\nwant %s", ok, got, c.want)
			}
		})
	}
}

// No text takes long, as a hundred pages may be open; one that is nested too deep is refused.
func TestMarkdownIsQuick(t *testing.T) {
	for _, unit := range []string{"*a ", "a* ", "**a* ", "_*", "`", "`a``b", "[", "]", "[a](", "![", "<", "<a:", "> ", "- ", "- a\n", "1. ",
		"|", "|-\n", "# ", "~~", "\\", "&", "((", "[a](b", "\t", "```\n", "    a\n\n", "a\n=\n"} {
		text := strings.Repeat(unit, mostRendered/len(unit))
		began := time.Now()
		HTML(text, to)
		if d := time.Since(began); d > 10*time.Second {
			t.Errorf("%q: %s for 40 KB", unit, d)
		}
	}
	if _, ok := HTML(strings.Repeat("> ", 2*mostNested)+"deep", to); ok {
		t.Error("a text that is nested too deep is rendered")
	}
}
