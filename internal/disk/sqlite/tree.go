package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Value is a column's value: nil, int64, float64 (as its bits) or string, for text and blobs alike.
type Value any

// Row is a row of a table, or an entry of an index.
type Row []Value

// The kinds of pages of a tree.
const (
	indexInner = 2
	tableInner = 5
	indexLeaf  = 10
	tableLeaf  = 13
)

// object is a table or an index of the database.
type object struct {
	kind, name, table string
	root              uint32 // the first page of its tree
	sql               string // "" for an index that SQLite made for a key
}

// findObjects returns the tables and indexes that are wanted.
func (db *DB) findObjects(want func(object) bool) (list []object, err error) {
	err = db.walkRows(1, func(_ int64, row Row) bool {
		if len(row) < 5 {
			return true
		}
		var o object
		o.kind, _ = row[0].(string)
		o.name, _ = row[1].(string)
		o.table, _ = row[2].(string)
		root, _ := row[3].(int64)
		o.root = uint32(root)
		o.sql, _ = row[4].(string)
		if want(o) {
			list = append(list, o)
		}
		return true
	})
	return list, err
}

// findTable returns a table, one without a root if there is none.
func (db *DB) findTable(name string) (object, error) {
	list, err := db.findObjects(func(o object) bool { return o.kind == "table" && o.name == name })
	if err != nil || len(list) == 0 {
		return object{}, err
	}
	return list[0], nil
}

// Prefixed returns the rows of a table whose first key columns are the given ones and whose next one begins with a
// prefix. The columns are those of the table's primary key, in its order. It reads only the pages on the way there.
func (db *DB) Prefixed(table string, prefix string, first ...string) (rows []Row, err error) {
	of, err := db.findTable(table)
	if err != nil || of.root == 0 {
		return nil, err
	}
	index, err := db.findObjects(func(o object) bool { return o.isKeyOf(table) })
	if err != nil {
		return nil, err
	}
	if len(index) == 0 {
		return nil, fmt.Errorf("%w: %s has no primary key", ErrFormat, table)
	}
	err = db.search(index[0].root, append(first, prefix), func(e Row) error {
		id, ok := e[len(e)-1].(int64)
		if !ok {
			return ErrFormat
		}
		row, err := db.rowByID(of.root, id)
		rows = append(rows, row)
		return err
	})
	return rows, err
}

// isKeyOf reports whether an index is that of a table's primary key.
func (o object) isKeyOf(table string) bool {
	return o.kind == "index" && o.table == table && o.name == "sqlite_autoindex_"+table+"_1"
}

// Rows calls a function with every row of a table until it returns false. A database without the table has none.
func (db *DB) Rows(table string, do func(Row) bool) error {
	of, err := db.findTable(table)
	if err != nil || of.root == 0 {
		return err
	}
	return db.walkRows(of.root, func(_ int64, row Row) bool { return do(row) })
}

// errStop ends a visit early.
var errStop = errors.New("stop")

// visitPages calls a function with the pages of a tree, from the root on, which returns the pages below to go on with.
func (db *DB) visitPages(root uint32, do func(node) (below []uint32, err error)) error {
	todo := []uint32{root}
	for seen := uint32(0); len(todo) > 0; seen++ {
		if seen > db.pages {
			return fmt.Errorf("%w: a tree with a loop", ErrFormat)
		}
		p, err := db.readNode(todo[len(todo)-1])
		if err != nil {
			return err
		}
		below, err := do(p)
		if err == errStop {
			return nil
		}
		if err != nil {
			return err
		}
		slices.Reverse(below) // the first is taken first
		todo = append(todo[:len(todo)-1], below...)
	}
	return nil
}

// walkRows calls a function with every row of a table until it returns false.
func (db *DB) walkRows(root uint32, do func(id int64, row Row) bool) error {
	return db.visitPages(root, func(p node) (below []uint32, err error) {
		if p.kind == tableInner {
			for i := range p.cells + 1 {
				below = append(below, p.childOf(i))
			}
			return below, nil
		}
		for i := range p.cells {
			id, row, err := db.tableRow(p, i)
			if err != nil {
				return nil, err
			}
			if !do(id, row) {
				return nil, errStop
			}
		}
		return nil, nil
	})
}

// rowByID returns the row of a table with this id.
func (db *DB) rowByID(root uint32, id int64) (row Row, err error) {
	found := false
	err = db.visitPages(root, func(p node) ([]uint32, error) {
		i := 0
		if p.kind == tableInner {
			for ; i < p.cells; i++ {
				key, _ := decodeVarint(p.cellAt(i)[min(4, len(p.cellAt(i))):])
				if id <= int64(key) {
					break
				}
			}
			return []uint32{p.childOf(i)}, nil
		}
		for ; i < p.cells && !found; i++ {
			var at int64
			if at, row, err = db.tableRow(p, i); err != nil {
				return nil, err
			}
			found = at == id
		}
		return nil, nil
	})
	if err == nil && !found {
		err = fmt.Errorf("%w: no row %d", ErrFormat, id)
	}
	return row, err
}

// search calls a function with the entries of an index that begin with a key, whose last part is a prefix. They come in no
// order. No key finds all.
func (db *DB) search(root uint32, key []string, do func(Row) error) error {
	return db.visitPages(root, func(p node) (below []uint32, err error) {
		past := false
		for i := 0; i < p.cells && !past; i++ {
			row, err := db.indexRow(p, i)
			if err != nil {
				return nil, err
			}
			c := compareKey(row, key)
			if p.kind == indexInner && c >= 0 { // what is left of a greater or equal entry may match
				below = append(below, p.childOf(i))
			}
			if c == 0 {
				if err := do(row); err != nil {
					return nil, err
				}
			}
			past = c > 0
		}
		if p.kind == indexInner && !past {
			below = append(below, p.childOf(p.cells))
		}
		return below, nil
	})
}

// compareKey says where an entry stands to a key: before, among its matches, after.
func compareKey(row Row, key []string) int {
	for i, want := range key {
		if i >= len(row) {
			return -1
		}
		got, ok := row[i].(string)
		switch {
		case !ok:
			return -1 // numbers and NULL sort before text
		case i == len(key)-1 && strings.HasPrefix(got, want):
			return 0
		case got != want:
			return strings.Compare(got, want)
		}
	}
	return 0
}

// node is a page of a tree.
type node struct {
	kind, cells, head int
	data              []byte // the page
	text              []byte // from where cells are counted
}

func (db *DB) readNode(n uint32) (node, error) {
	data, err := db.read(n)
	if err != nil {
		return node{}, err
	}
	p := node{data: data}
	if n == 1 {
		p.head = 100
	}
	p.kind, p.cells = int(data[p.head]), int(binary.BigEndian.Uint16(data[p.head+3:]))
	size := 8
	if p.kind == indexInner || p.kind == tableInner {
		size = 12
	}
	switch p.kind {
	case indexInner, tableInner, indexLeaf, tableLeaf:
	default:
		return p, fmt.Errorf("%w: page %d is no tree", ErrFormat, n)
	}
	if p.text = data[p.head+size:]; len(p.text) < 2*p.cells {
		return p, fmt.Errorf("%w: page %d", ErrFormat, n)
	}
	return p, nil
}

// cellAt returns the bytes from a cell's beginning to the page's end.
func (p node) cellAt(i int) []byte {
	at := int(binary.BigEndian.Uint16(p.text[2*i:]))
	return p.data[min(at, len(p.data)):]
}

// childOf returns the page left of a cell, or right of the last one.
func (p node) childOf(i int) uint32 {
	if i == p.cells {
		return binary.BigEndian.Uint32(p.data[p.head+8:])
	}
	if c := p.cellAt(i); len(c) >= 4 {
		return binary.BigEndian.Uint32(c)
	}
	return 0 // which is no page
}

func (db *DB) tableRow(p node, i int) (int64, Row, error) {
	c := p.cellAt(i)
	size, n := decodeVarint(c)
	id, m := decodeVarint(c[n:])
	most := db.usable - 35
	text, err := db.payload(c[n+m:], size, most)
	if err != nil {
		return 0, nil, err
	}
	row, err := decodeRecord(text)
	return int64(id), row, err
}

func (db *DB) indexRow(p node, i int) (Row, error) {
	c := p.cellAt(i)
	if p.kind == indexInner {
		c = c[min(4, len(c)):]
	}
	size, n := decodeVarint(c)
	text, err := db.payload(c[n:], size, (db.usable-12)*64/255-23)
	if err != nil {
		return nil, err
	}
	return decodeRecord(text)
}

// payload returns the text of a cell, of which a long one continues on pages of its own.
func (db *DB) payload(c []byte, size uint64, most int) ([]byte, error) {
	if size > 1<<30 || size > uint64(db.pages)*uint64(db.page) {
		return nil, fmt.Errorf("%w: a row of %d bytes", ErrFormat, size)
	}
	here := int(size)
	if here > most {
		least := (db.usable-12)*32/255 - 23
		if here = least + (int(size)-least)%(db.usable-4); here > most {
			here = least
		}
	}
	if len(c) < here || here < int(size) && len(c) < here+4 {
		return nil, fmt.Errorf("%w: a row beyond its page", ErrFormat)
	}
	if here == int(size) {
		return c[:here], nil
	}
	out := append(make([]byte, 0, size), c[:here]...)
	for next := binary.BigEndian.Uint32(c[here:]); len(out) < int(size); {
		p, err := db.read(next)
		if err != nil {
			return nil, err
		}
		next = binary.BigEndian.Uint32(p)
		out = append(out, p[4:4+min(db.usable-4, int(size)-len(out))]...)
	}
	return out, nil
}

// decodeRecord decodes a row.
func decodeRecord(b []byte) (Row, error) {
	head, n := decodeVarint(b)
	if head > uint64(len(b)) || n == 0 {
		return nil, ErrFormat
	}
	types, body := b[n:head], b[head:]
	var row Row
	for len(types) > 0 {
		kind, n := decodeVarint(types)
		if n == 0 {
			return nil, ErrFormat
		}
		types = types[n:]
		v, size := decodeValue(kind, body)
		if size > len(body) {
			return nil, ErrFormat
		}
		row, body = append(row, v), body[size:]
	}
	return row, nil
}

// decodeValue decodes a column and returns how many bytes it has.
func decodeValue(kind uint64, body []byte) (Value, int) {
	switch {
	case kind == 0:
		return nil, 0
	case kind == 8, kind == 9:
		return int64(kind - 8), 0
	case kind <= 7:
		size := []int{0, 1, 2, 3, 4, 6, 8, 8}[kind]
		if size > len(body) {
			return nil, size
		}
		n := int64(int8(body[0]))
		for _, c := range body[1:size] {
			n = n<<8 | int64(c)
		}
		return n, size
	case kind < 12 || (kind-12)/2 > uint64(len(body)):
		return nil, len(body) + 1
	}
	size := int((kind - 12) / 2)
	return string(body[:size]), size
}

// decodeVarint decodes a number of one to nine bytes and returns how many it has, 0 if it is not whole.
func decodeVarint(b []byte) (uint64, int) {
	var v uint64
	for i, c := range b {
		if i == 8 {
			return v<<8 | uint64(c), 9
		}
		v = v<<7 | uint64(c&0x7f)
		if c < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}
