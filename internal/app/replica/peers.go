package replica

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"path"
	"sync"
	"time"

	"tend/internal/sync/store"
)

// beatEvery is how often a replica sends a heartbeat, and silentAfter when the others consider it dead. Both are
// measured by each replica's own clock.
const beatEvery, silentAfter = 4 * time.Second, 14 * time.Second

// forgetAfter is when the heartbeat of a dead replica is removed.
const forgetAfter = 10 * time.Minute

// Peer is a replica's heartbeat.
type Peer struct {
	ID      string    `json:"id"`
	Beat    uint64    `json:"beat"` // increases
	Host    string    `json:"host"`
	Version string    `json:"version,omitempty"`
	Began   time.Time `json:"began"`
	Fleet   uint64    `json:"fleet,omitempty"` // the newest entry of the fleet's journal that it has seen
}

func peerKey(id string) string { return path.Join("replicas", id) }

// peers are the replicas known to be alive.
type peers struct {
	self  string
	every time.Duration
	after time.Duration

	mu     sync.Mutex
	seen   map[string]sighting
	live   []string // with self
	newest uint64   // entry of the fleet's journal that any replica has seen, alive or not
}

type sighting struct {
	beat  uint64
	since time.Time // when the beat was first seen, by this replica's clock
}

func newPeers(self string) *peers {
	return &peers{self: self, every: beatEvery, after: silentAfter, seen: map[string]sighting{}, live: []string{self}}
}

// readAlive reads which other replicas are alive.
func (p *peers) readAlive(ctx context.Context, s store.Store) error {
	list, err := s.List(ctx, "replicas/")
	if err != nil {
		return err
	}
	now := map[string]sighting{}
	live := []string{p.self}
	newest := uint64(0)
	for _, o := range list {
		id := path.Base(o.Key)
		if id == p.self {
			continue
		}
		data, err := s.Get(ctx, o.Key)
		if err != nil {
			continue // it was just removed
		}
		var other Peer
		if json.Unmarshal(data, &other) != nil {
			continue
		}
		newest = max(newest, other.Fleet)
		p.mu.Lock()
		at, known := p.seen[id]
		p.mu.Unlock()
		if !known || at.beat != other.Beat {
			at = sighting{other.Beat, time.Now()}
		}
		now[id] = at
		switch age := time.Since(at.since); {
		case age < p.after:
			live = append(live, id)
		case age > forgetAfter:
			_ = s.Delete(ctx, o.Key) // another replica does it otherwise
		}
	}
	p.mu.Lock()
	p.seen, p.live, p.newest = now, live, max(p.newest, newest)
	p.mu.Unlock()
	return nil
}

// ownerOf returns the live replica that runs an agent's jobs: the one whose name has the highest hash together with the
// agent's. When one dies, only its agents move.
func (p *peers) ownerOf(agent string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	best, highest := "", uint64(0)
	for _, id := range p.live {
		h := fnv.New64a()
		_, _ = h.Write([]byte(id + "\x00" + agent))
		n := mixBits(h.Sum64())
		if best == "" || n > highest || (n == highest && id < best) {
			best, highest = id, n
		}
	}
	return best
}

// mixBits spreads a hash: FNV's high bits hardly depend on its last bytes.
func mixBits(n uint64) uint64 {
	n ^= n >> 33
	n *= 0xff51afd7ed558ccd
	n ^= n >> 33
	n *= 0xc4ceb9fe1a85ec53
	return n ^ n>>33
}

// newestFleetEntry returns the newest entry of the fleet's journal that any replica has seen.
func (p *peers) newestFleetEntry() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.newest
}

// count returns how many replicas are alive.
func (p *peers) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.live)
}
