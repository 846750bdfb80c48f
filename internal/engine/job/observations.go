package job

import (
	"fmt"
	"sort"

	"tend/internal/disk/vault"
	"tend/internal/model/finding"
	"tend/internal/model/policy"
	"tend/internal/text/layout"
	"tend/internal/text/note"
)

// pruneObservations trims observations above their limit: untagged ones go, oldest first,
// once they are as old as observations.zero_tag_age.
func (d *draft) pruneObservations() string {
	path := d.Sole(layout.Observations)
	doc := d.File(path)
	most := policy.ObservationsMaxLines.Of(d.Policy)
	if doc.Version == vault.Absent || most == 0 || note.Lines(doc.Data) <= most {
		return ""
	}
	age := policy.ObservationsZeroTagAge.Of(d.Policy)
	text := d.Parse(doc)
	var list []leaver
	for _, e := range d.veterans(doc, text) {
		if len(e.Tags) == 0 && e.Task != note.OpenTask && age > 0 && d.Today().Sub(d.since(doc, e)) >= days(age) {
			list = append(list, leaver{Entry: e, why: "an old observation without a tag"})
		}
	}
	target := policy.ObservationsTrimTo.Of(d.Policy)
	list = list[:sort.Search(len(list), func(k int) bool { return note.Lines(without(text, list[:k])) <= target })]
	d.apply(path, text, list)
	after := note.Lines(d.File(path).Data)
	if after > target {
		d.find(finding.ObservationsOver.In(string(path), "%d lines, the target is %d: what is tagged or younger than %s stays", after, target,
			age))
	}
	return fmt.Sprintf("%s %d → %d lines", path, note.Lines(doc.Data), after)
}
