// Package baseline is what an operator does with baselines: list, verify, approve, edit and restore them.
package baseline

import (
	"errors"
	"fmt"
	"io/fs"
	"os/user"

	"github.com/aymanbagabas/go-udiff"

	"tend/internal/disk/vault"
	"tend/internal/engine/fleet"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/model/usererr"
	"tend/internal/state/guard"
	"tend/internal/text/layout"
	"tend/internal/text/note"
	"tend/internal/text/scan"
)

// Row is a baseline and its state.
type Row struct {
	Agent    string            `json:"agent"`
	File     vault.Path        `json:"file"`
	Source   string            `json:"source"`
	Owner    layout.Ownership  `json:"owner"` // who owns the file in its layout
	State    string            `json:"state"` // approved, unapproved, tampered, missing, too small, bad signature
	Approval *guard.Approval   `json:"approval,omitempty"`
	Was      vault.Version     `json:"was,omitempty"`     // the digest approved before, when it was just approved
	Means    string            `json:"means,omitempty"`   // what approving it means for the agent
	Invited  bool              `json:"invited,omitempty"` // its text invites the agent to change it: a change is only reported
	Findings []finding.Finding `json:"findings,omitempty"`
}

// Unchanged reports whether an approval changed nothing.
func (r Row) Unchanged() bool { return r.Approval != nil && r.Was == r.Approval.Version }

// Set is one agent's baselines with their approvals.
type Set struct {
	Agent     *fleet.Agent
	List      []guard.Baseline
	Approvals map[vault.Path]guard.Approval
}

// Open reads an agent's baselines and approvals.
func Open(ag *fleet.Agent) (Set, error) {
	list, err := ag.Baselines.List()
	if err != nil {
		return Set{}, err
	}
	approvals, err := ag.Guard.Approvals()
	return Set{ag, list, approvals}, err
}

// Only keeps the baseline of one file.
func (s Set) Only(file string) (Set, error) {
	for _, b := range s.List {
		if string(b.File) == file {
			s.List = []guard.Baseline{b}
			return s, nil
		}
	}
	return s, usererr.Usagef("`tend baseline list` shows them", "%s has no baseline for %s", s.Agent.Name, file)
}

func (s Set) describeBaseline(b guard.Baseline) Row {
	return Row{Agent: s.Agent.Name, File: b.File, Source: b.Source, Owner: s.Agent.Layout.OwnerOf(string(b.File)), State: "approved"}
}

func (s Set) minBytes() int { return policy.BaselineMinBytes.Of(s.Agent.Policy) }

// Rows returns the state of each baseline; with advise also review advice.
func (s Set) Rows(advise bool) ([]Row, error) {
	states := map[string]string{
		finding.BaselineTampered.Code: "tampered", finding.BaselineUnapproved.Code: "unapproved", finding.BaselineMissing.Code: "missing",
		finding.BaselineSmall.Code: "too small", finding.BaselineSignature.Code: "bad signature",
	}
	var rows []Row
	for _, b := range s.List {
		text, found, err := s.Agent.Guard.Check(b, s.Approvals, s.minBytes())
		if err != nil {
			return rows, err
		}
		row := s.describeBaseline(b)
		row.Findings = found
		row.Invited = policy.GuardInvited.Of(s.Agent.Policy) == policy.GuardReport && layout.Invites(text)
		if ap, ok := s.Approvals[b.File]; ok {
			row.Approval = &ap
		}
		if len(found) > 0 {
			row.State = states[found[0].Code]
		}
		if advise && text != nil {
			if _, _, marked := note.FindLine(text, s.Agent.LineOf(string(b.File), text)); marked || row.Owner != layout.Operator {
				row.Findings = append(row.Findings, guard.Advise(b.File, text, s.Agent.Policy)...)
			}
			row.Findings = append(row.Findings, scanFindings(b.File, text)...)
		}
		row.name()
		rows = append(rows, row)
	}
	return rows, nil
}

func (r *Row) name() {
	for i := range r.Findings {
		r.Findings[i].Agent = r.Agent
	}
}

// scanFindings returns what the scan finds in a text that is about to be loaded in every session.
func scanFindings(file vault.Path, text []byte) []finding.Finding {
	kinds := map[scan.Class]finding.Kind{
		scan.Secret: finding.SecretAtRest, scan.Hidden: finding.HiddenText, scan.Injection: finding.InjectionAtRest,
		scan.Exfil: finding.InjectionAtRest,
	}
	var found []finding.Finding
	for _, h := range scan.Text(text, scan.Options{}) {
		found = append(found, kinds[h.Class].In(string(file), "%s: %s", h.Rule, h.Excerpt).AtLine(h.Line))
	}
	return found
}

// ApproveRequest configures an approval.
type ApproveRequest struct {
	By        string
	WholeFile bool // allow baselines without a line for the agent's own files
	Sign      func(manifest []byte) (string, error)
}

// Approve records the texts as they are now. Nothing is approved if one of them is refused.
func (s Set) Approve(req ApproveRequest) ([]Row, error) {
	rows := make([]Row, 0, len(s.List))
	for _, b := range s.List {
		row := s.describeBaseline(b)
		text, err := vault.ReadFile(b.Tree, b.Name)
		if err != nil {
			return nil, explainUnapproved(fmt.Errorf("read baseline %s: %w", b.Source, err))
		}
		if row.Means, err = s.effectOfApproval(b.File, text, req.WholeFile); err != nil {
			return nil, err
		}
		row.Was = s.Approvals[b.File].Version
		row.Findings = scanFindings(b.File, text)
		row.name()
		rows = append(rows, row)
	}
	made, err := s.Agent.Guard.Approve(s.List, req.By, s.minBytes(), req.Sign)
	if err != nil {
		return nil, explainUnapproved(err)
	}
	for i := range made {
		rows[i].Approval = &made[i]
	}
	return rows, nil
}

// effectOfApproval says what an approval changes for the agent if its layout gives the file to the agent.
func (s Set) effectOfApproval(file vault.Path, text []byte, wholeFile bool) (string, error) {
	if s.Agent.Layout.OwnerOf(string(file)) == layout.Operator {
		return "", nil
	}
	_, _, marked := note.FindLine(text, s.Agent.Separator())
	own := s.Agent.Layout.OwnerOf(string(file)) == layout.AgentOwned
	switch {
	case !marked && !wholeFile:
		return "", usererr.Refusef("end the baseline with a line `---` so that notes go below it, or approve it with --whole-file",
			"%s/%s is the agent's to write, and this baseline has no line: everything the agent adds to it would be reverted", s.Agent.Name, file)
	case !marked:
		return fmt.Sprintf("all of %s is the operator's now: what the agent adds to it is reverted", file), nil
	case own:
		return fmt.Sprintf("%s is the operator's above the line now; a reset archives the notes below it", file), nil
	}
	return "", nil
}

// Change is what a command did, or would do, to one baseline.
type Change struct {
	Agent    string        `json:"agent"`
	File     vault.Path    `json:"file"`
	Source   string        `json:"source"`
	SHA256   vault.Version `json:"sha256"`
	State    string        `json:"state"` // unchanged, restored, or what a dry run would do
	Replaced string        `json:"replaced,omitempty"`
	Diff     string        `json:"diff,omitempty"`
	Was, Is  []byte        `json:"-"` // both texts, of a change that waits for its approval
}

// Pending returns the changes that approving would make.
func (s Set) Pending() (changes []Change, err error) {
	for _, b := range s.List {
		text, err := vault.ReadFile(b.Tree, b.Name)
		if err != nil {
			return changes, explainUnapproved(fmt.Errorf("read baseline %s: %w", b.Source, err))
		}
		var was []byte
		c := Change{Agent: s.Agent.Name, File: b.File, Source: b.Source, SHA256: vault.VersionOf(text), State: "would be approved"}
		if ap, ok := s.Approvals[b.File]; ok {
			if was, err = s.Agent.Guard.Approved(ap); err != nil {
				return changes, err
			}
			if ap.Version == c.SHA256 {
				c.State = "unchanged"
			}
		}
		c.Diff, c.Was, c.Is = udiff.Unified("approved", b.Source, string(was), string(text)), was, text
		changes = append(changes, c)
	}
	return changes, nil
}

// Restore restores the approved texts. The replaced texts are kept.
func (s Set) Restore(dryRun bool) (changes []Change, err error) {
	for _, b := range s.List {
		ap, ok := s.Approvals[b.File]
		if !ok {
			return changes, usererr.Refusef("`tend baseline approve "+s.Agent.Name+"` approves what is there",
				"%s of %s was never approved, so there is nothing to restore", b.File, s.Agent.Name)
		}
		c, err := s.restoreSource(b, ap, dryRun)
		if err != nil {
			return changes, err
		}
		changes = append(changes, c)
	}
	return changes, nil
}

func (s Set) restoreSource(b guard.Baseline, ap guard.Approval, dryRun bool) (Change, error) {
	c := Change{Agent: s.Agent.Name, File: b.File, Source: b.Source, SHA256: ap.Version, State: "unchanged"}
	text, err := s.Agent.Guard.Approved(ap)
	if err != nil {
		return c, err
	}
	now, err := vault.ReadFile(b.Tree, b.Name)
	if err == nil && vault.VersionOf(now) == ap.Version {
		return c, nil
	}
	c.Diff = udiff.Unified(b.Source, "approved", string(now), string(text))
	if dryRun {
		c.State = "would be restored"
		return c, nil
	}
	locked, _ := guard.Locked(b.Source)
	if locked {
		if err := guard.Lock(b.Source, false); err != nil {
			return c, err
		}
	}
	if b, err = s.Agent.Baselines.WithFolder(b); err != nil {
		return c, err
	}
	if c.Replaced, err = s.Agent.Guard.Restore(b, ap); err != nil {
		return c, err
	}
	c.State = "restored"
	if locked {
		err = guard.Lock(b.Source, true)
	}
	return c, err
}

// explainUnapproved says what to do about a baseline that cannot be approved.
func explainUnapproved(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &usererr.Error{Code: usererr.CodeRefused, Err: err,
			Hint: "restore the approved text with `tend baseline restore`, write the file, or correct its path in tend.yaml"}
	case errors.Is(err, guard.ErrSmall):
		return &usererr.Error{Code: usererr.CodeRefused, Err: err,
			Hint: "write it in full (docs/baselines.md says what belongs in it), or lower baseline.min_bytes in the policy"}
	}
	return err
}

// OperatorName returns the name of the user the program runs as.
func OperatorName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "operator"
}
