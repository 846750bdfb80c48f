package sqlite

import (
	"cmp"
	"slices"
	"strings"
)

// Columns returns the names of a table's columns in their order, nil if the database has no such table. A row written
// before a column was added is shorter.
func (db *DB) Columns(table string) (names []string, err error) {
	err = db.walk(1, func(_ int64, row Row) bool {
		kind, name, _, sql := schemaRow(row)
		if kind != "table" || name != table {
			return true
		}
		names = columnsIn(sql)
		return false
	})
	return names, err
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

func schemaRow(row Row) (kind, name, table, sql string) {
	if len(row) >= 5 {
		kind, _ = row[0].(string)
		name, _ = row[1].(string)
		table, _ = row[2].(string)
		sql, _ = row[4].(string)
	}
	return kind, name, table, sql
}

// indexOf finds an index of a table that begins with a column and has all its rows: 0 if there is none. primary: it is that
// of the primary key.
func (db *DB) indexOf(table, column string) (root uint32, primary bool, err error) {
	names, err := db.Columns(table)
	if err != nil {
		return 0, false, err
	}
	err = db.walk(1, func(_ int64, row Row) bool {
		kind, name, of, sql := schemaRow(row)
		if kind != "index" || of != table {
			return true
		}
		n, _ := row[3].(int64)
		_, columns, _ := strings.Cut(sql, "(")
		plain := !strings.Contains(strings.ToUpper(sql), "WHERE") && columnName(strings.FieldsFunc(columns+" ", endsName)[0]) == column
		own := sql == "" && name == "sqlite_autoindex_"+table+"_1" && len(names) > 0 && names[0] == column
		if plain || own {
			root, primary = uint32(n), own
		}
		return root == 0
	})
	return root, primary, err
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
		return db.entries(root, func(e Row) bool { return len(e) == 0 || offer(e[0]) })
	}
	names, err := db.Columns(table)
	at := slices.Index(names, column)
	if err != nil || at < 0 {
		return err
	}
	return db.Rows(table, func(r Row) bool { return at >= len(r) || offer(r[at]) })
}

// entries calls a function with every entry of an index, in no order, until it returns false.
func (db *DB) entries(root uint32, do func(Row) bool) error {
	todo := []uint32{root}
	for seen := uint32(0); len(todo) > 0; seen++ {
		if seen > db.pages {
			return errLoop
		}
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		p, err := db.node(n)
		if err != nil {
			return err
		}
		for i := range p.cells {
			row, err := db.indexRow(p, i)
			if err != nil {
				return err
			}
			if !do(row) {
				return nil
			}
			if p.kind == indexInner {
				todo = append(todo, p.child(i))
			}
		}
		if p.kind == indexInner {
			todo = append(todo, p.child(p.cells))
		}
	}
	return nil
}

// Where calls a function with the rows that have a text in a column, and their ids, until it returns false: in the order of
// the primary key if that begins with the column and a number follows, otherwise by id. Only one row at a time is in memory
// if an index begins with the column.
func (db *DB) Where(table, column, text string, do func(id int64, row Row) bool) error {
	root, err := db.schema(func(kind, name, _ string) bool { return kind == "table" && name == table })
	if err != nil || root == 0 {
		return err
	}
	index, primary, err := db.indexOf(table, column)
	if err != nil {
		return err
	}
	if index == 0 {
		names, err := db.Columns(table)
		at := slices.Index(names, column)
		if err != nil || at < 0 {
			return err
		}
		return db.walk(root, func(id int64, row Row) bool { return at >= len(row) || row[at] != text || do(id, row) })
	}
	entries, err := db.search(index, []string{text})
	if err != nil {
		return err
	}
	type at struct{ number, id int64 }
	var rows []at
	for _, e := range entries {
		id, ok := e[len(e)-1].(int64)
		if !ok || e[0] != text {
			continue
		}
		number := id
		if n, ok := e[min(1, len(e)-1)].(int64); ok && primary {
			number = n
		}
		rows = append(rows, at{number, id})
	}
	slices.SortFunc(rows, func(a, b at) int { return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.id, b.id)) })
	for _, r := range rows {
		row, err := db.row(root, r.id)
		if err != nil {
			return err
		}
		if !do(r.id, row) {
			return nil
		}
	}
	return nil
}
