package job

import (
	"time"

	"tend/internal/finding"
	"tend/internal/layout/inject"
	"tend/internal/schedule"
	"tend/internal/vault"
)

// Evidence is what audit and check compare the files with.
type Evidence struct {
	// Sealed are the logs of past days as they were when their day was over.
	Sealed map[vault.Path]Seal
	// Former are the texts that were approved before the present ones, of guarded files that still have them.
	Former map[vault.Path][]byte
	// HotGone: the always-loaded file has disappeared; it once had a text.
	HotGone bool
	// Unread says why no memory is read in a workspace that has some; "" if there is no such reason.
	Unread string
	// Left is what the newest action on each file left of it.
	Left map[vault.Path]Seal
	// Errors are jobs whose last run failed, the harness's own included, with what they said.
	Errors map[string]string
	// Scheduled are the jobs that run by themselves, and Due is when the keeper means to run a job next.
	Scheduled []schedule.Row
	Due       map[string]time.Time
	// Compacted is when the harness is known to have compacted a session lately.
	Compacted []time.Time
	// Others are the files that are no markdown, by name.
	Others map[vault.Path]bool
	// Links are files a harness may refuse because of what they are on disk.
	Links map[vault.Path]inject.Kind
	// Clean are texts in which the scan saw nothing before; they are not scanned again.
	Clean map[vault.Version]bool
	// Kept is what is wrong with what Tend keeps: ledger, archives, packs and what was set aside. nil if nobody looked.
	Kept []finding.Finding
	// Stored is what the last sync with the shared store left to be said; nil for an agent that is in none.
	Stored []finding.Finding
}

// Seal is what a file was at a time.
type Seal struct {
	Version vault.Version `json:"version"`
	At      time.Time     `json:"at"`
}
