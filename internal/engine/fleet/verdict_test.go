package fleet

import (
	"testing"

	"tend/internal/engine/job/audit"
	"tend/internal/model/finding"
	"tend/internal/state/findinglog"
)

// TestWhatACheckNoticedIsShownAsItIsNow: a notice of the last check has the numbers of this one, and goes with what it was about.
func TestWhatACheckNoticedIsShownAsItIsNow(t *testing.T) {
	cut := finding.PreviewLoss.In("MEMORY.md", "100 of 20000 characters are not shown")
	now := finding.PreviewLoss.In("MEMORY.md", "900 of 20800 characters are not shown")
	gone := finding.SecretAtRest.In("TOOLS.md", "a key")
	drift := finding.ZoneRestored.In("SOUL.md", "it was changed")
	st := State{Status: Status{Enabled: true}, Notices: []findinglog.Notice{
		{Finding: cut, Source: "audit"}, {Finding: gone, Source: "audit"}, {Finding: drift, Source: "zone"},
	}}
	st.AddExamination(Examination{Report: audit.Report{
		{Check: cut.Code, Result: audit.Flag, Findings: []finding.Finding{now}}, {Check: gone.Code, Result: audit.Pass},
	}})
	var texts []string
	for _, n := range st.Notices {
		texts = append(texts, n.Text)
	}
	if len(texts) != 2 || texts[0] != now.Text || texts[1] != drift.Text {
		t.Errorf("noticed: %q", texts)
	}
	if got := st.Wanting(); len(got) != 2 {
		t.Errorf("wanting: %v, want each once", got)
	}
	if v := st.Verdict(); v.Word != now.Code {
		t.Errorf("the verdict is %s", v.Word)
	}
}
