package loadviewtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"tend/internal/text/layout/loadview"
)

// Text is a file as a harness shows it.
type Text struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Shown lists what a result shows.
func Shown(r loadview.Result) []Text {
	var out []Text
	for _, f := range r.Files {
		if f.Shown {
			out = append(out, Text{Name: f.Name, Text: f.Text})
		}
	}
	return out
}

// Vectors are a harness's answers to the workspaces of consecutive seeds.
type Vectors struct {
	Layout  string            `json:"layout"`
	First   uint64            `json:"first"`
	Digests []string          `json:"digests"`
	Whole   map[string][]Text `json:"whole,omitempty"` // some full answers, by seed, for people to read
}

// Record returns vectors of answers, some of them in full.
func Record(layout string, first uint64, answers [][]Text, whole int) Vectors {
	v := Vectors{Layout: layout, First: first, Whole: map[string][]Text{}}
	for i, a := range answers {
		v.Digests = append(v.Digests, Digest(a))
		if size := len(fmt.Sprint(a)); size > 200 && size < 2000 && len(v.Whole) < whole {
			v.Whole[fmt.Sprint(first+uint64(i))] = a
		}
	}
	return v
}

// Digest is a short digest of an answer.
func Digest(texts []Text) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%d %s %d %s\n", len(t.Name), t.Name, len(t.Text), t.Text)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
