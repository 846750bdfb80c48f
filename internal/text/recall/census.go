package recall

// census counts the terms of a stream. Its tables are by term id and used again for every file.
type census struct {
	field []uint32 // the last field of a unit that had the term
	count []uint16 // in the file
	head  []bool   // in the file, outside the bodies
	seen  []uint32
	at    uint32 // number of the field being read, over all files
}

// take calls unit once for each term of each unit, for those of its title and for those of its tags and body; then
// file once for each term of the file.
func (c *census) take(stream []byte, terms int, unit func(id uint32, title bool), file func(id uint32, c class)) {
	if len(c.count) < terms {
		n := terms + terms/4
		c.field, c.count, c.head, c.at = make([]uint32, n), make([]uint16, n), make([]bool, n), 0
	}
	if c.at > 1<<31 { // long before it comes round to numbers still in the table
		clear(c.field)
		c.at = 0
	}
	c.seen = c.seen[:0]
	inUnit, title, head := false, false, true
	for len(stream) > 0 {
		id, n := uvarint(stream)
		stream = stream[n:]
		switch id {
		case markSame, markSentence, markQuestion:
			continue
		case markUnit:
			inUnit, title, head = true, true, true
			c.at++
			continue
		case markSection:
			inUnit, head = false, true
			continue
		case markTags, markBody:
			if title {
				c.at++
			}
			title, head = false, id == markTags
			continue
		}
		if c.count[id] == 0 {
			c.seen = append(c.seen, id)
		}
		c.count[id] = min(c.count[id], 1<<15) + 1
		c.head[id] = c.head[id] || head
		if inUnit && c.field[id] != c.at {
			c.field[id] = c.at
			unit(id, title)
		}
	}
	for _, id := range c.seen {
		grade := classOf(int(c.count[id]))
		if c.head[id] {
			grade = classHead
		}
		c.count[id], c.head[id] = 0, false
		file(id, grade)
	}
}
