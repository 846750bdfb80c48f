package finding

// Findings of the keeper.
var (
	ZoneRestored = Kind{"zone-restored", Warning, "the operator's text was changed and has been restored",
		"the archive has what was there; `tend baseline approve` takes a change over"}
	BaselineRestored = Kind{"baseline-restored", Error, "a baseline file was changed; the approved text was restored",
		"find out who changed it; what was there is kept in the state folder"}
	ZoneFight = Kind{"zone-fight", Warning, "something keeps changing the operator's text as soon as it is restored",
		"find out what writes the file (`tend log --patch` shows the rounds); until then it is restored less and less often"}
	Overdue = Kind{"job-overdue", Warning, "a job has not run when it was due",
		"look at `tend status`; the agent may be at work all the time, locked or unreachable"}
	Overfiring = Kind{"job-over-firing", Warning, "a job runs far more often than it is due",
		"find out who else starts it: a timer, a hook, a second keeper"}
	JobFailed = Kind{"job-failed", Error, "a job could not be done",
		"the text says why; it is tried again"}
	KeeperDead = Kind{"keeper-dead", Error, "NOBODY TENDS: the keeper ended without having been stopped",
		"start it again: `tend up`, or `systemctl restart tend`; its log says why it ended"}
	KeeperHung = Kind{"keeper-hung", Error, "NOBODY TENDS: the keeper has no heartbeat",
		"it is stopped (SIGSTOP), or its disk hangs; `kill -CONT`, or restart it"}
	Stalled = Kind{"stalled", Error, "the files of an agent do not answer",
		"its disk hangs or is very slow; the other agents are looked after meanwhile"}
	CallRefused = Kind{"call-refused", Warning, "a call of the agent was refused",
		"the text says why; if it should be allowed, the policy says how"}
	PutOff = Kind{"job-put-off", Info, "a job waits for somebody to let go of the agent's lock",
		"the text says who holds it; it is tried again"}
	ConfigWaits = Kind{"config-waits", Warning, "part of the configuration counts only after a restart",
		"restart the keeper when it suits you"}
	DiskFull = Kind{"disk-full", Error, "nothing can be written any more",
		"make room; every job waits until there is some, and nothing is lost meanwhile"}
	Unreachable = Kind{"host-unreachable", Error, "the host of a workspace cannot be reached",
		"look at the host and the way there; `tend doctor` tries the connection; jobs go on once it answers"}
	HostKey = Kind{"host-key", Error, "THE HOST OF A WORKSPACE SHOWS A KEY THAT IS NOT TRUSTED; nothing is done there",
		"compare the fingerprint on the host itself; somebody may be in between"}
	HostDenied = Kind{"host-denied", Error, "the host of a workspace does not let us in",
		"put the key into the host's authorized_keys, or hand it to the SSH agent; `tend doctor` tries the connection"}
	ConfigBroken = Kind{"config-broken", Error, "the configuration has mistakes; the one from before is still in force",
		"correct the file; the keeper takes it over by itself"}
	WatchDegraded = Kind{"watch-degraded", Warning, "not every folder can be watched; the rest is looked at regularly",
		"raise fs.inotify.max_user_watches, or lower watch.poll"}
	AlertsUndelivered = Kind{"alerts-undelivered", Error, "alerts do not reach whom they should",
		"look at `alerts` in the configuration and at the receiver; what waits is sent once it answers"}
	HistoryLags = Kind{"history-lags", Warning, "what agents write is taken into history later than history.quiet",
		"there is more to do than this machine can: raise history.quiet, or turn it off for some agents"}
)

func keeperKinds() []Kind {
	return []Kind{
		ZoneRestored, BaselineRestored, ZoneFight, Overdue, Overfiring, JobFailed, KeeperDead, KeeperHung, DiskFull, Stalled, CallRefused, PutOff, ConfigWaits, Unreachable, HostKey, HostDenied, ConfigBroken, WatchDegraded, AlertsUndelivered, HistoryLags,
	}
}
