// Package watch reports what changed in a folder since the last call,
// without looking at every file.
//
// A Watch may be asked at any moment and then knows every change that was
// complete before: on Linux the kernel has queued the event before the writer's
// call returns, and the queue is read on the spot. That is why it is asked, and
// not merely listened to.
package watch

import "errors"

// ErrUnsupported: this system or this folder cannot be watched. To find
// out what changed, look at all of it.
var ErrUnsupported = errors.New("cannot be watched")

// Changes is what happened since the last question.
type Changes struct {
	// Names of files that were made, written, renamed or removed, relative to
	// the folder, in no order.
	Names map[string]bool
	// All: something happened that names do not tell, such as a folder that was
	// moved, or more events than the kernel keeps. Anything may have changed.
	All bool
}

// Any reports whether anything happened.
func (c Changes) Any() bool { return c.All || len(c.Names) > 0 }

func (c *Changes) name(s string) {
	if c.Names == nil {
		c.Names = map[string]bool{}
	}
	c.Names[s] = true
}
