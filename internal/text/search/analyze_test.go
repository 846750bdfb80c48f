package search

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// terms gives the terms of a text as "term" or, at the place of the one before, "=term".
func terms(text string) []string {
	var out []string
	last := -1
	(&analyzer{words: theVocabulary()}).each(inEnglish, text, func(tok token) {
		mark := ""
		if tok.pos == last {
			mark = "="
		}
		last = tok.pos
		out = append(out, mark+tok.term)
	})
	return out
}

func TestAnalysis(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"stems", "Deployments were deployed", "deploy be deploy"},
		{"irregular verbs", "She went, bought and wrote", "she go buy and write"},
		{"irregular plurals", "children knives people", "child knife person"},
		{"possessives and contractions", "Ann's dog didn't, they've won't", "ann dog do they wo"},
		{"curly apostrophes", "Ann’s I’m", "ann i"},
		{"case and compatibility forms", "ＡＢＣ ﬁle ①", "abc file 1"},
		{"diacritics", "Café Zürich naïve Łódź Straße", "cafe zurich naiv lodz strass"},
		{"numbers and number words", "two 2 3.14 1,000", "2 2 3.14 1,000"},
		{"ordinals", "18th 8th", "18th =18 8th =8"},
		{"snake case", "max_file_size", "max_file_size =max file size"},
		{"camel case", "parseHTTPHeader", "parsehttphead =pars http header"},
		{"letters and digits", "mp3 gpt4", "mp3 =mp 3 gpt4 =gpt 4"},
		{"address", "10.0.0.1:8080", "10.0.0.1:8080 =10.0.0.1 8080"},
		{"version", "v1.2.3,", "v1.2.3 =v 1.2.3"},
		{"path", "(internal/front/cli/main.go)", "internal/front/cli/main.go =intern front cli main.go =main go"},
		{"e-mail", "ann@example.org", "ann@example.org =ann example.org =exampl org"},
		{"date", "2026-11-20", "2026-11-20 =2026 11 20"},
		{"compound", "self-hosted", "selfhost =self host"},
		{"markdown", "**bold** `code` [link](x.md)", "bold code link x.md =x md"},
		{"han", "東京都", "東京 =東 京都 =京 都"},
		{"one character", "東", "東"},
		{"kana and han are one run", "犬はワン", "犬は =犬 はワ =は ワン =ワ ン"},
		{"hangul", "한국 말", "한국 =한 국 말"},
		{"mixed scripts", "Go言語", "go 言語 =言 語"},
		{"nothing", " … --- *** ", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.Fields(tt.want), terms(tt.text)); diff != "" && !(tt.want == "" && len(terms(tt.text)) == 0) {
				t.Errorf("terms of %q (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestAnalysisOfLongWords(t *testing.T) {
	blob := strings.Repeat("QUJD", 100)
	if got := terms("key " + blob + " end"); !slices.Equal(got, []string{"key", "end"}) {
		t.Errorf("got %q, want a blob to be left out", got)
	}
}

// Offsets are what snippets highlight: each must cut the text at rune boundaries, in order, whatever the text.
func TestAnalysisOffsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		pos := 0
		n := (&analyzer{words: theVocabulary()}).each(inEnglish, text, func(k token) {
			if k.start < 0 || k.end > len(text) || k.start >= k.end || k.term == "" {
				t.Fatalf("token %+v of %q", k, text)
			}
			if k.pos < pos {
				t.Fatalf("position went back at %+v", k)
			}
			pos = k.pos
		})
		if n < pos {
			t.Fatalf("%d positions, but one was %d", n, pos)
		}
	})
}

func TestEveryListIsRead(t *testing.T) {
	for _, name := range []string{"stop", "weak", "irregular", "synonyms", "kinds", "cues"} {
		if n := len(slices.Collect(wordLines(name))); n < 5 {
			t.Errorf("list %s has %d lines", name, n)
		}
	}
	a := &analyzer{words: theVocabulary()}
	for _, tt := range []struct {
		word string
		want trait
	}{{"the", isStop}, {"mentioned", isWeak}, {"yesterday", isTime}, {"where", asksPlace}, {"my", isSelf}} {
		if got := a.term(tt.word).traits; got&tt.want == 0 {
			t.Errorf("%s lacks trait %b", tt.word, tt.want)
		}
	}
	if got := a.words.synonyms()["begin"]; !slices.Contains(got, "start") {
		t.Errorf("begin means %q", got)
	}
	if got := a.words.synonyms()["piano"]; slices.Contains(got, "instrument") && !slices.Contains(a.words.synonyms()["instrument"], "piano") {
		t.Errorf("piano means %q", got)
	}
}

// TestLanguages: a text tells its language by its words of grammar, and another form of a word is found in each.
func TestLanguages(t *testing.T) {
	for _, tt := range []struct{ lang, text, query string }{
		{"en", "The forms were sent to the office.", "send a form"},
		{"de", "Die Rechnungen liegen bei der Buchhaltung.", "Wo liegt die Rechnung?"},
		{"es", "Los formularios no se envían desde el servidor.", "¿Por qué no se envía el formulario?"},
		{"fr", "Les factures sont envoyées par le serveur.", "Quelle facture est envoyée ?"},
		{"it", "Le fatture sono nella cartella del cliente.", "Dove è la fattura dei clienti?"},
		{"nl", "De rekeningen staan bij de boekhouding.", "Waar is de rekening?"},
		{"pt", "As faturas são enviadas pelo servidor.", "Onde está a fatura enviada?"},
		{"ru", "Счета лежат на сервере у бухгалтера.", "Где лежит счёт бухгалтера?"},
	} {
		words := theVocabulary()
		if got := langNames[words.tell(tt.text, [langCount]int{})]; got != tt.lang {
			t.Errorf("%s: taken for %s", tt.text, got)
		}
		ix := indexOf(t, doc("other.md", "Nothing of that."), doc("a.md", tt.text))
		if got := places(ix.Search(t.Context(), Request{Query: tt.query})); len(got) == 0 || got[0] != "a.md:1" {
			t.Errorf("%s: got %v", tt.query, got)
		}
	}
}

// A word is as long in every script: about two characters where no blanks stand between words, and a name no longer than its parts.
func TestLengthOfAnEntry(t *testing.T) {
	for _, tt := range []struct {
		text string
		want uint16
	}{{"harbor crane ships", 6}, {"the harbor", 2}, {"明天早上开会", 5}, {"foo_bar", 4}, {"harbor 开会", 3}} {
		ix := indexOf(t, doc("a.md", tt.text))
		if got := ix.files[0].units[0].length; got != tt.want {
			t.Errorf("%q: got %d halves of a word, want %d", tt.text, got, tt.want)
		}
	}
}

func TestGrammarWithoutBlanks(t *testing.T) {
	ix := indexOf(t, doc("a.md", "什么是什么"), doc("b.md", "部署在星期五晚上进行，由两个人负责"), doc("c.md", "目的"))
	for query, want := range map[string]string{"部署是什么时候": "b.md:1", "どのような部署ですか": "b.md:1", "目的": "c.md:1"} {
		if got := places(ix.Search(context.Background(), Request{Query: query})); len(got) == 0 || got[0] != want {
			t.Errorf("%s: got %v, want %s first", query, got, want)
		}
	}
	a := ix.Search(context.Background(), Request{Query: "什么"})
	if len(a.Hits) > 0 || !strings.Contains(strings.Join(a.Notes, ""), "only common words (什么)") {
		t.Errorf("got %v and %q for a word of grammar", places(a), a.Notes)
	}
}
