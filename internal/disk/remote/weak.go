package remote

import (
	"context"
	"fmt"
	"strings"

	"github.com/pkg/sftp"
)

// What a server may lack, and what that means. Without a link the old file is lost when the new one replaces it;
// without a replacing rename there is a moment with no file; without a sync a power cut on the host could take the
// old text before the new one is on disk.
var needed = [...]string{"posix-rename@openssh.com", "hardlink@openssh.com", "fsync@openssh.com"}

// checkSafe refuses every change on a server that lacks what a safe one needs. Reading is always allowed.
func (c *conn) checkSafe(s *sftp.Client) error {
	var lacks []string
	for _, ext := range needed {
		if _, ok := s.HasExtension(ext); !ok {
			lacks = append(lacks, ext)
		}
	}
	switch {
	case len(lacks) == 0:
		return nil
	case len(lacks) == len(needed):
		return fmt.Errorf("%s: %w: it offers none of %s (perhaps it serves files to be read only, as `sftp-server -R` does)", c.host.addr(),
			ErrWeak, strings.Join(lacks, ", "))
	}
	return fmt.Errorf("%s: %w: it does not offer %s (use OpenSSH's sftp-server there, with nothing of this denied by -P)", c.host.addr(),
		ErrWeak, strings.Join(lacks, ", "))
}

// Safe reports whether files can be replaced safely on the host, before anything is begun.
func (t *tree) Safe() error {
	s, err := t.c.get(context.Background())
	if err != nil {
		return err
	}
	return t.c.checkSafe(s)
}

// Weaker lists what works less well than on a local disk, without risk to data.
func (t *tree) Weaker() []string {
	s, err := t.c.get(context.Background())
	if err != nil {
		return nil
	}
	var weaker []string
	if _, ok := s.HasExtension("statvfs@openssh.com"); !ok {
		weaker = append(weaker, "without statvfs@openssh.com a full disk cannot be distinguished from other failures")
	}
	return weaker
}
