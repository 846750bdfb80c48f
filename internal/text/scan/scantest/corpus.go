// Package scantest is the labelled corpus for measuring the scanner: attacks, made-up secrets and
// harmless notes.
//
// Sentences are hand-written under testdata; anything that must not be in a repository, such as a
// string shaped like a token, is assembled at run time. The result is always the same.
package scantest

import (
	"embed"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"

	"tend/internal/text/scan"
)

//go:embed testdata
var files embed.FS

// A Sample is one text and the classes a scan should report for it: none for harmless text.
type Sample struct {
	Text    string
	Classes []scan.Class
	Rule    string // the exact rule expected, if the text was written for one
}

// A Set is one part of the corpus.
type Set struct {
	Positive []Sample
	Harmless []Sample
}

// Tuned is the part the rules were written against.
func Tuned() Set {
	var s Set
	s.Positive = append(s.Positive, labelled("inject.txt")...)
	s.Positive = append(s.Positive, secrets("tuned", sentences)...)
	s.Positive = append(s.Positive, passwords("secret-context.txt")...)
	s.Positive = append(s.Positive, hidden()...)
	for _, name := range []string{"dev", "infra", "life", "security", "world", "code"} {
		s.Harmless = append(s.Harmless, plain("harmless-"+name+".txt")...)
	}
	s.Harmless = append(s.Harmless, unseen()...)
	s.Harmless = append(s.Harmless, combined(1300)...)
	return s
}

// Second is the part written after the first set of rules.
func Second() Set { return written("second") }

// Third is the part written after the second set of rules; its harmless lines come close to attacks.
func Third() Set { return written("third") }

// HeldOut is the part that no rule was tuned on: it shows how the rules do on unseen text.
func HeldOut() Set { return written("heldout") }

// A Part is a set with its name.
type Part struct {
	Name string
	Set
}

// Parts lists all parts of the corpus in the order they were written.
func Parts() []Part {
	return []Part{{"tuned", Tuned()}, {"second", Second()}, {"third", Third()}, {"held out", HeldOut()}}
}

func written(part string) Set {
	var s Set
	s.Positive = append(s.Positive, labelled(part+"-attack.txt")...)
	s.Positive = append(s.Positive, secrets(part, otherSentences)...)
	s.Positive = append(s.Positive, passwords(part+"-secret.txt")...)
	s.Harmless = plain(part + "-harmless.txt")
	return s
}

// dice gives each part its own random numbers, so that a new line in one changes no other.
func dice(part string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(part))
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

func lines(name string) []string {
	b, err := files.ReadFile("testdata/" + name)
	if err != nil {
		panic(err) // embedded, so only a broken build lacks it
	}
	return strings.Split(strings.TrimRight(string(b), "\n"), "\n")
}

// plain reads harmless lines, one a line, with slots filled.
func plain(name string) []Sample {
	r := dice(name)
	var out []Sample
	for _, l := range lines(name) {
		out = append(out, Sample{Text: fill(r, l, nil)})
	}
	return out
}

// labelled reads lines of classes, a tab and the text, with \n, \t and \u{…} as escapes.
func labelled(name string) []Sample {
	r := dice(name)
	var out []Sample
	for _, l := range lines(name) {
		label, text, ok := strings.Cut(l, "\t")
		if !ok {
			panic(fmt.Sprintf("%s: no tab in %q", name, l))
		}
		out = append(out, Sample{Text: fill(r, unescape(text), nil), Classes: classes(label)})
	}
	return out
}

func classes(label string) []scan.Class {
	var out []scan.Class
	for name := range strings.SplitSeq(label, ",") {
		for _, c := range []scan.Class{scan.Secret, scan.Injection, scan.Exfil, scan.Hidden} {
			if string(c) == name {
				out = append(out, c)
			}
		}
	}
	if len(out) == 0 {
		panic(fmt.Sprintf("unknown class %q", label))
	}
	return out
}

func unescape(s string) string {
	s = strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(s)
	for {
		before, rest, ok := strings.Cut(s, `\u{`)
		if !ok {
			return s
		}
		code, after, _ := strings.Cut(rest, "}")
		r, err := strconv.ParseInt(code, 16, 32)
		if err != nil {
			panic(err)
		}
		s = before + string(rune(r)) + after
	}
}
