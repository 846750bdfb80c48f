// Package sqlitetest writes small SQLite databases for tests.
package sqlitetest

import (
	"encoding/binary"
	"os"
	"slices"
	"strings"
)

const page = 65536

// Write writes a database with one table, whose primary key is all columns but the last. Rows of a few kilobytes together.
func Write(file, table string, columns []string, rows [][]string) error {
	rows = slices.Clone(rows)
	key := len(columns) - 1
	slices.SortFunc(rows, func(a, b []string) int { return slices.Compare(a[:key], b[:key]) })
	sql := "CREATE TABLE " + table + " (" + strings.Join(columns, " TEXT NOT NULL, ") + " TEXT NOT NULL, PRIMARY KEY (" +
		strings.Join(columns[:key], ", ") + "))"
	schema := [][]byte{
		tableCell(1, record("table", table, table, 2, sql)),
		tableCell(2, record("index", "sqlite_autoindex_"+table+"_1", table, 3, nil)),
	}
	var cells, entries [][]byte
	for i, row := range rows {
		var all, first []any
		for n, v := range row {
			if all = append(all, v); n < key {
				first = append(first, v)
			}
		}
		cells = append(cells, tableCell(i+1, record(all...)))
		entry := record(append(first, i+1)...)
		entries = append(entries, append(varint(len(entry)), entry...))
	}
	first := leaf(13, 100, schema)
	copy(first, "SQLite format 3\x00")
	binary.BigEndian.PutUint16(first[16:], 1)                                            // pages of 65536 bytes
	copy(first[18:], []byte{1, 1, 0, 64, 32, 32, 0, 0, 0, 1, 0, 0, 0, 3})                // a rollback journal, 3 pages
	copy(first[40:], []byte{0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}) // schema 1, format 4, UTF-8
	copy(first[92:], []byte{0, 0, 0, 1, 0, 0x2e, 0x7a, 0x78})
	return os.WriteFile(file, slices.Concat(first, leaf(13, 0, cells), leaf(10, 0, entries)), 0o600)
}

// leaf returns a page with cells.
func leaf(kind byte, head int, cells [][]byte) []byte {
	p := make([]byte, page)
	at := page
	for i, c := range cells {
		at -= len(c)
		copy(p[at:], c)
		binary.BigEndian.PutUint16(p[head+8+2*i:], uint16(at))
	}
	p[head] = kind
	binary.BigEndian.PutUint16(p[head+3:], uint16(len(cells)))
	binary.BigEndian.PutUint16(p[head+5:], uint16(at))
	return p
}

func tableCell(id int, record []byte) []byte {
	return slices.Concat(varint(len(record)), varint(id), record)
}

// record encodes strings, numbers below 128 times 256, and nil.
func record(values ...any) []byte {
	var types, body []byte
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			types = append(types, 0)
		case int:
			types, body = append(types, 2), binary.BigEndian.AppendUint16(body, uint16(v))
		case string:
			types, body = append(types, varint(13+2*len(v))...), append(body, v...)
		}
	}
	return slices.Concat(varint(len(types)+1), types, body)
}

// varint encodes a number below 1<<21.
func varint(n int) []byte {
	switch {
	case n < 1<<7:
		return []byte{byte(n)}
	case n < 1<<14:
		return []byte{byte(n>>7) | 0x80, byte(n & 0x7f)}
	}
	return []byte{byte(n>>14) | 0x80, byte(n>>7) | 0x80, byte(n & 0x7f)}
}
