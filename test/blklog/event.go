//go:build linux

package blklog

type eventKind uint8

const (
	writeEvent eventKind = iota + 1
	flushEvent
	ackEvent
	// beginEvent is where the workload starts: all before it is taken as durable.
	beginEvent
)

// event is one entry of the log, in the order in which the disk saw them.
// Fields are exported for gob.
type event struct {
	Kind  eventKind
	Off   int64
	Data  []byte
	Label string
}
