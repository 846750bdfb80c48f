package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"time"

	"tend/internal/disk/fsys"
	"tend/internal/disk/vault"
	"tend/internal/model/policy"
	"tend/internal/state/identity"
	"tend/internal/state/ledger"
)

// WithLock runs do under the agent's lock, for changes of Tend's own files that do not touch
// the workspace, such as approvals. It does not recover an interrupted action; the next
// action does.
func (a *Agent) WithLock(ctx context.Context, do func() error) (err error) {
	name := ledger.LockPath(a.Name)
	if err := vault.MkdirAll(a.fleet.state, a.fleet.dur, path.Dir(name), 0o700); err != nil {
		return fmt.Errorf("make %s in the state folder: %w", path.Dir(name), err)
	}
	holder := fmt.Sprintf("pid %d since %s\n", os.Getpid(), a.fleet.Clock().Format(time.RFC3339))
	var lock io.Closer
	err = retryLocked(ctx, policy.LockWait.Of(a.Policy).Std(), func() error {
		lock, err = a.fleet.state.Lock(name, holder)
		return err
	})
	if err != nil {
		return fmt.Errorf("lock %s: %w", a.Name, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	return do()
}

// retryLocked calls try until the lock is free or the time is over; others hold it for
// milliseconds.
func retryLocked(ctx context.Context, wait time.Duration, try func() error) error {
	deadline := time.Now().Add(wait)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := try()
		if !errors.Is(err, fsys.ErrLocked) || time.Now().Add(pause).After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Begin waits for the agent's lock, at most lock.wait. waited reports that another process had it.
func (a *Agent) Begin(ctx context.Context, who string) (s *ledger.Session, waited bool, err error) {
	err = retryLocked(ctx, policy.LockWait.Of(a.Policy).Std(), func() error {
		s, err = a.Ledger.Begin(ctx, who)
		waited = waited || err != nil
		return err
	})
	if err == nil {
		if err = a.recordPin(); err != nil {
			return nil, waited, errors.Join(err, s.Close())
		}
	}
	return s, waited, err
}

// Pin records which folder the workspace is, if that is not known yet, so that another folder in its place is refused
// later. A held lock is not an error: its holder will pin it.
func (a *Agent) Pin(ctx context.Context) error {
	if !a.unpinned {
		return nil
	}
	if err := a.WithLock(ctx, a.recordPin); !errors.Is(err, fsys.ErrLocked) {
		return err
	}
	return nil
}

func (a *Agent) recordPin() error {
	if !a.unpinned {
		return nil
	}
	_, err := identity.Confirm(a.fleet.state, a.fleet.dur, a.Name, a.ws, a.Workspace.String(), a.Now())
	a.unpinned = err != nil
	return err
}
