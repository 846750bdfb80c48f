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

// Past is a file as the repository has it.
type Past struct {
	Text []byte
	At   time.Time // when it was committed
	// Action is the newest action the repository had by then, "" if none: times are
	// too coarse to tell which of two came first.
	Action string
}

// At is a file as the repository has it at a time. ok is false if the repository knows
// nothing of the file up to then.
func (r Repo) At(ctx context.Context, name string, when time.Time) (p Past, ok bool, err error) {
	return r.newest(ctx, name, fmt.Sprintf("--before=@%d", when.Unix()))
}

// Newest is the last text of a file that the repository has, also of one that is gone since.
func (r Repo) Newest(ctx context.Context, name string) (Past, bool, error) {
	return r.newest(ctx, name, "--diff-filter=AM")
}

func (r Repo) newest(ctx context.Context, name, among string) (p Past, ok bool, err error) {
	if _, err := os.Stat(filepath.Join(r.Dir, "HEAD")); errors.Is(err, fs.ErrNotExist) {
		return p, false, nil
	}
	if _, err := r.git(ctx, nil, "rev-parse", "--verify", "--quiet", "refs/heads/main"); err != nil {
		return p, false, r.unborn(err)
	}
	out, err := r.git(ctx, nil, "log", "-1", "--format=%H %ct", among, "main", "--", name)
	if err != nil {
		return p, false, err
	}
	commit, stamp, found := strings.Cut(strings.TrimSpace(string(out)), " ")
	if !found {
		return p, false, nil
	}
	sec, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return p, false, fmt.Errorf("git log: %w", err)
	}
	text, err := r.git(ctx, nil, "cat-file", "blob", commit+":"+name)
	if err != nil {
		return p, false, nil // that commit removed it
	}
	action, err := r.action(ctx, commit)
	return Past{Text: text, At: time.Unix(sec, 0), Action: action}, err == nil, err
}
