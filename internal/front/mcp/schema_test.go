package mcp

import (
	"encoding/json"
	"reflect"
	"testing"
)

type everyKind struct {
	Text  string   `json:"text"`
	Count int      `json:"count,omitempty" jsonschema:"how many"`
	Share float64  `json:"share,omitempty"`
	Flag  bool     `json:"flag,omitempty"`
	List  []string `json:"list,omitempty"`
}

func TestSchema(t *testing.T) {
	got := string(schemaOf(arguments[everyKind](), false))
	want := `{"type":"object","properties":{"text":{"type":"string"},"count":{"type":"integer","description":"how many"},` +
		`"share":{"type":"number"},"flag":{"type":"boolean"},"list":{"type":"array","items":{"type":"string"}}},` +
		`"required":["text"]}`
	if got != want || !json.Valid([]byte(got)) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDecode(t *testing.T) {
	args := arguments[everyKind]()
	in, err := decode[everyKind]("x", args, []byte(`{"text":"a","count":2,"share":0.5,"flag":true,"list":["b"]}`))
	if want := (everyKind{Text: "a", Count: 2, Share: 0.5, Flag: true, List: []string{"b"}}); err != nil || !reflect.DeepEqual(in, want) {
		t.Errorf("got %+v, %v", in, err)
	}
	if in, err := decode[everyKind]("x", args, []byte(`{"text":"","count":null}`)); err != nil || in.Count != 0 {
		t.Errorf("null for what may be left out: %+v, %v", in, err)
	}
	for raw, want := range map[string]string{`{"text":7}`: "7", `{"text":123456789012}`: "123456789012", `{"text":true}`: "true"} {
		if in, err := decode[everyKind]("x", args, []byte(raw)); err != nil || in.Text != want {
			t.Errorf("%s: %q, %v; want %q", raw, in.Text, err, want)
		}
	}
	for raw, want := range map[string]string{
		``:                           "[bad_input] x needs text.",
		`{}`:                         "[bad_input] x needs text.",
		`{"text":null}`:              "[bad_input] x needs text.",
		`{"Text":"a"}`:               `[bad_input] x has no argument "Text"; it has text, count, share, flag, list.`,
		`{"text":{}}`:                "[bad_input] x: text must be a string.",
		`{"text":["a"]}`:             "[bad_input] x: text must be a string.",
		`{"text":"a","count":1.5}`:   "[bad_input] x: count must be an integer.",
		`{"text":"a","count":"2"}`:   "[bad_input] x: count must be an integer.",
		`{"text":"a","list":"b"}`:    "[bad_input] x: list must be an array.",
		`{"text":"a","list":[1]}`:    "[bad_input] x: list must be an array.",
		`{"text":"a","TEXT":"b"}`:    `[bad_input] x has no argument "TEXT"; it has text, count, share, flag, list.`,
		`{"text":"a","filename":""}`: `[bad_input] x has no argument "filename"; it has text, count, share, flag, list.`,
		`[]`:                         "[bad_input] x: the arguments must be an object.",
		`"a"`:                        "[bad_input] x: the arguments must be an object.",
	} {
		if _, err := decode[everyKind]("x", args, []byte(raw)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", raw, err, want)
		}
	}
}
