package finding

// Findings of the keeper.
var (
	ZoneRestored = Kind{"zone-restored", Warning, "an approved text was changed and has been restored",
		"nothing is lost: `tend baseline accept` keeps the change, and the archive has the changed text"}
	BaselineRestored = Kind{"baseline-restored", Error, "a baseline file was changed; the approved text was restored",
		"find out who changed it; the changed text is kept in the state folder"}
	ZoneFight = Kind{"zone-fight", Warning, "something keeps changing the approved text as soon as it is restored",
		"find out what writes the file (`tend log --patch` shows each round); until then it is restored less and less often"}
	Overdue = Kind{"job-overdue", Warning, "a job is overdue",
		"run `tend status`; the agent may be busy all the time, locked or unreachable"}
	Overfiring = Kind{"job-over-firing", Warning, "a job runs far more often than scheduled",
		"find out what else starts it: a timer, a hook, a second keeper"}
	JobFailed = Kind{"job-failed", Error, "a job failed and will be retried",
		"the text says why; fix the cause, the keeper retries the job"}
	KeeperDead = Kind{"keeper-dead", Error, "THE KEEPER IS NOT RUNNING: it ended without being stopped",
		"start it again: `tend up`, or `systemctl restart tend`; its log says why it ended"}
	KeeperHung = Kind{"keeper-hung", Error, "THE KEEPER HANGS: it has no heartbeat",
		"it is stopped (SIGSTOP), or its disk hangs; `kill -CONT`, or restart it"}
	Stalled = Kind{"stalled", Error, "an agent's files do not respond",
		"its disk hangs or is very slow; other agents are not affected"}
	CallRefused = Kind{"call-refused", Warning, "a call of the agent was refused",
		"the text says why; to allow it, change the policy"}
	PutOff = Kind{"job-put-off", Info, "a job is waiting for the agent's lock",
		"the text says who holds it; the job is retried"}
	ConfigWaits = Kind{"config-waits", Warning, "part of the configuration takes effect only after a restart",
		"restart the keeper when convenient"}
	DiskFull = Kind{"disk-full", Error, "the disk is full; nothing can be written",
		"free some space; jobs wait until then, and nothing is lost"}
	Unreachable = Kind{"host-unreachable", Error, "the host of a workspace cannot be reached",
		"check the host and the network; `tend doctor` tests the connection; jobs resume once it answers"}
	HostKey = Kind{"host-key", Error, "THE HOST KEY OF A WORKSPACE IS NOT TRUSTED; nothing is done there",
		"compare the fingerprint on the host itself; someone may be intercepting the connection"}
	HostDenied = Kind{"host-denied", Error, "the host of a workspace rejects our login",
		"add the key to the host's authorized_keys, or to the SSH agent; `tend doctor` tests the connection"}
	ConfigBroken = Kind{"config-broken", Error, "the configuration has errors; the previous one is still in use",
		"fix the file; the keeper reloads it by itself"}
	WatchDegraded = Kind{"watch-degraded", Warning, "some folders cannot be watched and are polled instead",
		"raise fs.inotify.max_user_watches, or lower watch.poll"}
	AlertsUndelivered = Kind{"alerts-undelivered", Error, "alerts cannot be delivered",
		"check `alerts` in the configuration and the receiver; pending alerts are sent once it answers"}
	HistoryLags = Kind{"history-lags", Warning, "agents' edits reach the history later than history.quiet allows",
		"this machine cannot keep up: raise history.quiet, or turn history off for some agents"}
)

func keeperKinds() []Kind {
	return []Kind{
		ZoneRestored, BaselineRestored, ZoneFight, Overdue, Overfiring, JobFailed, KeeperDead, KeeperHung, DiskFull, Stalled, CallRefused,
		PutOff, ConfigWaits, Unreachable, HostKey, HostDenied, ConfigBroken, WatchDegraded, AlertsUndelivered, HistoryLags,
	}
}
