package claim

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestMemo: what is kept of a text is what reading it gives, also after it was compared with others, and little is kept.
func TestMemo(t *testing.T) {
	data, err := os.ReadFile("relate_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(string(data)) { // sentences of every sort
		if line = strings.Trim(line, " \t\n,{}\""); len(line) > 30 && len(list) < 60 {
			list = append(list, line)
		}
	}
	for _, x := range list {
		for _, y := range list {
			a, b := Read(x, 1), ReadUnder(y, "Servers", 2)
			Supersedes(a, b)
			Contradict(a, b)
			Conflicts(a, b)
			Same(a, b)
			Repeats(a, b)
			Words(a)
			Shared(a, b)
			Essence(x, 1)
			Rule(x, 1)
			AfterLead(x)
		}
	}
	for _, x := range list {
		if got, want := statements.get(textKey{text: x, heading: "Servers"}, func(textKey) Statement { return Statement{} }), readUnder(x, "Servers"); !reflect.DeepEqual(got, want) {
			t.Errorf("%q is kept as %+v, want %+v", x, got, want)
		}
		if got, want := analyse(x), takeApart(x); !reflect.DeepEqual(got, want) {
			t.Errorf("the words of %q are kept as %+v, want %+v", x, got, want)
		}
		if got, want := split(x), splitText(x); !reflect.DeepEqual(got, want) {
			t.Errorf("the words of %q are kept as %+v, want %+v", x, got, want)
		}
		if got, want := WorthOf(x, 1), worthOf(x, 1); !reflect.DeepEqual(got, want) {
			t.Errorf("the worth of %q is kept as %+v, want %+v", x, got, want)
		}
	}
	most := 2 * statements.most
	for i := range 3 * most {
		Read(fmt.Sprintf("the port is %d", i), 0)
	}
	if n := len(statements.young) + len(statements.old); n > most {
		t.Errorf("%d statements are kept, at most %d should be", n, most)
	}
	for i := range 3 * vocabulary.most {
		formOf(fmt.Sprint("w", i))
		formOf(strings.Repeat("w", vocabulary.longest) + fmt.Sprint(i))
	}
	if n := len(vocabulary.young) + len(vocabulary.old); n > 2*vocabulary.most {
		t.Errorf("%d words are kept, at most %d should be", n, 2*vocabulary.most)
	}
	for k, w := range vocabulary.young {
		if len(k) > vocabulary.longest || w.text != string(k) {
			t.Errorf("%q is kept as %+v", k, w)
		}
	}
	if s := Read("the port is 1", 7); s.Day != 7 || Read("the port is 1", 8).Day != 8 {
		t.Error("a statement is of the day it is read for")
	}
}
