package dial

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"tend/internal/sync/store"
	"tend/internal/sync/store/sealed"
)

var (
	// ErrNoStore: there is no store at this address.
	ErrNoStore = errors.New("there is no store at this address")
	// ErrIsStore: there is a store at this address.
	ErrIsStore = errors.New("there already is a store at this address")
	// ErrSyncing: the operation needs a store in which exactly one of several writers wins, and this one is in a
	// folder that is copied between machines.
	ErrSyncing = errors.New("the store is in a syncing folder")
	// ErrWrongKey: the key does not belong to the store.
	ErrWrongKey = errors.New("the key does not open this store")
)

// Settings describe where a store is and how to open it.
type Settings struct {
	URL, Endpoint, Region string
	PathStyle             bool
	KeyFile               string // "" for a store in plain text
	// Syncing: Init creates a store for a folder that a program copies between machines.
	Syncing bool
}

// Address returns the URL with the other settings in it.
func (s Settings) Address() string {
	if !strings.HasPrefix(s.URL, "s3://") {
		return s.URL
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return s.URL
	}
	q := u.Query()
	for name, value := range map[string]string{"endpoint": s.Endpoint, "region": s.Region} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if s.PathStyle {
		q.Set("path_style", "true")
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// key reads the key file, if there is one.
func (s Settings) key() (*sealed.Key, error) {
	if s.KeyFile == "" {
		return nil, nil
	}
	text, err := os.ReadFile(s.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("read the store's key: %w", err)
	}
	k, err := sealed.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.KeyFile, err)
	}
	return &k, nil
}

// Connected is an open store.
type Connected struct {
	store.Store
	ID     string
	Sealed bool
	// Syncing: each machine writes its own journal, see package machines.
	Syncing bool
	close   func() error

	mu        sync.Mutex
	confirmed map[string]confirmed
}

// confirmed is the entry that a journal was seen to end with, and when.
type confirmed struct {
	entry uint64
	at    time.Time
}

// trust is how long the last confirmation of a journal is valid.
const trust = 5 * time.Minute

// Trusted returns the entry that an agent's journal was seen to end with, if that was recent.
func (c *Connected) Trusted(agent string) (entry uint64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last, ok := c.confirmed[agent]
	now := time.Now()
	wall := now.Round(0).Sub(last.at.Round(0)) // counts the time that a machine slept
	return last.entry, ok && now.Sub(last.at) < trust && wall >= 0 && wall < trust
}

// Confirmed records that it was seen to end with an entry.
func (c *Connected) Confirmed(agent string, entry uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.confirmed == nil {
		c.confirmed = map[string]confirmed{}
	}
	c.confirmed[agent] = confirmed{entry, time.Now()}
}

// Close closes the store.
func (c *Connected) Close() error { return c.close() }

// Check tests whether the store gives the guarantees Tend depends on.
func (c *Connected) Check(ctx context.Context) error {
	if c.Syncing {
		return store.CheckPlain(ctx, c.Store)
	}
	return store.Check(ctx, c.Store)
}

// about is the object that makes a place a store.
type about struct {
	Format int       `json:"format"`
	ID     string    `json:"id"`
	Sealed string    `json:"sealed,omitempty"` // id of the key, "" for plain text
	Made   time.Time `json:"made"`
	// Syncing: each machine has its own journal. Format is then 2, so that a Tend without support for it refuses the
	// store.
	Syncing bool `json:"syncing,omitempty"`
}

const aboutKey = "store.json"

// Connect opens the store that Init created at an address.
func Connect(ctx context.Context, set Settings) (*Connected, error) {
	key, err := set.key()
	if err != nil {
		return nil, err
	}
	s, done, err := Open(set.Address(), false)
	if err != nil {
		return nil, err
	}
	c, err := connect(ctx, s, key)
	if err != nil {
		return nil, errors.Join(err, done())
	}
	c.close = done
	return c, nil
}

func connect(ctx context.Context, s store.Store, key *sealed.Key) (*Connected, error) {
	data, err := s.Get(ctx, aboutKey)
	if errors.Is(err, store.ErrAbsent) {
		return nil, fmt.Errorf("%s: %w", s.Name(), ErrNoStore)
	}
	if err != nil {
		return nil, err
	}
	var a about
	switch err := json.Unmarshal(data, &a); {
	case err != nil || a.ID == "":
		return nil, fmt.Errorf("%s: %s cannot be read: %w", s.Name(), aboutKey, errors.Join(err, ErrNoStore))
	case a.Format != 1 && a.Format != 2, a.Syncing != (a.Format == 2):
		return nil, fmt.Errorf("%s: the store has format %d, this Tend reads 1 and 2", s.Name(), a.Format)
	case a.Sealed != "" && key == nil:
		return nil, fmt.Errorf("%s: %w: it is sealed with key %s, and store.key_file is not set", s.Name(), ErrWrongKey, a.Sealed)
	case a.Sealed == "" && key != nil:
		return nil, fmt.Errorf("%s: %w: store.key_file is set, but the store says that it is in plain text", s.Name(), ErrWrongKey)
	case key != nil && a.Sealed != key.ID():
		return nil, fmt.Errorf("%s: %w: it is sealed with key %s, this is %s", s.Name(), ErrWrongKey, a.Sealed, key.ID())
	}
	c := &Connected{Store: s, ID: a.ID, Sealed: key != nil, Syncing: a.Syncing, close: func() error { return nil }}
	if key != nil {
		c.Store = sealed.New(s, *key, a.ID)
	}
	return c, nil
}

// Init makes a place a store, after testing it against the contract.
func Init(ctx context.Context, set Settings, now time.Time) (*Connected, error) {
	key, err := set.key()
	if err != nil {
		return nil, err
	}
	if set.Syncing && strings.HasPrefix(set.URL, "s3://") {
		return nil, fmt.Errorf("%q is %w: only a folder can be a syncing one", set.URL, ErrAddress)
	}
	s, done, err := Open(set.Address(), true)
	if err != nil {
		return nil, err
	}
	c, err := initStore(ctx, s, key, now, set.Syncing)
	if err != nil {
		return nil, errors.Join(err, done())
	}
	c.close = done
	return c, nil
}

func initStore(ctx context.Context, s store.Store, key *sealed.Key, now time.Time, syncing bool) (*Connected, error) {
	if _, err := s.Get(ctx, aboutKey); err == nil {
		return nil, fmt.Errorf("%s: %w", s.Name(), ErrIsStore)
	} else if !errors.Is(err, store.ErrAbsent) {
		return nil, err
	}
	if err := (&Connected{Store: s, Syncing: syncing}).Check(ctx); err != nil {
		return nil, err
	}
	a, create := about{Format: 1, ID: strings.ToLower(rand.Text()[:16]), Made: now.UTC()}, s.Create
	if syncing {
		a.Format, a.Syncing, create = 2, true, s.Put
	}
	if key != nil {
		a.Sealed = key.ID()
	}
	data, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	if err := create(ctx, aboutKey, data); err != nil && !errors.Is(err, store.ErrUnclear) && !errors.Is(err, store.ErrExists) {
		return nil, err
	}
	c, err := connect(ctx, s, key) // reads what is there now
	if err == nil && c.ID != a.ID {
		return nil, fmt.Errorf("%s: %w", s.Name(), ErrIsStore)
	}
	return c, err
}
