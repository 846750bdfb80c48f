// Package transfer moves an agent: it packs one with all its data into a file, unpacks that elsewhere, and recognises a
// moved workspace by its contents.
package transfer

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"tend/internal/disk/vault"
)

// format is the version of the file.
const format = 1

// Manifest describes a packed agent. It comes first in the file, and every other part is checked against it before
// anything is put in place.
type Manifest struct {
	Format    int        `json:"format"`
	Tend      string     `json:"tend"`
	Made      time.Time  `json:"made"`
	Agent     Agent      `json:"agent"`
	Files     []Entry    `json:"files"`
	Baselines []Baseline `json:"baselines,omitempty"`
}

// Agent is the agent's own part of tend.yaml.
type Agent struct {
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	Disabled    bool      `json:"disabled,omitempty"`
	Layout      string    `json:"layout"`
	Timezone    string    `json:"timezone"`
	Policy      []Setting `json:"policy,omitempty"`
	Workspace   string    `json:"workspace"` // where it was
	// LayoutText is the layout itself if it is one of the operator's own.
	LayoutText string `json:"layout_text,omitempty"`
	NoTools    bool   `json:"no_tools,omitempty"` // the MCP server offers no memory tools
}

// Setting is a policy value that was set by hand.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Baseline is the operator's text for one file.
type Baseline struct {
	File string `json:"file"` // in the workspace
	Name string `json:"name"` // in the package
}

// Entry is one file in the package.
type Entry struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	Mode   uint32 `json:"mode"`
	SHA256 string `json:"sha256"`
}

// The parts of a package.
const (
	partRecords   = "agents/"    // the ledger and the files beside it
	partApproved  = "approved/"  // approvals and the approved texts
	partTrash     = "trash/"     // what was displaced
	partArchive   = "archive/"   // archived notes
	partBaselines = "baselines/" // the operator's texts
	partWorkspace = "workspace/" // the memory itself
)

// MemoryPart is the folder that the memory was unpacked to.
const MemoryPart = "workspace"

// folderOf returns where a part was unpacked to.
func folderOf(part string) string { return strings.TrimSuffix(part, "/") }

var parts = []string{partRecords, partApproved, partTrash, partArchive, partBaselines, partWorkspace}

// ErrDamaged: a package does not match its manifest.
var ErrDamaged = errors.New("the package is damaged")

// ErrNoRoom: a package is larger than the free space.
var ErrNoRoom = errors.New("not enough free space")

func damagedError(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// maxPackage bounds the unpacked size of a package, and maxFiles the number of files.
const (
	maxPackage = 1 << 36
	maxFiles   = 1 << 19
)

// check refuses a manifest with names outside the parts, or duplicates.
func (m Manifest) check() error {
	if m.Format != format {
		return fmt.Errorf("the package has format %d, this Tend reads %d", m.Format, format)
	}
	if len(m.Files) > maxFiles {
		return damagedError("its manifest lists %d files", len(m.Files))
	}
	seen, folded := make(map[string]bool, len(m.Files)), make(map[string]string, len(m.Files))
	var total int64
	for _, e := range m.Files {
		if err := checkName(e.Name); err != nil {
			return err
		}
		if seen[e.Name] || e.Size < 0 {
			return damagedError("%q is listed twice or has no valid size", e.Name)
		}
		seen[e.Name] = true
		if err := errors.Join(checkPath(e.Name), checkCase(folded, e.Name)); err != nil {
			return err
		}
		if e.Size > maxPackage {
			return damagedError("%q claims more than %d bytes", e.Name, int64(maxPackage))
		}
		total += e.Size
		if total > maxPackage {
			return damagedError("it claims more than %d bytes", int64(maxPackage))
		}
	}
	for _, b := range m.Baselines {
		if !seen[b.Name] || !strings.HasPrefix(b.Name, partBaselines) {
			return damagedError("the baseline of %s is missing", b.File)
		}
	}
	return nil
}

// checkName refuses a name that is not below one of the parts: ".." in it, an absolute path, an odd spelling.
func checkName(name string) error {
	ok := name == path.Clean(name) && !path.IsAbs(name) && !strings.ContainsAny(name, "\\\x00") && utf8.ValidString(name) && len(name) < 4096
	inPart := slices.ContainsFunc(parts, func(part string) bool { return strings.HasPrefix(name, part) && len(name) > len(part) })
	if !ok || !inPart {
		return damagedError("%q is not a valid name in a package", name)
	}
	return nil
}

func digestOf(data []byte) string { return string(vault.VersionOf(data)) }
