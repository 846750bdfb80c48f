package scan

import "bytes"

// columns finds the secrets of tables whose label stands in the row of headers: a cell is judged as "header: cell" would be.
// A table is a row, a line of dashes below it, and the rows up to the first line that is none.
func (s *ruleset) columns(b []byte) []spot {
	var out []spot
	var before []byte    // the line before
	var headers [][]byte // of the table at hand; nil where the header is no label
	var labelled []byte  // a cell with its header in front
	table := false
	for at := 0; at < len(b); {
		line, _, _ := bytes.Cut(b[at:], []byte{'\n'})
		switch {
		case bytes.IndexByte(line, '|') < 0:
			table, headers = false, nil
		case !table && underHeaders(line) && bytes.IndexByte(before, '|') >= 0:
			table, headers = true, s.labels(before)
		case headers != nil:
			eachCell(line, func(column, lo, hi int) {
				if column >= len(headers) || headers[column] == nil || hi-lo < shortestCopy {
					return
				}
				labelled = append(append(append(labelled[:0], headers[column]...), ": "...), line[lo:hi]...)
				value := len(labelled) - (hi - lo)
				for _, f := range s.lines(labelled, true) {
					if f.lo >= value {
						f.lo, f.hi = f.lo-value+at+lo, f.hi-value+at+lo
						out = append(out, f)
					}
				}
			})
		}
		before = line
		at += len(line) + 1
	}
	return out
}

// labels returns the cells of a row that are labels of secrets, nil if none is.
func (s *ruleset) labels(row []byte) [][]byte {
	var out [][]byte
	eachCell(row, func(column, lo, hi int) {
		label := false
		s.finder.each(row[lo:min(hi, lo+longestQualifier)], func(key, _, _ int) { label = label || s.headers[key] })
		if label && hi-lo <= longestQualifier {
			out = append(out, make([][]byte, column+1-len(out))...)
			out[column] = row[lo:hi]
		}
	})
	return out
}

// underHeaders reports whether a line is the one between the headers of a table and its rows.
func underHeaders(line []byte) bool {
	return bytes.IndexByte(line, '-') >= 0 && len(bytes.Trim(line, " \t\r|:->")) == 0
}

// eachCell visits the cells of a row with their bounds, without the blanks around them. A bar behind a backslash separates none.
func eachCell(row []byte, visit func(column, lo, hi int)) {
	column, from := 0, 0
	if start := len(row) - len(bytes.TrimLeft(row, " \t>")); start < len(row) && row[start] == '|' {
		from = start + 1
	}
	for i := from; i <= len(row); i++ {
		if i < len(row) && (row[i] != '|' || i > 0 && row[i-1] == '\\') {
			continue
		}
		cell := bytes.TrimLeft(row[from:i], " \t\r")
		lo := i - len(cell)
		visit(column, lo, lo+len(bytes.TrimRight(cell, " \t\r")))
		column, from = column+1, i+1
	}
}
