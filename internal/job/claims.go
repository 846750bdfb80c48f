package job

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tend/internal/note"
)

// claimKind is a sort of value that can be told without understanding the sentence.
type claimKind string

const (
	claimAddress claimKind = "address"
	claimPort    claimKind = "port"
	claimVersion claimKind = "version"
	claimPath    claimKind = "path"
	claimDate    claimKind = "date"
	claimName    claimKind = "name"
)

// claimKey is what is claimed about what.
type claimKey struct {
	kind    claimKind
	subject string // its words in order of the alphabet
}

// claim is a value that a text gives a subject: the port of grafana is 3000.
type claim struct {
	claimKey
	value string
}

var (
	clauseEnd = expr(`[.;!?](?:\s+|$)|,\s+|\n+|\s+(?:and|but|while|because)\s+`)
	// In the order of trust: what a value has been taken for, it is nothing else.
	valueOf = []struct {
		kind claimKind
		re   func() *regexp.Regexp
	}{
		{claimAddress, expr(`https?://[^\s)>\]"'` + "`" + `,]+`)},
		{claimAddress, expr(`\b(?:\d{1,3}\.){3}\d{1,3}\b`)},
		{claimAddress, expr(`\b[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.[a-z]{2,12}\b`)},
		{claimDate, expr(`\b\d{4}-\d\d-\d\d\b`)},
		{claimPath, expr(`(?:^|[\s` + "`" + `"'(=])((?:~|\.{1,2})?/[\w.@/-]*\w)`)},
		{claimPort, expr(`(?i)\bports?\b\D{1,30}?(\d{2,5})\b`)},
		{claimPort, expr(`:(\d{2,5})\b`)},
		{claimVersion, expr(`(?i)\bv(?:ersion)?[ :=]*(\d+(?:\.\d+)+)\b`)},
		{claimVersion, expr(`\b(\d+\.\d+(?:\.\d+)*)\b`)},
	}
	relation = expr(`(?i)\b(owner|maintainer|manager|lead|contact|admin|on-?call|reviewer|author|name)\b.*?(?:\bis(?: now)?\b|:|=)\s*`)
	person   = expr(`^[A-ZÄÖÜ][\p{L}'-]+(?: [A-ZÄÖÜ][\p{L}'-]+){0,2}`)
	pastWord = expr(`(?i)\b(was|were|used to|formerly|previously|old|until|before|had been)\b`)
	dropped  = expr(`(?i)\b(?:from|instead of|not|no longer(?: on| at| in)?|rather than)\s+(?:port\s+)?(\S+)`)
	changed  = expr(`(?i)\b(now|moved|changed|switched|upgraded|replaced|renamed|no longer|instead|new|as of|since)\b|→|->`)
	wordRun  = expr(`[\p{L}\p{N}][\p{L}\p{N}_+#-]*`)
)

// filler are words that say nothing about what the subject is.
var filler = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`a an the is are be been being on at in of for to from and or now currently our my its it
		this that with via by under as has have uses use using run runs running listen listens listening live lives lived
		stored kept located sits stands moved moves move changed set configured bound served serves reachable available
		new default also only still always goes go went put written must should can will there here all us we i you they
		upgraded switched replaced renamed instead no longer since today yesterday not`) {
		m[w] = true
	}
	return m
})

// attribute are words that name the kind of value rather than its subject.
var attribute = map[claimKind][]string{
	claimAddress: {"ip", "address", "url", "host", "hostname", "endpoint", "link", "http", "https"},
	claimPort:    {"port", "ports"},
	claimVersion: {"version", "release", "v"},
	claimPath:    {"path", "folder", "directory", "dir", "file", "location"},
	claimDate:    {"date"},
	claimName:    {},
}

// claims reads the values a text gives to subjects. context stands in where a clause
// names no subject, as under a heading.
func claims(text, context string) []claim {
	var out []claim
	subject := context
	for _, clause := range clauseEnd().Split(text, -1) {
		if pastWord().MatchString(clause) && !strings.Contains(clause, " to ") {
			continue
		}
		clause = dropped().ReplaceAllString(clause, " ")
		found, rest := values(clause)
		if named := strings.Join(subjectWords(rest, ""), " "); named != "" {
			subject = rest
		}
		for _, v := range found {
			words := subjectWords(rest, v.kind)
			if len(words) == 0 {
				words = subjectWords(subject, v.kind)
			}
			if len(words) == 0 {
				words = subjectWords(context, v.kind)
			}
			if len(words) == 0 || len(words) > 6 {
				continue
			}
			v.subject = strings.Join(words, " ")
			if !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	return out
}

// values takes the values out of a clause and returns what is left of it.
func values(clause string) ([]claim, string) {
	var out []claim
	if m := relation().FindStringIndex(clause); m != nil {
		if name := person().FindString(clause[m[1]:]); name != "" {
			return []claim{{claimKey{kind: claimName}, strings.ToLower(name)}}, clause[:m[1]]
		}
	}
	for _, v := range valueOf {
		for {
			m := v.re().FindStringSubmatchIndex(clause)
			if m == nil {
				break
			}
			from, to := m[0], m[1]
			if len(m) > 2 && m[2] >= 0 {
				from, to = m[2], m[3]
			}
			value := strings.ToLower(strings.TrimRight(clause[from:to], "/."))
			if v.kind == claimAddress && isFileName(value) {
				clause = clause[:m[0]] + strings.ReplaceAll(clause[m[0]:m[1]], ".", "\x00") + clause[m[1]:]
				continue
			}
			out = append(out, claim{claimKey{kind: v.kind}, value})
			clause = clause[:from] + " " + clause[to:]
		}
	}
	return out, strings.ReplaceAll(clause, "\x00", ".")
}

// isFileName tells a file from a host: what looks like notes.md is one.
func isFileName(s string) bool {
	switch strings.TrimPrefix(path.Ext(s), ".") {
	case "md", "txt", "go", "py", "js", "ts", "sh", "rs", "c", "h", "yaml", "yml", "json", "toml", "conf", "cfg", "ini", "log",
		"db", "sql", "csv", "service", "timer", "lock", "sum", "mod", "html", "css", "png", "jpg", "svg", "pdf", "zip", "gz", "tar",
		"bak", "tmp", "env", "pem", "key", "crt":
		return !strings.Contains(s, "://")
	}
	return false
}

// subjectWords are the words of a clause that say what it is about, in order of the
// alphabet and in one form.
func subjectWords(clause string, kind claimKind) []string {
	var out []string
	for w := range strings.FieldsSeq(note.Normal(strings.Join(wordRun().FindAllString(clause, -1), " "))) {
		if filler()[w] || names(w, kind) {
			continue
		}
		if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			w = w[:len(w)-1]
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	return out
}

// names reports whether a word names the kind of value, or any kind if none is given.
func names(w string, kind claimKind) bool {
	if kind != "" {
		return slices.Contains(attribute[kind], w)
	}
	for _, words := range attribute {
		if slices.Contains(words, w) {
			return true
		}
	}
	return false
}

// saysChanged reports whether a text speaks of something having become different.
func saysChanged(text string) bool { return changed().MatchString(text) }
