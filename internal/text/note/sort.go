package note

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Sort says what a text is: only notes hold memory that somebody meant to keep.
type Sort uint8

const (
	Notes      Sort = iota
	Transcript      // what was said in a session, turn by turn
	Residue         // what a harness leaves behind: dreaming reports, empty session heads, a reply that was never sent
	Unreadable      // not UTF-8
)

func (s Sort) String() string {
	return [...]string{"notes", "transcript", "residue", "unreadable"}[s]
}

// SortOf judges a text by its path and its structure. In doubt it is notes.
func SortOf(name string, text []byte) Sort {
	text = trimBOM(text)
	switch {
	case unreadable(text):
		return Unreadable
	case residueName(name) || residue(text):
		return Residue
	case transcript(text):
		return Transcript
	}
	return Notes
}

// unreadable reports UTF-16, and text in which more than one byte of a hundred is no character.
func unreadable(text []byte) bool {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return true
	}
	bad := bytes.Count(text, []byte{0})
	if !utf8.Valid(text) {
		for i := 0; i < len(text); {
			r, n := utf8.DecodeRune(text[i:])
			bad += b2i(r == utf8.RuneError && n == 1)
			i += n
		}
	}
	return bad > len(text)/100
}

// residueName reports the files in which OpenClaw's dreaming writes about itself.
func residueName(name string) bool {
	if strings.EqualFold(path.Base(name), "DREAMS.md") {
		return true
	}
	dirs := strings.Split(path.Dir(name), "/")
	return slices.Contains(dirs, ".dreams") || slices.Contains(dirs, "dreaming")
}

const (
	dreamMark = "<!-- openclaw:dreaming:"
	replyMark = "[[reply_to"
)

// residue reports a text that is nothing but a dreaming report, a session's head without a word said, a reply, or answers to
// heartbeats.
func residue(text []byte) bool {
	text = bytes.TrimSpace(text)
	if bytes.HasPrefix(text, []byte(replyMark)) || idle(text) {
		return true
	}
	if sessionHead(text) && turns(text) == 0 && Lines(text) < 10 {
		return true
	}
	dreamt := 0
	for _, x := range dreams(text) {
		dreamt += x[1] - x[0]
	}
	return dreamt > len(text)*9/10 && dreamt > 0
}

// idle reports a text of nothing but the words with which an agent says that there is nothing to say.
func idle(text []byte) bool {
	said := false
	for line := range bytes.Lines(text) {
		_, i := indent(line)
		word := string(bytes.TrimSpace(line[i+markerLen(line[i:]):]))
		if word != "" && word != "HEARTBEAT_OK" && word != "NO_REPLY" && headingLevel(line) == 0 {
			return false
		}
		said = said || word != "" && headingLevel(line) == 0
	}
	return said
}

// dreams returns the passages that dreaming wrote into a text, each from its heading to its end mark.
func dreams(text []byte) (out [][2]int) {
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(dreamMark))
		if i < 0 {
			return out
		}
		start := at + i
		name, _, ok := bytes.Cut(text[start+len(dreamMark):lineEnd(text, start)], []byte(":start"))
		at = start + len(dreamMark)
		if !ok || len(name) > maxMark {
			continue
		}
		n := bytes.Index(text[start:], []byte(dreamMark+string(name)+":end"))
		if n < 0 {
			return out
		}
		end := lineEnd(text, start+n)
		above := bytes.TrimRight(text[:start], " \t\r\n")
		if h := bytes.LastIndexByte(above, '\n') + 1; headingLevel(above[h:]) > 0 {
			start = h
		}
		at = end
		out = append(out, [2]int{start, end})
	}
}

// sessionHead reports the head that OpenClaw's session hook writes: a title, then the session's key or id.
func sessionHead(text []byte) bool {
	head, rest, _ := bytes.Cut(text, []byte("\n"))
	return bytes.HasPrefix(head, []byte("# Session:")) && bytes.Contains(rest[:min(len(rest), 400)], []byte("**Session "))
}

// transcript reports a dump of a conversation: a session hook's head with turns, lines of JSON, or turns of which both sides
// speak and which make up most of the text. A note that quotes a few lines of a chat is a note.
func transcript(text []byte) bool {
	if sessionHead(text) || jsonLines(text) {
		return true
	}
	lines, first, last := 0, 0, 0
	var said [2]int
	for line := range bytes.Lines(text) {
		lines++
		if side := turn(line); side >= 0 {
			said[side]++
			if last = lines; first == 0 {
				first = lines
			}
		}
	}
	both := said[0] > 0 && said[1] > 0 && said[0]+said[1] >= 4
	return both && (lines-first)*10 >= lines*8 && (last-first)*2 >= lines
}

// turns counts the lines that begin a turn.
func turns(text []byte) (n int) {
	for line := range bytes.Lines(text) {
		n += b2i(turn(line) >= 0)
	}
	return n
}

// turn returns who begins to speak in a line, "user: …", "**Assistant:** …" or "### Human": 0 is the user, 1 the agent, -1 nobody.
func turn(line []byte) int {
	if len(line) == 0 || line[0] == ' ' || line[0] == '\t' {
		return -1
	}
	b := bytes.TrimLeft(line, "#*_[> ")
	n := bytes.IndexAny(b[:min(len(b), maxMark)], ":：*_]()\r\n \t")
	if n <= 0 {
		return -1
	}
	rest := bytes.TrimLeft(b[n:], "*_] ")
	if headingLevel(line) == 0 && !bytes.HasPrefix(rest, []byte(":")) && !bytes.HasPrefix(rest, []byte("：")) {
		return -1
	}
	return slices.IndexFunc(speakers[:], func(names string) bool {
		return slices.Contains(strings.Fields(names), strings.ToLower(string(b[:n])))
	})
}

// speakers are the two sides of a conversation as harnesses and people write them.
var speakers = [...]string{
	"user human you 用户 ユーザー 사용자 usuario usuário пользователь benutzer utilisateur",
	"assistant 助手 アシスタント 어시스턴트 asistente assistente ассистент assistent chatgpt claude",
}

// jsonLines reports a text whose lines are mostly JSON objects, at least three.
func jsonLines(text []byte) bool {
	lines, objects := 0, 0
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines++
			objects += b2i(bytes.HasPrefix(line, []byte(`{"`)) && line[len(line)-1] == '}')
		}
	}
	return objects >= 3 && objects*2 > lines
}
