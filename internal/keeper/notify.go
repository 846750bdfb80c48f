package keeper

import (
	"context"

	"github.com/coreos/go-systemd/v22/daemon"
)

// reloading is how the service manager wants to hear of it.
func reloading() string { return daemon.SdNotifyReloading + "\n" + daemon.SdNotifyMonotonicUsec() }

// Notify tells systemd, if it started us.
func Notify(state string) { _, _ = daemon.SdNotify(false, state) }

// watchdog tells the service manager that jobs are still being looked at.
func (k *Keeper) watchdog(ctx context.Context) {
	if every, err := daemon.SdWatchdogEnabled(false); err == nil && every > 0 {
		k.whileAnswering(ctx, every/3, func() { k.notify(daemon.SdNotifyWatchdog) })
	}
}
