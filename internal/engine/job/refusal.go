package job

import "tend/internal/disk/vault"

// Refusal is why something was not written, and what to do about it. Nothing was changed.
type Refusal struct {
	Why, Try string
	Usage    bool     // the request makes no sense, rather than being unsafe
	Rules    []string // of the scan, if that is the reason
	OwnTool  bool     // the harness accepts the change only from its agent's own tools
}

func (r *Refusal) Error() string { return r.Why }

// Unwrap makes a refusal for safety one of the vault's.
func (r *Refusal) Unwrap() error {
	if r.Usage {
		return nil
	}
	return vault.ErrRefused
}
