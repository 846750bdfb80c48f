package transcript

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// Said is one statement of a session.
type Said struct {
	At   time.Time
	User bool // rather than the agent
	Text string
}

// Listener picks from a session what is worth keeping: what the user said, and the agent's last words of each turn. What
// the agent says between its tool calls is not kept, nor what answers a program.
type Listener struct {
	Format Format
	Keep   func(Said)
	// Now is when it listens: a later time, or one before these programs existed, is a wrong clock.
	Now  time.Time
	Last time.Time // of what was said last; at first the session's start

	reply   Said
	program bool // what was said last came from a program
}

// earliest is before the first of these programs.
var earliest = time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)

// output are what begins the records of tools' output, which make up most of a transcript: decoding them is most of the
// work. Inside a text the quotes would be escaped.
var output = [][]byte{[]byte(`"type":"tool_result"`), []byte(`"role":"toolResult"`), []byte(`"type":"response_item"`)}

// headOfRecord is how far into a record its kind stands.
const headOfRecord = 1024

// Line takes a record of a transcript.
func (l *Listener) Line(line []byte) {
	head := line[:min(len(line), headOfRecord)]
	if slices.ContainsFunc(output, func(o []byte) bool { return bytes.Contains(head, o) }) {
		return
	}
	l.takeLine(line, func() time.Time { return stampOf(line) })
}

// Row takes a record whose time is known.
func (l *Listener) Row(record []byte, at time.Time) {
	l.takeLine(record, func() time.Time { return at })
}

func (l *Listener) takeLine(line []byte, at func() time.Time) {
	l.Format.readLine(&Talk{hear: func(who, text string) {
		if t := at(); t.After(earliest) && t.Before(l.Now.Add(24*time.Hour)) {
			l.Last = t
		}
		if who == "user" {
			l.addUser(text)
		} else if text != "" && !l.program {
			l.reply = Said{At: l.Last, Text: text}
		}
	}}, line)
}

func (l *Listener) addUser(text string) {
	if text = cutLong(text); l.Format == OpenClaw { // it reports events in lines before the message
		text = systemLine().ReplaceAllString(text, "")
	}
	text, program := userText(text)
	if program {
		l.End()
		l.program = true
	} else if text = visibleText(text); text != "" {
		l.End()
		l.program = false
		l.Keep(Said{At: l.Last, User: true, Text: text})
	}
}

// End keeps what the agent said last: nothing follows it.
func (l *Listener) End() {
	if l.reply.Text = visibleText(agentText(l.reply.Text)); l.reply.Text != "" {
		l.Keep(l.reply)
	}
	l.reply = Said{}
}

func compileOnce(s string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
}

var (
	// A block in tags that a harness puts into the user's message.
	blockTags = compileOnce(`(?is)<(system-reminder|relevant-memories|hook_context|session_context|hook_result|attached_files|` +
		`additional_data|environment_context|user_instructions|local-command-[a-z]+|command-[a-z]+|bash-[a-z]+|task-notification|` +
		`teammate-message|memory-context|skill-context)(?:\s[^>]*)?>.*?</(?:[a-z_-]+)>`)
	queryTags = compileOnce(`(?i)</?user_query>`)
	// OpenClaw's descriptions of a message: a title that says it is not to be trusted, and a fence.
	untrusted = compileOnce("(?ms)^[^\\n]{1,60} \\(untrusted[^)\\n]*\\):[ \\t]*\\n```(?:json)?\\n.*?\\n```[ \\t]*\\n?")
	// A line that a harness writes into the user's message; queued messages have a rule before each.
	machineLine = compileOnce(`(?m)^(?:System: \[\d{4}-|\[message_id: |\[media attached: |To send an image back, |\[Queued messages |` +
		`(?:---\n)?Queued #\d|Note: The previous agent run was aborted).*\n?`)
	systemLine = compileOnce(`(?m)^System:.*\n?`)
	// The time that OpenClaw writes before a message, with the channel and the sender.
	timePrefix = compileOnce(`^\[[^\]\n]{0,120}\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}[^\]\n]{0,40}\]\s*`)
	agentTags  = compileOnce(`(?is)<(?:think|thinking)>.*?(?:</(?:think|thinking)>|$)|</?final>|\[\[reply_to[^\]]*\]\]`)
)

// programs are the beginnings of messages by which a harness speaks in the user's name.
var programs = []string{
	"<", "[Request interrupted", "Caveat: The messages below", "This session is being continued from a previous conversation",
	"Read HEARTBEAT.md", "[OpenClaw ", "A new session was started via", "[cron:", "A scheduled reminder has been triggered",
	"[Subagent ", "[Inter-session message]", "Agent-to-agent ",
	"Pre-compaction memory flush", "Continue where you left off. The previous", "An async command you ran earlier",
	"[System note:", "[SYSTEM", "[IMPORTANT:", "[CONTEXT COMPACTION", "Review the conversation above and", "[Background ",
	"# AGENTS.md instructions",
}

// cutLong cuts a text that is far longer than what is kept of it, so that a pasted book costs no more than a page.
func cutLong(text string) string { return text[:min(len(text), 16<<10)] }

// userText returns what a person said in a message of the user, and whether a program sent it.
func userText(text string) (said string, program bool) {
	text = blockTags().ReplaceAllString(text, "")
	text = queryTags().ReplaceAllString(text, "")
	text = untrusted().ReplaceAllString(text, "")
	text = strings.TrimSpace(text)
	if n := timePrefix().FindStringIndex(text); n != nil {
		text = text[n[1]:]
	}
	text = strings.TrimSpace(machineLine().ReplaceAllString(text, ""))
	if n := timePrefix().FindStringIndex(text); n != nil {
		text = text[n[1]:]
	}
	for _, p := range programs {
		if strings.HasPrefix(text, p) {
			return "", true
		}
	}
	return text, text == ""
}

// agentText returns what an agent says to the user.
func agentText(text string) string {
	if strings.Contains(text, "<") || strings.Contains(text, "[[") {
		text = agentTags().ReplaceAllString(text, "")
	}
	text = strings.TrimSpace(cutLong(text))
	switch text {
	case "HEARTBEAT_OK", "NO_REPLY", "ANNOUNCE_SKIP", "REPLY_SKIP", "No response requested.":
		return ""
	}
	return text
}

// visibleText returns a text without what no reader sees: damage, control characters and marks that turn the writing around.
func visibleText(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	text = strings.Map(func(r rune) rune {
		hidden := r != '\u200d' && unicode.Is(unicode.Cf, r) // a joiner belongs to its word
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || hidden) {
			return -1
		}
		return r
	}, text)
	if strings.Trim(text, "\uFFFD \t\n") == "" {
		return ""
	}
	return strings.TrimSpace(text)
}

// clipText cuts a text after a number of characters.
func clipText(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	r := []rune(text)
	return strings.TrimSpace(string(r[:most-1])) + "…"
}
