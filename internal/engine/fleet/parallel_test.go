package fleet

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestGather: a call that does not end in time gets the result of late and holds up no other; the end of the context
// ends all.
func TestGather(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := make(chan struct{})
		do := func(i int) string {
			if i == 1 {
				<-stuck
			}
			return "done"
		}
		late := func(_ int, err error) string { return err.Error() }
		got := gatherResults(t.Context(), 4, 1, time.Minute, do, late)
		if want := []string{"done", context.DeadlineExceeded.Error(), "done", "done"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(errors.New("stopped")) })
		got = gatherResults(ctx, 3, 1, 0, do, late)
		if want := []string{"done", context.Canceled.Error(), context.Canceled.Error()}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := gatherResults(t.Context(), 0, 2, time.Minute, do, late); len(got) != 0 {
			t.Errorf("got %q for nothing", got)
		}
		close(stuck)
	})
}
