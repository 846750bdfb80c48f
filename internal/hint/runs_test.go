package hint

import (
	"fmt"
	"testing"
	"time"
)

// TestEnded: runs that did something are kept one by one, others of a day are counted together, and the list is bounded.
func TestEnded(t *testing.T) {
	at := time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)
	var list []Ended
	for i := range 30 {
		list = ended(list, Ended{At: at.Add(time.Duration(i) * time.Hour), Outcome: "unchanged"})
	}
	if len(list) != 2 || list[0].Times != 16 || list[1].Times != 14 || !list[1].At.Equal(at.Add(29*time.Hour)) {
		t.Errorf("30 hours without a change: %+v", list)
	}
	list = ended(list, Ended{At: at, Outcome: "changed", Action: "a1"})
	list = ended(list, Ended{At: at, Outcome: "changed", Action: "a2"})
	list = ended(list, Ended{At: at, Outcome: "failed", Error: "no disk"})
	list = ended(list, Ended{At: at, Outcome: "failed", Error: "no host"})
	if len(list) != 6 {
		t.Errorf("changes and different failures: %+v", list)
	}
	for i := range 100 {
		list = ended(list, Ended{At: at, Outcome: "changed", Action: fmt.Sprint(i)})
	}
	if len(list) != historyMost || list[historyMost-1].Action != "99" {
		t.Errorf("%d runs are kept, the last one is %+v", len(list), list[len(list)-1])
	}
}
