// Package actid generates and parses the ids of actions: short strings that sort by time.
package actid

import (
	"crypto/rand"
	"encoding/binary"
	"time"
)

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// epoch keeps ids short: ten characters hold 34 years in steps of 1/32 s, and 15 random bits.
var epoch = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// lastTick is the latest time an id can hold. The ids above it are left for counting on
// after a clock that was decades wrong.
const lastTick = 1<<35 - 1<<20

// maxTick is the highest tick of a valid id; it leaves room above lastTick.
const maxTick = 1<<35 - 1<<19

// New returns an id in the format of action ids.
func New(now time.Time) string { return Next(now, "") }

// Next returns a new id that sorts after last, even if the clock went back. The distance is
// random, so that two machines that continue one ledger do not choose the same id.
func Next(now time.Time, last string) string {
	var r [2]byte
	_, _ = rand.Read(r[:])
	t := min(uint64(max(0, now.Sub(epoch)/(time.Second/32))), lastTick)
	n := t<<15 | uint64(binary.LittleEndian.Uint16(r[:])&0x7fff)
	if prev, ok := parse(last); ok && n <= prev {
		n = prev + 1 + n&0x7fff
	}
	var b [10]byte
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = alphabet[n&31]
		n >>= 5
	}
	return string(b[:])
}

func parse(s string) (uint64, bool) {
	if len(s) != 10 {
		return 0, false
	}
	var n uint64
	for i := range len(s) {
		d := -1
		for j := range len(alphabet) {
			if alphabet[j] == s[i] {
				d = j
				break
			}
		}
		if d < 0 {
			return 0, false
		}
		n = n<<5 | uint64(d)
	}
	return n, true
}

// Valid reports whether s looks like an action's id.
func Valid(s string) bool {
	_, ok := parse(s)
	return ok
}

// TimeOf returns when an id was generated.
func TimeOf(id string) time.Time {
	n, _ := parse(id)
	return epoch.Add(time.Duration(n>>15) * (time.Second / 32))
}

// Room reports whether ids after this one are left; a clock that is decades wrong may have
// used them up.
func Room(id string) bool {
	n, _ := parse(id)
	return n>>15 <= maxTick
}
