package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"tend/internal/engine/jobruns"
	"tend/internal/front/web/markdown"
)

// hostile is text that tries to run, load or restyle something, or to break the page.
var hostile = []string{
	"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)><style>*{display:none}</style></svg>",
	"[click](javascript:alert(1))", "[click](JaVaScRiPt:alert(1))", "[data](data:text/html,<script>alert(1)</script>)",
	"<javascript:alert(1)>",
	"![remote](https://evil.example/x.png)", "![data](data:image/svg+xml;base64,PHN2Zy8+)", "<iframe src=//evil.example></iframe>",
	"<style>body{background:url(//evil.example)}</style>", "<link rel=stylesheet href=//evil.example>", "<meta http-equiv=refresh content=0>",
	"<form action=//evil.example><input name=csrf></form>", `"><script>alert(1)</script>`, "'-alert(1)-'", "{{.CSRF}} {{template \"layout\"}}",
	"\u202egnp.exe\u202c and \u200b\u200dzero", "broken \xff\xfe\xc3 bytes", "\x00\x1b[31mred",
	"entities &#x202e;gnp &#8203; &lt;script&gt;", "~~~a\" onclick=\"x\nx\n~~~", "<base href=//evil.example/>", "[x]: //evil.example\n[x]",
	"| a | b |\n|---|:-:|\n| <b onclick=x> | 2 |", "~~~html\n<script>x</script>\n~~~", strings.Repeat("> ", 700) + "deep",
	strings.Repeat("[", 1000), strings.Repeat("*_", 1000),
}

// allowed are the elements a page may have.
const allowed = " html head meta title link script body a header svg path rect circle text title nav span form input button main section " +
	"article div h1 h2 h3 h4 h5 h6 p small table thead tbody tfoot tr th td time ol ul li dl dt dd code pre kbd em strong del ins mark " +
	"details summary label select option footer blockquote br hr image img-none "

// inspect parses a page as a browser would and reports what an agent's text must not bring in.
func inspect(t *testing.T, what, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s: broken UTF-8", what)
	}
	for _, r := range text {
		if r == 0x202e || r == 0x200b || r == 0x1b || r == 0 {
			t.Errorf("%s: hidden character %U on the page", what, r)
			break
		}
	}
	doc, err := html.Parse(strings.NewReader(text))
	must(t, err)
	scripts := 0
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode {
			if !strings.Contains(allowed, " "+n.Data+" ") {
				t.Errorf("%s: element <%s>", what, n.Data)
			}
			for _, a := range n.Attr {
				v := strings.ToLower(strings.TrimSpace(a.Val))
				switch {
				case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcset", a.Key == "formaction":
					t.Errorf("%s: <%s %s=%q>", what, n.Data, a.Key, a.Val)
				case a.Key == "src" && (n.Data != "script" || !strings.HasPrefix(v, "/static/app.js")):
					t.Errorf("%s: <%s src=%q>", what, n.Data, a.Val)
				case a.Key == "action" && !strings.HasPrefix(v, "/"), a.Key == "action" && strings.HasPrefix(v, "//"):
					t.Errorf("%s: form to %q", what, a.Val)
				case a.Key == "href" && n.Data != "a" && !strings.HasPrefix(v, "/static/"):
					t.Errorf("%s: <%s href=%q>", what, n.Data, a.Val)
				case a.Key == "href" && n.Data == "a":
					u, err := url.Parse(a.Val)
					if err != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
						t.Errorf("%s: link to %q", what, a.Val)
					}
				}
			}
			if n.Data == "script" {
				scripts++
				if n.FirstChild != nil {
					t.Errorf("%s: inline script %q", what, n.FirstChild.Data)
				}
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(doc)
	if scripts != 1 {
		t.Errorf("%s: %d scripts, want ours alone", what, scripts)
	}
	if len(text) > 100<<10 {
		t.Errorf("%s: %d KB, want at most 100", what, len(text)>>10)
	}
}

// TestHostileText puts hostile text into every file, name and query and checks every page.
func TestHostileText(t *testing.T) {
	all := "# Memory\n\n## <script>alert(1)</script>\n\n- [decision] " + strings.Join(hostile, "\n\n- [lesson] ") + "\n"
	long := "# Long\n\n- " + strings.Repeat("<b>\"'&", 1<<20) + "\n"
	var many strings.Builder
	for range 100_000 {
		many.WriteString("- [decision] <i>entry</i> & more \"quotes\"\n")
	}
	h := newFixture(t, map[string]string{"a": all, "b": all})
	h.write("ws/b/memory/2026-11-14.md", "# 2026-11-14\n\n"+many.String())
	h.write("ws/a/memory/2026-11-15.md", "# 2026-11-15\n\n"+all)
	h.write("ws/b/long.md", long)
	h.write("ws/a/<script>alert(1)</script>.md", all)
	h.write("ws/a/memory/\u202egnp.md", all)
	b := h.login(false)
	// What an action displaced is on the history and inbox pages.
	if p := b.post("/run", "agent", "a", "job", "curate", "force", "1", "reason", hostile[0]); p.status != 303 {
		t.Logf("curate: %d", p.status)
	}
	h.conflict("a", all+hostile[0]+"\n"+hostile[14]+"\n")
	if err := h.agent("a").Runs.Record([]string{"archive"}, h.now(),
		jobruns.Run{Outcome: "failed", Error: hostile[0] + hostile[14]}); err != nil {
		t.Fatal(err)
	}
	h.write("ws/a/MEMORY.md", all+all)
	paths := []string{
		"/", "/?q=" + url.QueryEscape(hostile[0]), "/?sort=" + url.QueryEscape(hostile[14]), "/a/a", "/a/a?tag=" + url.QueryEscape(hostile[0]),
		"/a/a?role=" + url.QueryEscape(hostile[14]), "/a/a?kind=" + url.QueryEscape(hostile[0]), "/help",
		"/a/a/file/MEMORY.md", "/a/b", "/a/b/file/long.md", "/a/b/file/memory/2026-11-14.md", "/a/b/file/memory/2026-11-14.md?from=99999",
		"/a/a/file/memory/2026-11-15.md",
		"/a/a/file/" + url.PathEscape("<script>alert(1)<") + "/script>.md", "/a/a/file/memory/" + url.PathEscape("\u202egnp.md"),
		"/a/a/file/nothing.md",
		"/a/a/time/MEMORY.md", "/a/b/time/long.md", "/a/b/fact?q=memory/2026-11-14.md:9", "/search?q=quotes",
		"/a/a/time/MEMORY.md?at=" + url.QueryEscape(hostile[0]),
		"/a/a/fact", "/a/a/cost", "/a/b/cost", "/a/a/fact?q=MEMORY.md:5", "/inbox", "/inbox?agent=a", "/search", "/jobs", "/jobs?agent=a",
		"/jobs?agent=a&job=" + url.QueryEscape(hostile[0]),
	}
	for _, x := range hostile {
		q := url.QueryEscape(x)
		paths = append(paths, "/search?agent=a&past=1&q="+q, "/a/a/fact?q="+q)
	}
	for _, path := range paths {
		p := b.get(path)
		if p.status >= 500 {
			t.Errorf("%s: %d %s", path, p.status, p.text)
		}
		if strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
			inspect(t, path, p.text)
		}
	}
	p := b.post("/run", "agent", "a", "job", "prune", "dry", "1", "force", "1")
	inspect(t, "dry run", p.text)
	inspect(t, "error page", b.post("/do/"+url.PathEscape("<script>"), "agent", "a").text)
	inspect(t, "error page", b.get("/a/"+url.PathEscape(hostile[0])).text)
	// The text itself is there to be read.
	if p := b.get("/a/a/file/MEMORY.md"); !strings.Contains(p.text, "&lt;script&gt;alert(1)&lt;/script&gt;") ||
		!strings.Contains(p.text, "U&#43;202E") && !strings.Contains(p.text, "U+202E") {
		t.Error("the file view does not show what is in the file")
	}
}

// FuzzMarkdown renders any text without letting it run, load or restyle anything.
func FuzzMarkdown(f *testing.F) {
	for _, x := range hostile {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out, ok := markdown.HTML(text, func(dest string) string { return linkTarget("a", "MEMORY.md", dest) })
		if !ok {
			return
		}
		inspect(t, "markdown", `<html><script src="/static/app.js"></script>`+string(out))
	})
}

// endless is a form of any length that counts what is read of it.
type endless struct{ read int }

func (e *endless) Read(b []byte) (int, error) {
	if e.read >= 4<<20 {
		return 0, io.EOF
	}
	for i := range b {
		b[i] = 'x'
	}
	e.read += len(b)
	return len(b), nil
}

// TestStrangersSendLittle: of what somebody sends who has not logged in only as much is read as a login needs.
func TestStrangersSendLittle(t *testing.T) {
	h := newFixture(t, map[string]string{"a": "# Memory\n"})
	posts := 0
	for _, route := range Routes() {
		if route.Method != http.MethodPost {
			continue
		}
		posts++
		body := &endless{}
		r := httptest.NewRequest(http.MethodPost, strings.ReplaceAll(route.Path, "{verb}", "approve"), body)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		h.site.ServeHTTP(w, r)
		if w.Code < 400 || body.read > 64<<10 {
			t.Errorf("%s: status %d after %d bytes", route.Path, w.Code, body.read)
		}
	}
	if posts < 3 {
		t.Errorf("%d routes", posts)
	}
}

// TestTheServerKnowsWhoIsLoggedIn: of a request with a session it is told the person, of any other nothing.
func TestTheServerKnowsWhoIsLoggedIn(t *testing.T) {
	h := newFixture(t, map[string]string{"a": "# Memory\n"})
	b := h.login(true)
	for _, in := range []bool{true, false} {
		who := ""
		r := httptest.NewRequest(http.MethodGet, "/today", nil)
		if in {
			r.AddCookie(b.cookie)
		}
		h.site.ServeHTTP(httptest.NewRecorder(), r.WithContext(WithLogin(r.Context(), func(name string) { who = name })))
		if (who != "") != in {
			t.Errorf("logged in: %v, known as %q", in, who)
		}
	}
}
