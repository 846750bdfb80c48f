package connect

import "tend/internal/text/confedit"

const (
	rulesBegin = "<!-- tend:rules begin"
	rulesEnd   = "<!-- tend:rules end -->"
)

// rulesBlock is the block of rules in a file of instructions, between marks.
type rulesBlock string

func (p rulesBlock) in(text string) (string, error) {
	return confedit.SetBlock(text, string(p), rulesBegin, rulesEnd)
}

func (p rulesBlock) out(text, _ string) (string, error) {
	return confedit.RemoveBlock(text, rulesBegin, rulesEnd)
}
