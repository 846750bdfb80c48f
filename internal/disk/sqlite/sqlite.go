// Package sqlite reads rows of a SQLite database that another program uses, without writing to it or locking it.
//
// It reads what the file format describes: tables with a rowid and the indexes of their primary keys, and pages that
// are in the write-ahead log only. It knows no SQL.
package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"

	"tend/internal/disk/fsys"
)

// ErrFormat: the file is not a database that this package can read.
var ErrFormat = errors.New("not a readable SQLite database")

// ErrBusy: the database was being rewritten each time it was read.
var ErrBusy = errors.New("the database changed while it was read")

const (
	magic   = "SQLite format 3\x00"
	tries   = 5
	mostLog = 256 << 20 // bytes of a write-ahead log that are read
)

// View reads a database with a function. The function is called again if the file changed meanwhile.
func View(file string, read func(*DB) error) error {
	for range tries {
		again, err := readOnce(file, read)
		if !again {
			return err
		}
	}
	return ErrBusy
}

func readOnce(file string, read func(*DB) error) (again bool, err error) {
	f, err := fsys.OpenFile(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	before, err := stampOf(f, file)
	if err != nil {
		return false, err
	}
	db, err := open(f, file)
	if err == nil {
		err = read(db)
	}
	after, stampErr := stampOf(f, file)
	if stampErr != nil {
		return false, stampErr
	}
	return before != after, err
}

// stamp identifies a state of the database file. In WAL mode the file itself changes only when the log is copied into
// it, and the log gets another head when it starts again; what is appended to the log meanwhile does no harm.
type stamp struct {
	size, changed int64
	log           string
}

func stampOf(f fs.File, file string) (stamp, error) {
	info, err := f.Stat()
	if err != nil {
		return stamp{}, err
	}
	s := stamp{size: info.Size(), changed: info.ModTime().UnixNano()}
	log, err := fsys.OpenFile(file + "-wal")
	if err != nil {
		return s, absentError(err)
	}
	defer log.Close()
	head := make([]byte, logHead)
	n, err := io.ReadFull(log, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return s, err
	}
	s.log = string(head[:n])
	return s, nil
}

func absentError(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// DB is a database while it is being read.
type DB struct {
	file   io.ReaderAt
	page   int // bytes
	usable int // bytes of a page without its reserved end
	pages  uint32
	log    map[uint32][]byte // pages that are newer in the log
}

func open(f io.ReaderAt, file string) (*DB, error) {
	db := &DB{file: f}
	log, err := readLog(file + "-wal")
	if err != nil {
		return nil, err
	}
	db.log = log.pages
	head := make([]byte, 100)
	if first, ok := db.log[1]; ok {
		copy(head, first)
	} else if _, err := f.ReadAt(head, 0); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if string(head[:16]) != magic || binary.BigEndian.Uint32(head[56:]) > 1 { // 1 is UTF-8, 0 an empty database
		return nil, ErrFormat
	}
	if db.page = int(binary.BigEndian.Uint16(head[16:])); db.page == 1 {
		db.page = 65536
	}
	db.usable = db.page - int(head[20])
	if db.page < 512 || db.page&(db.page-1) != 0 || db.usable < 480 || log.page != 0 && log.page != db.page {
		return nil, ErrFormat
	}
	if db.pages = log.size; db.pages == 0 {
		db.pages = binary.BigEndian.Uint32(head[28:])
	}
	return db, nil
}

// read returns a page.
func (db *DB) read(n uint32) ([]byte, error) {
	if n == 0 || n > db.pages {
		return nil, fmt.Errorf("%w: page %d of %d", ErrFormat, n, db.pages)
	}
	if p, ok := db.log[n]; ok {
		return p, nil
	}
	p := make([]byte, db.page)
	if _, err := db.file.ReadAt(p, int64(n-1)*int64(db.page)); err != nil {
		return nil, fmt.Errorf("%w: page %d: %w", ErrFormat, n, err)
	}
	return p, nil
}

const (
	logHead   = 32
	frameHead = 24
)

// walLog is what a write-ahead log has that the database file may not have yet.
type walLog struct {
	pages map[uint32][]byte
	page  int    // bytes of a page
	size  uint32 // pages of the database after the last commit
}

// readLog reads the committed pages of a log. Frames of an earlier round, which may follow the valid ones, have other
// salts; a frame that was not written whole has another checksum.
func readLog(file string) (walLog, error) {
	info, err := os.Stat(file)
	if err != nil || info.Size() < logHead {
		return walLog{}, absentError(err)
	}
	if info.Size() > mostLog {
		return walLog{}, fmt.Errorf("%w: its log has %d bytes", ErrFormat, info.Size())
	}
	data, err := fsys.ReadFile(file)
	if err != nil || len(data) < logHead {
		return walLog{}, absentError(err)
	}
	order, ok := logOrder(data)
	page := int(binary.BigEndian.Uint32(data[8:]))
	if !ok || page < 512 || page > 65536 || page&(page-1) != 0 {
		return walLog{}, nil // a log that was never written to
	}
	salts := data[16:24]
	sum := checksum(order, sums{}, data[:24])
	if !sum.is(data[24:32]) {
		return walLog{}, nil
	}
	log, open := walLog{pages: map[uint32][]byte{}, page: page}, map[uint32][]byte{}
	for rest := data[logHead:]; len(rest) >= frameHead+page; rest = rest[frameHead+page:] {
		head, text := rest[:frameHead], rest[frameHead:frameHead+page]
		sum = checksum(order, checksum(order, sum, head[:8]), text)
		if !bytes.Equal(head[8:16], salts) || !sum.is(head[16:24]) {
			break
		}
		open[binary.BigEndian.Uint32(head)] = text
		if size := binary.BigEndian.Uint32(head[4:]); size > 0 { // a commit
			maps.Copy(log.pages, open)
			log.size = size
			clear(open)
		}
	}
	return log, nil
}

// logOrder is the byte order of a log's checksums.
func logOrder(head []byte) (binary.ByteOrder, bool) {
	switch binary.BigEndian.Uint32(head) {
	case 0x377f0682:
		return binary.LittleEndian, true
	case 0x377f0683:
		return binary.BigEndian, true
	}
	return nil, false
}

type sums [2]uint32

func checksum(order binary.ByteOrder, s sums, data []byte) sums {
	for ; len(data) >= 8; data = data[8:] {
		s[0] += order.Uint32(data) + s[1]
		s[1] += order.Uint32(data[4:]) + s[0]
	}
	return s
}

func (s sums) is(stored []byte) bool {
	return s[0] == binary.BigEndian.Uint32(stored) && s[1] == binary.BigEndian.Uint32(stored[4:])
}
