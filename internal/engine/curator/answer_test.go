package curator

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"tend/internal/model/policy"
)

const twoOps = `{"request":"k","operations":[{"op":"keep","from":"e1","quote":"a \"quoted\" word"},{"op":"skip","from":["e2","e3"]}]}`

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// TestAnswersInEveryWrapper: the operations are found whatever a program or model puts around them.
func TestAnswersInEveryWrapper(t *testing.T) {
	for name, output := range map[string]string{
		"plain":                       twoOps,
		"a code fence":                "```json\n" + twoOps + "\n```\n",
		"the form of an answer first": `{"type":"object","properties":{"operations":[]}}` + "\n" + twoOps,
		"prose around it":             "Sure! Here is {my} answer [as asked]:\n\n" + twoOps + "\n\nLet me know if you'd like {more}.",
		"thoughts before it":          "<think>maybe {\"op\":\"keep\",\"from\":\"e9\",\"quote\":\"draft\"}</think>\n" + twoOps,
		"thoughts without a start":    "hmm, e9?</think>" + twoOps,
		"lines of JSON":               `{"op":"keep","from":"e1","quote":"a \"quoted\" word"}` + "\n" + `{"op":"skip","from":"e2, e3"}`,
		"a list":                      `[{"op":"keep","from":"e1","quote":"a \"quoted\" word"},{"op":"skip","from":["e2","e3"]}]`,
		"the name as the key":         `{"keep":{"from":"e1","quote":"a \"quoted\" word"}} {"skip":{"from":["e2","e3"]}}`,
		"trailing commas":             `{"operations":[{"op":"keep","from":"e1","quote":"a \"quoted\" word",},{"op":"skip","from":["e2","e3",],},],}`,
		"a missing comma":             `{"operations":[{"op":"keep","from":"e1","quote":"a \"quoted\" word"} {"op":"skip","from":["e2","e3"]}]}`,
		"remarks": "{\"operations\":[ // two\n{\"op\":\"keep\",\"from\":\"e1\",\"quote\":\"a \\\"quoted\\\" word\"}, // http://x\n" +
			"{\"op\":\"skip\",\"from\":[\"e2\",\"e3\"]}]}",
		"apostrophes": `{'operations': [{'op': 'keep', 'from': 'e1', 'quote': 'a "quoted" word, it's fine'}, {'op': 'skip', 'from': ['e2', 'e3']}]}`,
		"a line break in a string": "{\"operations\":[{\"op\":\"keep\",\"from\":\"e1\",\"quote\":\"a \\\"quoted\\\"\n" +
			" word\"},{\"op\":\"skip\",\"from\":[\"e2\",\"e3\"]}]}",
		"claude -p --output-format": `{"type":"result","subtype":"success","is_error":false,"result":` + quoted("Here:\n"+twoOps) +
			`,"session_id":"x"}`,
		"openclaw agent --json":  `{"payloads":[{"text":` + quoted(twoOps) + `,"mediaUrl":null}],"meta":{"durationMs":12}}`,
		"a final field":          `{"final":` + quoted(twoOps) + `}`,
		"gemini --output-format": `{"response":` + quoted("```json\n"+twoOps+"\n```") + `,"stats":{"models":{}}}`,
		"codex exec --json": `{"type":"thread.started","thread_id":"1"}` + "\n" +
			`{"type":"item.completed","item":{"type":"agent_message","text":` + quoted(twoOps) + `}}` + "\n",
		"OpenAI":      `{"choices":[{"index":0,"message":{"role":"assistant","content":` + quoted(twoOps) + `}}],"usage":{"total_tokens":9}}`,
		"Anthropic":   `{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":` + quoted(twoOps) + `}],"role":"assistant"}`,
		"a tool call": `{"content":[{"type":"tool_use","name":"answer","input":` + twoOps + `}]}`,
		"Ollama":      `{"model":"m","message":{"role":"assistant","content":` + quoted("<think>x</think>"+twoOps) + `},"done":true}`,
	} {
		a, err := Read([]byte(output))
		if err != nil || len(a.Operations) != 2 || a.Operations[0].Op != Keep || len(a.Operations[1].From) != 2 {
			t.Errorf("%s: %v %+v", name, err, a)
		} else if !strings.HasPrefix(a.Operations[0].Quote, `a "quoted"`) {
			t.Errorf("%s: the quote is %q", name, a.Operations[0].Quote)
		}
	}
}

// TestCutAnswers: complete operations of an answer that was cut off are used.
func TestCutAnswers(t *testing.T) {
	for n, want := range map[int]int{len(twoOps) - 2: 2, len(twoOps) - 20: 1, 20: 0} {
		a, err := Read([]byte(twoOps[:n]))
		if len(a.Operations) != want || want == 0 && !errors.Is(err, ErrNoAnswer) {
			t.Errorf("%d bytes: %v %+v", n, err, a.Operations)
		}
	}
}

// TestWhatIsNoAnswer: talk and errors are no answers; an empty list is one.
func TestWhatIsNoAnswer(t *testing.T) {
	for _, s := range []string{"", "I cannot help with that.", "{}", "[]", `{"error":{"message":"overloaded"}}`, "{\"keep\": true}",
		strings.Repeat("{", 10000), strings.Repeat("[{", 10000)} {
		if _, err := Read([]byte(s)); !errors.Is(err, ErrNoAnswer) {
			t.Errorf("%.40q: %v", s, err)
		}
	}
	if a, err := Read([]byte(`{"operations":[]}`)); err != nil || len(a.Operations) != 0 {
		t.Errorf("an empty list: %v %+v", err, a)
	}
	if _, err := Read(make([]byte, MaxAnswer+1)); !errors.Is(err, ErrTooLong) {
		t.Errorf("a flood: %v", err)
	}
}

// TestSloppyFields: ids and lines are read however a small model writes them.
func TestSloppyFields(t *testing.T) {
	a, err := Read([]byte(`{"operations":[{"op":"Retire","line":"line 12","why":"DONE","by":"e3"},{"op":"move","lines":"12-14","to":"memory/x.md"},
		{"op":"merge","lines":["7",8],"keep":"8"},{"operation":"keep","from":["e1"],"quote":["one","two"]}]}`))
	if err != nil || len(a.Operations) != 4 {
		t.Fatalf("%v %+v", err, a)
	}
	o := a.Operations
	if len(o[0].Lines) != 1 || o[0].Lines[0] != 12 || o[0].Why != "done" || len(o[1].Lines) != 3 ||
		o[2].Keep != 8 || o[3].Quote != "one\ntwo" {
		t.Errorf("%+v", o)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(twoOps)
	f.Add("<think>{</think>[{\"op\":\"keep\"}")
	f.Fuzz(func(t *testing.T, s string) {
		a, err := Read([]byte(s))
		if err == nil && len(a.Operations) > mostOperations {
			t.Error("too many operations")
		}
	})
}

// talker is a model with a fixed answer.
type talker struct{ say func(prompt string) string }

func (talker) Name() string { return "talker" }

func (m talker) Ask(_ context.Context, prompt string) ([]byte, error) {
	return []byte(m.say(prompt)), nil
}

// TestAnEchoIsNoAnswer: a program that prints what it was asked has not answered, and what it says after that is read.
func TestAnEchoIsNoAnswer(t *testing.T) {
	r := Sample()
	echo := func(prompt string) string { return "user\n" + prompt + "\ncodex\n" }
	if d, err := Consult(t.Context(), talker{echo}, r, policy.CuratorExtract); !errors.Is(err, ErrNoAnswer) {
		t.Errorf("an echo alone: %v, %+v", err, d)
	}
	full := func(prompt string) string { return echo(prompt) + `{"op":"skip","from":["e3"]}` }
	if d, err := Consult(t.Context(), talker{full}, r, policy.CuratorExtract); err != nil || len(d) != 1 || d[0].Op != Skip {
		t.Errorf("an echo and an answer: %v, %+v", err, d)
	}
}
