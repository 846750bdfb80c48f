// Package transcripts fills an agent's notes with what was said in the sessions that exist already.
package transcripts

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tend/internal/app/connect"
	"tend/internal/disk/vault"
	"tend/internal/engine/config"
	"tend/internal/engine/fleet"
	"tend/internal/engine/job"
	"tend/internal/engine/job/write"
	"tend/internal/engine/past"
	"tend/internal/engine/runner"
	"tend/internal/model/policy"
	"tend/internal/model/usererr"
	"tend/internal/state/plan"
	"tend/internal/text/layout"
	"tend/internal/text/transcript"
)

// Request asks for the sessions of an agent.
type Request struct {
	Paths   []string // files and folders with sessions; none for where the harnesses keep them
	Options runner.Options
	// Progress is told how many of how many bytes are read.
	Progress func(done, total int64)
	// Diff is given each part of a dry run.
	Diff func(string)
	// Part is how many bytes are read for one action, 0 for the usual.
	Part int64
}

// Skipped is a file that was not read.
type Skipped struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// Result is what an import did.
type Result struct {
	Sessions  int             `json:"sessions"`  // that were found
	Imported  int             `json:"imported"`  // that had something new
	Sections  int             `json:"sections"`  // added to logs
	Logs      int             `json:"logs"`      // that got some
	Masked    int             `json:"masked"`    // secrets
	Damaged   int             `json:"damaged"`   // records that could not be read
	Bytes     int64           `json:"bytes"`     // read
	Actions   []string        `json:"actions"`   // by which they were added
	Proposals []plan.Proposal `json:"proposals"` // for the first page
	Skipped   []Skipped       `json:"skipped"`
	DryRun    bool            `json:"dry_run"`
}

// A part of an import is one action: all that was read since the part before it.
const (
	maxPartText = 4 << 20   // bytes that it adds, which are held in memory
	maxPartRead = 256 << 20 // bytes that are read for it, which an interruption loses
)

// importer is an import in progress.
type importer struct {
	req   Request
	ag    *fleet.Agent
	marks map[string]mark
	logs  map[vault.Path]bool
	out   Result

	part       write.Heard
	text, read int64       // bytes that the part adds, and that were read for it
	done, all  int64       // bytes of all sessions: read, and in total
	dry        []plan.Plan // the parts of a dry run
}

// Import reads the sessions and adds what is new of them to the logs. When it is interrupted, the next one goes on where the
// last part ended.
func Import(ctx context.Context, ag *fleet.Agent, req Request) (Result, error) {
	im := &importer{req: req, ag: ag, logs: map[vault.Path]bool{}, out: Result{Actions: []string{}, DryRun: req.Options.DryRun}}
	if _, err := write.RoleFile(ag.Files.Empty(), layout.Daily); err != nil {
		return im.out, err
	}
	list, err := im.find(ctx)
	if err != nil {
		return im.out, err
	}
	if err := im.recoverAction(ctx); err != nil {
		return im.out, err
	}
	if im.marks, err = marksOf(ag); err != nil {
		return im.out, err
	}
	for _, s := range list {
		im.all += s.size
	}
	im.out.Sessions = len(list)
	for _, s := range list {
		if err := im.importSession(ctx, s); err != nil {
			return im.out, err
		}
		if im.text > maxPartText || im.read > cmp.Or(req.Part, maxPartRead) {
			if err := im.writePart(ctx); err != nil {
				return im.out, err
			}
		}
	}
	if err := im.writePart(ctx); err != nil {
		return im.out, err
	}
	return im.out, im.proposeMarked(ctx)
}

// recoverAction finishes an action that a crash interrupted, or rolls it back: only then is known what was imported.
func (im *importer) recoverAction(ctx context.Context) error {
	_, err := runner.Run(ctx, im.ag, runner.Request{
		Options: im.req.Options, Read: runner.Some(im.ag),
		Plan: func(job.Input) (plan.Plan, error) { return plan.Plan{Job: job.ImportJob}, nil },
	})
	return err
}

// find lists the sessions, the oldest first.
func (im *importer) find(ctx context.Context) ([]*source, error) {
	l := &lookup{ctx: ctx, seen: map[string]bool{}, mine: func(transcript.Head, string) bool { return true }}
	defer func() { im.out.Skipped = append([]Skipped{}, l.skipped...) }()
	for _, p := range im.req.Paths {
		p, err := filepath.Abs(p)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(p)
		switch {
		case err != nil:
			return nil, usererr.Usage(err)
		case info.IsDir():
			err = l.searchFolder(p, 0)
		case info.Mode().IsRegular():
			l.findInFile(p)
		default:
			return nil, usererr.Usagef("name a file or a folder with sessions", "%s is no regular file", p)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(im.req.Paths) > 0 {
		return l.sortSources(), nil
	}
	ws := im.ag.Workspace
	if ws.Kind != config.Local {
		return nil, usererr.Usagef("name the folder with its sessions: tend import --transcripts DIR", "%s is on another machine", im.ag.Name)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	l.mine = sessionOwner(ws.Path, im.ag.Layout.Name)
	for _, p := range connect.SessionFolders(ws.Path, home, os.Getenv) {
		info, err := os.Stat(p)
		switch {
		case err != nil:
			continue
		case info.IsDir():
			err = l.searchFolder(p, 0)
		default:
			l.findInFile(p)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			l.skipFile(p, causeOf(err))
		}
	}
	return l.sortSources(), nil
}

// sessionOwner returns which sessions are those of a workspace: it is the harness's own folder, or the session worked in it.
func sessionOwner(workspace, kind string) func(transcript.Head, string) bool {
	dirs := []string{workspace}
	if real, err := filepath.EvalSymlinks(workspace); err == nil && real != workspace {
		dirs = append(dirs, real)
	}
	own := map[transcript.Format]string{transcript.Codex: "codex", transcript.Hermes: "hermes"}
	return func(h transcript.Head, file string) bool {
		if o := own[h.Format]; o != "" && strings.HasPrefix(kind, o) {
			return true
		}
		for _, dir := range dirs {
			sum := sha256.Sum256([]byte(dir))
			beside := filepath.Base(dir) == "memory" && filepath.Dir(file) == filepath.Dir(dir)
			if isInside(h.Cwd, dir) || beside || h.Project == hex.EncodeToString(sum[:]) {
				return true
			}
		}
		return false
	}
}

// marksOf returns how far each session was read.
func marksOf(ag *fleet.Agent) (map[string]mark, error) {
	list, err := past.Open(ag).Receipts(job.ImportJob)
	out := map[string]mark{}
	for p, r := range list {
		key, isPosition := strings.CutSuffix(strings.TrimPrefix(string(p), job.SessionReceipts), reading)
		m := out[key]
		if isPosition {
			m.at, m.tail = int64(r.To), string(r.Hash)
		} else {
			m.until = time.UnixMilli(int64(r.To))
		}
		out[key] = m
	}
	return out, err
}

// importSession reads one session.
func (im *importer) importSession(ctx context.Context, s *source) error {
	maxChars, zone := policy.ImportChars.Of(im.ag.Policy), im.ag.Location
	was := im.marks[s.key()]
	h := &hearing{was: was, ear: &transcript.Listener{Format: s.Format, Now: im.ag.Now(), Last: s.Start}, progress: func(n int64) {
		im.done += n
		im.read += n
		im.out.Bytes += n
		if im.req.Progress != nil {
			im.req.Progress(im.done, im.all)
		}
	}}
	h.ear.Keep = func(w transcript.Said) { h.addStatement(s, w, zone, maxChars) }
	before := im.done
	if err := s.hear(ctx, s, h); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		im.out.Skipped = append(im.out.Skipped, Skipped{s.file, causeOf(err)})
		return nil
	}
	im.done = before + s.size // what was read before needs no reading
	h.ear.End()
	im.out.Damaged += h.lost
	news := 0
	for _, x := range h.sections {
		if x.Worth() {
			im.part.Sections = append(im.part.Sections, x)
			im.text += int64(len(x.Text()))
			im.out.Masked += x.Masked
			news++
		}
	}
	if news > 0 {
		im.out.Imported++
		im.out.Sections += news
	}
	if now := h.markRead(); now != was {
		im.part.Receipts = append(im.part.Receipts, now.receiptsOf(s.key())...)
		im.marks[s.key()] = now
	}
	return nil
}

// writePart adds the part to the logs.
func (im *importer) writePart(ctx context.Context) error {
	part := im.part
	im.part, im.text, im.read = write.Heard{}, 0, 0
	if len(part.Receipts) == 0 {
		return nil
	}
	part.Logs = map[string][]vault.Path{}
	var paths []vault.Path
	for _, s := range part.Sections {
		if _, known := part.Logs[s.Day]; known {
			continue
		}
		logs, err := im.ag.Files.Logs(s.Day)
		if err != nil {
			return err
		}
		part.Logs[s.Day] = logs
		paths = append(paths, logs...)
	}
	o := im.req.Options
	var made plan.Plan
	r, err := runner.Run(ctx, im.ag, runner.Request{
		Options: o, Read: runner.Some(im.ag, paths...), Plan: func(in job.Input) (pl plan.Plan, err error) {
			pl, err = write.Sessions(in, part)
			made = pl
			return pl, err
		},
	})
	if err != nil {
		return err
	}
	for _, c := range made.Changes {
		im.logs[c.Path] = true
	}
	im.out.Logs = len(im.logs)
	if r.Action != "" {
		im.out.Actions = append(im.out.Actions, r.Action)
	}
	if o.DryRun {
		im.dry = append(im.dry, made)
		if im.req.Diff != nil && r.Diff != "" {
			im.req.Diff(r.Diff)
		}
	}
	return nil
}

// proposeMarked offers for the first page what the user marked as lasting.
func (im *importer) proposeMarked(ctx context.Context) error {
	r, err := runner.Run(ctx, im.ag, runner.Request{
		Options: im.req.Options, Job: job.ImportJob, Read: runner.Whole(im.ag), Plan: func(in job.Input) (plan.Plan, error) {
			for _, pl := range im.dry {
				in = job.After(in, pl)
			}
			return job.FirstPage(in), nil
		},
	})
	if err != nil {
		return fmt.Errorf("offer what was said for the first page: %w", err)
	}
	im.out.Proposals = append([]plan.Proposal{}, r.Proposals...)
	return nil
}
