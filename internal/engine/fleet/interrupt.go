package fleet

import "context"

// Interruptible computes something that only reads, and returns as soon as nobody wants it any more: a person pressed
// Ctrl-C, the keeper's time for the agent is over, a client has left. What is still being computed then is thrown away.
func Interruptible[T any](ctx context.Context, compute func() T) (T, error) {
	type result struct {
		value T
		panic any
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			r.panic = recover() // the caller's to report
			done <- r
		}()
		r.value = compute()
	}()
	select {
	case r := <-done:
		if r.panic != nil {
			panic(r.panic)
		}
		if ctx.Err() == nil { // otherwise it may have ended early
			return r.value, nil
		}
	case <-ctx.Done():
	}
	var none T
	return none, context.Cause(ctx)
}
