package scan

// A Split is a secret split across more than one text. Start is an offset in the first text, End
// one in the last; the excerpt is masked, as in any hit.
type Split struct {
	Hit
	First int `json:"first"`
	Last  int `json:"last"`
}

const (
	longestPiece = 512 // of one token in one text
	mostPieces   = 4
	seamWidth    = 4 << 10 // how much of two neighbours is scanned as one text
)

// Joined finds secrets split across consecutive texts: the notes of a day, the lines of a file. It
// combines the last token of a text with the first or the last of the next, over up to four texts,
// and also scans the seam between two texts. Only secrets that are certain by their form count, and
// only if no single text already shows one.
func Joined(parts [][]byte, opts Options) []Split {
	var out []Split
	for i := range parts {
		ends := edges(parts[i])
		if ends == nil || i+1 == len(parts) {
			continue
		}
		chain := []piece{{i, ends[len(ends)-1]}}
		for next := i + 1; next < len(parts) && len(chain) < mostPieces; next++ {
			heads := edges(parts[next])
			if heads == nil {
				break
			}
			for _, h := range heads {
				out = append(out, assemble(parts, append(chain[:len(chain):len(chain)], piece{next, h}), opts)...)
			}
			chain = append(chain, piece{next, heads[len(heads)-1]})
		}
		out = append(out, seam(parts, i, opts)...)
	}
	return unique(out)
}

// A piece is a token's position in one of the texts.
type piece struct {
	part int
	span
}

// shortestPiece is the minimum length of a token that can be part of a secret; shorter ones are
// words and list marks.
const shortestPiece = 4

// edges returns the positions of the first and the last token of a text, once if they are the same.
func edges(b []byte) []span {
	var first, last span
	for i := 0; i < len(b) && first.hi == 0; i++ {
		lo := i
		for i < len(b) && tokenChars[b[i]] {
			i++
		}
		if i-lo >= shortestPiece {
			first = span{lo, i}
		}
	}
	if first.hi == 0 {
		return nil
	}
	for j := len(b); last.hi == 0; j-- {
		hi := j
		for j > 0 && tokenChars[b[j-1]] {
			j--
		}
		if hi-j >= shortestPiece {
			last = span{j, hi}
		}
	}
	if b[last.hi-1] == '.' {
		last.hi--
	}
	same := first.lo == last.lo
	first.hi = min(first.hi, first.lo+longestPiece)
	last.lo = max(last.lo, last.hi-longestPiece)
	if same {
		return []span{last}
	}
	return []span{first, last}
}

var tokenChars = chars("A-Za-z0-9_+/=.~-")

// assemble scans the joined pieces and reports secrets that no single piece shows.
func assemble(parts [][]byte, chain []piece, opts Options) []Split {
	var token []byte
	for _, p := range chain {
		token = append(token, parts[p.part][p.lo:p.hi]...)
	}
	if !random(token) {
		return nil
	}
	for _, p := range chain {
		if len(exact(parts[p.part][p.lo:p.hi])) > 0 {
			return nil
		}
	}
	var out []Split
	for _, f := range settle(exact(token)) {
		first, last := chain[0], chain[len(chain)-1]
		if f.lo >= first.hi-first.lo || f.hi <= len(token)-(last.hi-last.lo) || !opts.reports(f.rule) {
			continue
		}
		out = append(out, split(parts, f.rule, first.part, first.lo+f.lo, last.part, last.hi-(len(token)-f.hi)))
	}
	return out
}

// seam scans the end of one text and the beginning of the next as one.
func seam(parts [][]byte, i int, opts Options) []Split {
	left, right := parts[i], parts[i+1]
	from := max(0, len(left)-seamWidth)
	text := append(append([]byte{}, left[from:]...), '\n')
	cut := len(text)
	text = append(text, right[:min(len(right), seamWidth)]...)
	var out []Split
	for _, f := range settle(exact(text)) {
		if f.lo < cut-1 && f.hi > cut && opts.reports(f.rule) {
			out = append(out, split(parts, f.rule, i, from+f.lo, i+1, f.hi-cut))
		}
	}
	return out
}

// exact returns the secrets that are certain by their form alone.
func exact(b []byte) []found {
	s := all()
	var out []found
	for _, f := range append(s.runs(b), s.search(b)...) {
		if f.rule.Class == Secret && f.rule.Severity == High {
			out = append(out, f)
		}
	}
	return out
}

func split(parts [][]byte, r *rule, first, start, last, end int) Split {
	return Split{
		Hit:   Hit{r.Rule, r.Class, r.Severity, start, end, lineAt(parts[first], 0, 1, start), r.What + " It is split across texts.", r.Remedy, masked},
		First: first, Last: last,
	}
}

// unique drops duplicates.
func unique(in []Split) []Split {
	var out []Split
	for _, s := range in {
		if n := len(out); n > 0 && out[n-1].First == s.First && out[n-1].Rule == s.Rule {
			continue
		}
		out = append(out, s)
	}
	return out
}
