package policy

import "testing"

func TestAProtocolSetsItsLimitsAndWhatIsSaidStays(t *testing.T) {
	var none Policy
	layered := with(t, none, map[string]any{"protocol": "layered"})
	own := with(t, layered, map[string]any{"hot.max_lines": 40})
	back := with(t, layered, map[string]any{"protocol": "none"})
	for _, c := range []struct {
		name                           string
		p                              Policy
		lines, observations, questions int
	}{
		{"no protocol", none, 0, 0, 0},
		{"layered", layered, 50, 100, 0},
		{"v4", with(t, none, map[string]any{"protocol": "v4"}), 60, 0, 5},
		{"the operator's own number", own, 40, 100, 0},
		{"chosen and taken back", back, 0, 0, 0},
		{"recognised", none.Follow(ProtocolLayered, "AGENTS.md"), 50, 100, 0},
		{"recognised but refused", back.Follow(ProtocolLayered, "AGENTS.md"), 0, 0, 0},
	} {
		if got := HotMaxLines.Of(c.p); got != c.lines {
			t.Errorf("%s: hot.max_lines is %d, want %d", c.name, got, c.lines)
		}
		if got := ObservationsMaxLines.Of(c.p); got != c.observations {
			t.Errorf("%s: observations.max_lines is %d, want %d", c.name, got, c.observations)
		}
		if got := QuestionsMax.Of(c.p); got != c.questions {
			t.Errorf("%s: questions.max is %d, want %d", c.name, got, c.questions)
		}
		if err := c.p.Check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestAProtocolIsRecognisedByItsOwnWordsOnly(t *testing.T) {
	const files = "Update `SESSION-STATE.md` every turn; overflow goes to `memory/working-buffer.md`.\n"
	const tags = "Tag with [decision], [surprise], [human], [lesson] or [identity].\n"
	for _, c := range []struct {
		name, rules string
		want        ProtocolName
	}{
		{"the layered protocol", "# Rules\n" + files + tags, ProtocolLayered},
		{"its files only", files + "Tag with [decision] or [lesson].\n", ProtocolNone},
		{"its tags only", tags, ProtocolNone},
		{"a block of Tend's without a protocol", "# Rules\n" + RulesBegin + "\n" + files + tags + RulesEnd + "\nBe kind.\n", ProtocolNone},
		{"a block of Tend's with one", RulesBegin + "\n" + ProtocolV4.Mark() + "\n" + RulesEnd + "\n", ProtocolV4},
		{"nothing", "", ProtocolNone},
	} {
		if got := Recognise(c.rules); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestAProtocolHasValuesOfTheRightType reads every key under every protocol: a value of another type would be ignored.
func TestAProtocolHasValuesOfTheRightType(t *testing.T) {
	for _, protocol := range []ProtocolName{ProtocolLayered, ProtocolV4} {
		p := Policy{}.Follow(protocol, "test")
		for _, row := range p.Explain() {
			v := p.impliedValue(row.Name)
			if v == nil {
				continue
			}
			if k, _ := lookUp(row.Name); row.SetBy != "protocol "+string(protocol) || row.Value != k.text(v) {
				t.Errorf("%s under %s: %s, set by %s", row.Name, protocol, row.Value, row.SetBy)
			}
		}
	}
}

func with(t *testing.T, p Policy, values map[string]any) Policy {
	t.Helper()
	p, err := p.With("test", values)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
