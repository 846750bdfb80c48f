package fleet

import (
	"context"
	"errors"
	"testing"
)

func TestNobodyWaitsForWhatNobodyWants(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	began, never := make(chan struct{}), make(chan struct{})
	go func() {
		<-began
		cancel()
	}()
	_, err := Interruptible(ctx, func() int {
		close(began)
		<-never
		return 1
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	close(never)

	if got, err := Interruptible(t.Context(), func() int { return 2 }); got != 2 || err != nil {
		t.Errorf("%d, %v", got, err)
	}

	defer func() {
		if recover() != "broken" {
			t.Error("a panic did not reach the caller")
		}
	}()
	_, _ = Interruptible(t.Context(), func() int { panic("broken") })
}
