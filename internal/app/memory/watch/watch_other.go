//go:build !linux

package watch

// Watch cannot be had on this system.
type Watch struct{}

// New always fails here.
func New(string) (*Watch, error) { return nil, ErrUnsupported }

// Add does nothing.
func (*Watch) Add(string) error { return ErrUnsupported }

// Changed knows nothing.
func (*Watch) Changed() (Changes, error) { return Changes{All: true}, nil }

// Wait cannot wait.
func (*Watch) Wait() error { return ErrUnsupported }

// Close has nothing to close.
func (*Watch) Close() error { return nil }
