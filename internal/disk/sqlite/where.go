package sqlite

import (
	"cmp"
	"slices"
	"strings"
)

// Columns returns the names of a table's columns in their order, nil if the database has no such table. A row written
// before a column was added is shorter.
func (db *DB) Columns(table string) ([]string, error) {
	o, err := db.findTable(table)
	return columnsIn(o.sql), err
}

// columnsIn reads the columns of a CREATE TABLE statement. Constraints of the table follow them.
func columnsIn(sql string) (names []string) {
	_, body, _ := strings.Cut(sql, "(")
	depth, start := 0, 0
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '(':
			depth++
		case c == '-' && strings.HasPrefix(body[i:], "--"):
			n := strings.IndexByte(body[i:], '\n')
			if n < 0 {
				return names
			}
			body = body[:i] + body[i+n:] // a comment; the newline stays
		case c == '\'' || c == '"' || c == '`':
			if n := strings.IndexByte(body[i+1:], c); n >= 0 {
				i += n + 1
			}
		case c == ',' && depth == 0, c == ')' && depth == 0:
			if name := columnName(body[start:i]); name != "" {
				names = append(names, name)
			}
			if c == ')' {
				return names
			}
			start = i + 1
		case c == ')':
			depth--
		}
	}
	return names
}

func columnName(definition string) string {
	f := strings.Fields(definition)
	if len(f) == 0 {
		return ""
	}
	if quote := strings.IndexByte("\"`'[", f[0][0]); quote >= 0 {
		name, _, _ := strings.Cut(strings.TrimSpace(definition)[1:], "\"`']"[quote:quote+1])
		return name
	}
	first, _, _ := strings.Cut(f[0], "(")
	if slices.Contains([]string{"PRIMARY", "FOREIGN", "UNIQUE", "CHECK", "CONSTRAINT"}, strings.ToUpper(first)) {
		return ""
	}
	return first
}

// indexOf finds an index of a table that begins with a column and has all its rows: 0 if there is none. primary: it is that
// of the primary key.
func (db *DB) indexOf(table, column string) (root uint32, primary bool, err error) {
	names, err := db.Columns(table)
	if err != nil {
		return 0, false, err
	}
	list, err := db.findObjects(func(o object) bool {
		if o.kind != "index" || o.table != table {
			return false
		}
		if o.sql == "" {
			return o.isKeyOf(table) && len(names) > 0 && names[0] == column
		}
		_, columns, _ := strings.Cut(o.sql, "(")
		return !strings.Contains(strings.ToUpper(o.sql), "WHERE") && columnName(strings.FieldsFunc(columns+" ", endsName)[0]) == column
	})
	if err != nil || len(list) == 0 {
		return 0, false, err
	}
	return list[0].root, list[0].sql == "", nil
}

func endsName(r rune) bool { return r == ',' || r == ')' }

// Values calls a function with each different text that a column has, until it returns false. An index makes it quick;
// without one it reads the whole table.
func (db *DB) Values(table, column string, do func(string) bool) error {
	root, _, err := db.indexOf(table, column)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	offer := func(v Value) bool {
		s, ok := v.(string)
		if !ok || seen[s] {
			return true
		}
		seen[s] = true
		return do(s)
	}
	if root != 0 {
		return db.search(root, nil, func(e Row) error {
			if len(e) > 0 && !offer(e[0]) {
				return errStop
			}
			return nil
		})
	}
	names, err := db.Columns(table)
	at := slices.Index(names, column)
	if err != nil || at < 0 {
		return err
	}
	return db.Rows(table, func(r Row) bool { return at >= len(r) || offer(r[at]) })
}

// Where calls a function with the rows that have a text in a column, and their ids, until it returns false: in the order of
// the primary key if that begins with the column and a number follows, otherwise by id. Only one row at a time is in memory
// if an index begins with the column.
func (db *DB) Where(table, column, text string, do func(id int64, row Row) bool) error {
	of, err := db.findTable(table)
	if err != nil || of.root == 0 {
		return err
	}
	index, primary, err := db.indexOf(table, column)
	if err != nil {
		return err
	}
	if index == 0 {
		at := slices.Index(columnsIn(of.sql), column)
		if at < 0 {
			return nil
		}
		return db.walkRows(of.root, func(id int64, row Row) bool { return at >= len(row) || row[at] != text || do(id, row) })
	}
	type at struct{ number, id int64 }
	var rows []at
	err = db.search(index, []string{text}, func(e Row) error {
		id, ok := e[len(e)-1].(int64)
		if !ok || e[0] != text {
			return nil
		}
		number := id
		if n, ok := e[min(1, len(e)-1)].(int64); ok && primary {
			number = n
		}
		rows = append(rows, at{number, id})
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(rows, func(a, b at) int { return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.id, b.id)) })
	for _, r := range rows {
		row, err := db.rowByID(of.root, r.id)
		if err != nil {
			return err
		}
		if !do(r.id, row) {
			return nil
		}
	}
	return nil
}
