package ledger

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
)

// A month that is over no longer changes, and most of it are names, digests and times, so Zip keeps it gzipped under the same
// name. Everything that reads a month does it here.

// mostOfMonth is the largest month that is kept gzipped: no file unpacks to more.
const mostOfMonth = 256 << 20

// isGzipped reports whether a month's file is gzipped. A record begins with a brace.
func isGzipped(file []byte) bool { return bytes.HasPrefix(file, []byte{0x1f, 0x8b}) }

// ReadMonth reads a month of a ledger.
func ReadMonth(t fsys.FS, name string) ([]byte, error) {
	file, err := vault.ReadFile(t, name)
	if err != nil {
		return nil, err
	}
	return Unzipped(file)
}

// Unzipped returns the records in a month's file.
func Unzipped(file []byte) ([]byte, error) {
	if !isGzipped(file) {
		return file, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	records, err := io.ReadAll(io.LimitReader(z, mostOfMonth+1))
	if err == nil && len(records) > mostOfMonth {
		err = errors.New("it unpacks to too much")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return records, nil
}

// Zip gzips the months before that of the last record.
func (s *Session) Zip() error {
	l := s.l
	names, err := l.listMonths()
	if err != nil {
		return err
	}
	for _, name := range names {
		if name >= s.tail.file {
			break
		}
		name = path.Join(l.recordsFolder(), name)
		records, err := vault.ReadFile(l.state, name)
		if err != nil {
			return fmt.Errorf("read ledger: %w", err)
		}
		if isGzipped(records) || len(records) == 0 || len(records) > mostOfMonth {
			continue
		}
		file, err := gzipMonth(records)
		if err != nil {
			return err
		}
		if err := vault.WriteOver(l.state, l.dur, name, file, 0o600); err != nil {
			return fmt.Errorf("write ledger: %w", err)
		}
	}
	return l.dur.Barrier()
}

// gzipMonth returns the file of a month's records, after reading them back from it.
func gzipMonth(records []byte) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(records); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	back, err := Unzipped(b.Bytes())
	if err == nil && !bytes.Equal(back, records) {
		err = errors.New("a month of the ledger is not the same after it was gzipped")
	}
	return b.Bytes(), err
}
