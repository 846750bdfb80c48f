package loadviewtest

// source is a random number generator of our own: stored vectors must not depend on a library's.
type source struct{ state uint64 }

func (s *source) next() uint64 {
	s.state += 0x9E3779B97F4A7C15
	z := s.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// upTo returns a number from 0 to n-1.
func (s *source) upTo(n int) int {
	if n <= 0 {
		return 0
	}
	return int(s.next() >> 1 % uint64(n))
}

// chance is true in so many percent of cases.
func (s *source) chance(percent int) bool { return s.upTo(100) < percent }

func pick[T any](s *source, options ...T) T { return options[s.upTo(len(options))] }
