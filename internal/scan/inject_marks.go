package scan

import (
	"bytes"
	"strings"
)

// lineHead accepts a key that begins a line, list marks, quote marks and brackets aside.
func lineHead(b []byte, key int) bool {
	for i := key; i > 0 && key-i < 24; i-- {
		if b[i-1] == '\n' {
			return true
		}
		if strings.IndexByte(" \t\r>#*_-[(<", b[i-1]) < 0 {
			return false
		}
	}
	return key < 24
}

// marked accepts a key right behind the marks people draw banners with.
func marked(b []byte, key int) bool {
	i := key
	for i > 0 && b[i-1] == ' ' {
		i--
	}
	return i > 0 && strings.IndexByte("[<{#=-*", b[i-1]) >= 0
}

// exactly is a pattern for a mark written just so, in either case; accept looks at what is around.
func exactly(mark string, accept func(b []byte, lo, hi int) bool) pattern {
	return pattern{keys: []string{mark}, at: func(b []byte, lo int) (int, int, bool) {
		hi := lo + len(mark)
		ok := hi <= len(b) && strings.EqualFold(string(b[lo:hi]), mark)
		return lo, hi, ok && accept(b, lo, hi)
	}}
}

// templateMarks are the marks of chat templates. Inside back quotes one is talked about, not used.
func templateMarks() []pattern {
	used := func(b []byte, lo, hi int) bool {
		return lo == 0 || b[lo-1] != '`' || hi == len(b) || b[hi] != '`'
	}
	var out []pattern
	for mark := range strings.FieldsSeq("<|im_start|> <|im_end|> <|system|> <|user|> <|assistant|> <|endoftext|> <|eot_id|> <|start_header_id|> <|begin_of_text|> <|channel|> <|end_of_turn|> <|start|> " +
		"<<sys>> <</sys>> [/inst] <start_of_turn> <end_of_turn> <system-reminder> </system-reminder>") {
		out = append(out, exactly(mark, used))
	}
	return out
}

// fenceCloses are the closing tags of what hosts put around data, where nothing opened them.
func fenceCloses() []pattern {
	var out []pattern
	for name := range strings.FieldsSeq("memory memories agent_memory agent-memory notes untrusted untrusted_data untrusted-data user_data user_input user-input retrieved_context retrieved-context tool_output system " +
		"system_prompt instructions memory_context memory-context context data document documents content note input quote result results tool_result") {
		opening := []byte("<" + name)
		out = append(out, exactly("</"+name+">", func(b []byte, lo, _ int) bool {
			return !bytes.Contains(bytes.ToLower(b[max(0, lo-2048):lo]), opening)
		}))
	}
	return out
}
