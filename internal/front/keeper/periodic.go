package keeper

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/schedule"
	"tend/internal/front/keeper/scheduler"
	"tend/internal/model/finding"
	"tend/internal/model/textfmt"
	"tend/internal/state/findinglog"
)

// runPeriodic runs the periodic checks: a changed configuration, overdue jobs, reminders, old handles.
func (k *Keeper) runPeriodic(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	stamp, undelivered := k.read, false
	renewed := time.Now()
	nextChecks := renewed.Add(firstChecksAfter)
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.o.Hangup:
			stamp = stampOf(k.gen.config().Path)
			k.Reload()
			continue
		case <-tick.C:
		}
		if now := stampOf(k.gen.config().Path); now != stamp && now != (fileStamp{}) {
			stamp = now
			k.Reload()
		}
		found := k.alerts.findings()
		if (len(found) > 0) != undelivered {
			undelivered = !undelivered
			k.report(findinglog.NoAgent, "alerts", found, false)
		}
		if !time.Now().Before(nextChecks) {
			nextChecks = time.Now().Add(time.Minute)
			k.checkEachMinute(ctx)
		}
		k.poller.checkDue(time.Now())
		if time.Since(renewed) >= renewEvery || k.stale.Swap(false) {
			renewed = time.Now()
			k.logError("", "reopen the fleet", k.gen.reopen())
			k.memories.dropAll()
		}
	}
}

// firstChecksAfter is how long after the start the checks of each minute begin.
const firstChecksAfter = 5 * time.Second

// checkEachMinute reports what should have happened, and closes what is no longer used.
func (k *Keeper) checkEachMinute(ctx context.Context) {
	k.report(findinglog.NoAgent, "disk", DiskFindings(k.gen.config().StateDir), false)
	k.reportOverdue()
	k.reportStalled()
	k.report(findinglog.NoAgent, "history lag", k.history.findings(), false)
	k.report(findinglog.NoAgent, "alerts", k.alerts.findings(), false)
	k.remindOfOpen()
	k.memories.closeIdle()
	k.store.check(ctx)
}

// renewEvery is how long open folders are used: their paths may lead elsewhere by then.
const renewEvery = 5 * time.Minute

type fileStamp struct {
	mod  time.Time
	size int64
}

func stampOf(path string) fileStamp {
	i, err := os.Stat(path)
	if err != nil {
		return fileStamp{}
	}
	return fileStamp{i.ModTime(), i.Size()}
}

// reportOverdue reports jobs that should have run.
func (k *Keeper) reportOverdue() {
	now := k.o.Clock()
	late := map[string][]finding.Finding{}
	k.clock.Each(func(s scheduler.Job) {
		if !k.store.runsJobsOf(s.Entry.Agent) {
			return
		}
		since := schedule.Overdue(s.Entry, s.State, now)
		if s.State.Deferred.IsZero() && now.Sub(k.began) < s.Entry.Grace() {
			return // after a start, missed jobs get time to run
		}
		if !since.IsZero() {
			late[s.Entry.Agent] = append(late[s.Entry.Agent],
				finding.Overdue.In("", "%s has been overdue since %s", s.Entry.Job, since.Format(textfmt.Minute)))
		}
	})
	k.metrics.overdue.Store(int64(len(late)))
	k.reportAll("overdue", late)
}

// reportStalled reports agents whose files do not answer.
func (k *Keeper) reportStalled() {
	now := map[string][]finding.Finding{}
	for _, w := range k.clock.Slow() {
		if time.Since(w.Since) >= stalledAfter {
			now[w.Agent] = append(now[w.Agent], finding.Stalled.In("", "%s has been running since %s", w.Job, w.Since.Format(time.DateTime)))
		}
	}
	for agent, since := range k.watch.Stuck() {
		if now[agent] == nil && time.Since(since) >= stalledAfter {
			now[agent] = append(now[agent], finding.Stalled.In("", "the watcher has had no answer since %s", since.Format(time.DateTime)))
		}
	}
	k.reportAll("stalled", now)
}

// stalledAfter is when work that hangs is reported.
const stalledAfter = time.Minute

var errStateMoved = errors.New("state_dir cannot change while the keeper runs: stop it, move the folder, start it")

// Reload rereads the configuration. An invalid one changes nothing and is reported as a finding.
func (k *Keeper) Reload() {
	k.reloading.Lock()
	defer k.reloading.Unlock()
	k.notify(reloadingMessage())
	defer k.notify("READY=1")
	cfg, err := k.o.Load()
	if err == nil && cfg.StateDir != k.gen.config().StateDir {
		err = errStateMoved
	}
	if err == nil {
		_, err = fleet.Entries(cfg)
	}
	if err == nil {
		err = k.applyConfig(cfg)
	}
	if err != nil {
		k.metrics.reloads.With("refused").Inc()
		k.o.Log.Error("configuration not loaded", "error", err.Error())
		k.report(findinglog.NoAgent, "config", []finding.Finding{finding.ConfigBroken.In("", "%v", err)}, false)
		return
	}
	k.metrics.reloads.With("taken").Inc()
	k.report(findinglog.NoAgent, "config", k.needsRestart(cfg), false)
	k.o.Log.Info("configuration loaded", "agents", len(cfg.Agents))
}

// needsRestart reports changed settings that take effect only after a restart.
func (k *Keeper) needsRestart(cfg *config.Config) []finding.Finding {
	now, old := cfg.Keeper, k.started
	if now.Listen == old.Listen && now.TLSCert == old.TLSCert && now.TLSKey == old.TLSKey && now.Workers == old.Workers &&
		slices.Equal(now.Hosts, old.Hosts) {
		return nil
	}
	return []finding.Finding{finding.ConfigWaits.In("",
		"keeper: listen, tls, hosts or workers changed; the keeper uses the old values until it is restarted")}
}

func (k *Keeper) applyConfig(cfg *config.Config) error {
	if err := k.gen.open(cfg); err != nil {
		return err
	}
	k.books.set(cfg)
	if err := k.times.set(cfg); err != nil {
		return err
	}
	k.alerts.set(cfg.Alerts)
	k.watch.Set(k.targets(cfg))
	k.memories.dropAll()
	k.notify("STATUS=" + statusText(cfg))
	return nil
}
