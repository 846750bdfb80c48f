package recall

import "time"

// day counts civil days from 1970-01-01; noDay says that nothing is dated.
type day int32

const noDay day = -1 << 31

func dayOf(t time.Time) day {
	if t.IsZero() {
		return noDay
	}
	y, m, d := t.Date()
	return civil(y, m, d)
}

func civil(y int, m time.Month, d int) day {
	return day(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// time gives the day's midnight in UTC, or the zero time.
func (d day) time() time.Time {
	if d == noDay {
		return time.Time{}
	}
	return time.Unix(int64(d)*86400, 0).UTC()
}
