package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// At is a file as the repository has it at a time, and when that was committed. ok is
// false if the repository knows nothing of the file up to then.
func (r Repo) At(ctx context.Context, name string, when time.Time) (text []byte, at time.Time, ok bool, err error) {
	if _, err := os.Stat(filepath.Join(r.Dir, "refs", "heads", "main")); errors.Is(err, fs.ErrNotExist) {
		return nil, at, false, nil
	}
	out, err := r.git(ctx, nil, "log", "-1", "--format=%H %ct", fmt.Sprintf("--before=@%d", when.Unix()), "main", "--", ":(literal)"+name)
	if err != nil {
		return nil, at, false, err
	}
	commit, stamp, found := strings.Cut(strings.TrimSpace(string(out)), " ")
	if !found {
		return nil, at, false, nil
	}
	sec, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return nil, at, false, fmt.Errorf("git log: %w", err)
	}
	text, err = r.git(ctx, nil, "cat-file", "blob", commit+":"+name)
	if err != nil {
		return nil, at, false, nil // that commit removed it
	}
	return text, time.Unix(sec, 0), true, nil
}
