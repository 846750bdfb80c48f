package policy

import "slices"

// Above reports whether a level allows more than another.
func (l AutomationLevel) Above(other AutomationLevel) bool {
	levels := []AutomationLevel{AutomationOff, AutomationMaintain, AutomationCurate}
	return slices.Index(levels, l) > slices.Index(levels, other)
}
