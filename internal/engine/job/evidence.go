package job

import (
	"time"

	"tend/internal/disk/vault"
	"tend/internal/engine/schedule"
	"tend/internal/model/finding"
	"tend/internal/text/layout/loadview"
)

// Evidence is what audit and check compare the files with.
type Evidence struct {
	// Sealed are the logs of past days as they were when their day was over.
	Sealed map[vault.Path]Seal
	// Former are the previously approved texts of guarded files that still have them.
	Former map[vault.Path][]byte
	// HotGone: the always-loaded file has disappeared; it once had a text.
	HotGone bool
	// Unread says why no memory is read in a workspace that has some; "" for no reason.
	Unread string
	// Left is each file as the newest action on it left it.
	Left map[vault.Path]Seal
	// Errors are jobs whose last run failed, including the harness's own, with their errors.
	Errors map[string]string
	// Scheduled are the scheduled jobs, and Due is when the keeper will run a job next.
	Scheduled []schedule.Row
	Due       map[string]time.Time
	// Compacted is when the harness recently compacted a session.
	Compacted []time.Time
	// Others are the files other than markdown, by name.
	Others map[vault.Path]bool
	// Links are files that a harness may refuse because of their kind on disk.
	Links map[vault.Path]loadview.Kind
	// Recorded is what the harness recorded of its own writes to files.
	Recorded map[vault.Path]Recorded
	// Clean are texts in which the scan found nothing; they are not scanned again.
	Clean map[vault.Version]bool
	// Records has the problems of what Tend keeps: ledger, archives, packs and things set aside. nil if it was not checked.
	Records []finding.Finding
	// Stored has the findings of the last sync with the shared store; nil for an agent that is in none.
	Stored []finding.Finding
	// World has the lines that this machine contradicts; nil if they were not compared.
	World []finding.Finding
	// Accepted is what a person decided is no problem.
	Accepted []finding.Acceptance
}

// Seal is a file's version at a time.
type Seal struct {
	Version vault.Version `json:"version"`
	At      time.Time     `json:"at"`
}
