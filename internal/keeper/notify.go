package keeper

import (
	"context"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// reloading is how the service manager wants to hear of it.
func reloading() string { return daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec() }

// Notify tells systemd, if it started us.
func Notify(state string) { _, _ = daemon.SdNotify(false, state) }

// heartbeat tells the service manager that jobs are still being looked at. A
// clockwork or a watch that hangs does not answer, and then neither does this.
func (k *Keeper) heartbeat(ctx context.Context) {
	every, err := daemon.SdWatchdogEnabled(false)
	if err != nil || every == 0 {
		return
	}
	tick := time.NewTicker(every / 3)
	defer tick.Stop()
	for {
		if k.answers(ctx) {
			k.notify(daemon.SdNotifyWatchdog)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
