package policy

// Unit says what a value counts.
type Unit string

// The units. Lines are counted as an editor shows them, bytes on disk, chars as the layout's harness counts them.
const (
	Lines    Unit = "lines"
	Bytes    Unit = "bytes"
	Chars    Unit = "chars"
	Tokens   Unit = "tokens"
	Count    Unit = "count"
	Time     Unit = "duration"
	Fraction Unit = "fraction"
	Factor   Unit = "factor"
	Enum     Unit = "enum"
	List     Unit = "list"
	Text     Unit = "text"
	Schedule Unit = "schedule"
)

// Key names one value of type T in a Policy. It is plain data that the compiler lays out, so keys cost nothing at a
// program's start.
type Key[T any] struct {
	name    string
	unit    Unit
	def     T
	span    span // of a number
	options []T  // of a choice
	doc     doc
	kind    *kind[T]
}

// kind is what keys of one kind have in common.
type kind[T any] struct {
	accept  func(Key[T], any) (T, error)
	accepts func(Key[T]) string // what accept allows, in words
	format  func(Key[T], T) string
	clone   func(T) T // nil if T has no references
}

// Of returns the key's value in p, or else the protocol's, or else the default.
func (k Key[T]) Of(p Policy) T {
	v := k.def
	if s, ok := p.set[k.name]; ok {
		v = s.value.(T)
	} else if implied, ok := p.impliedValue(k.name).(T); ok {
		v = implied
	}
	if k.kind.clone != nil {
		v = k.kind.clone(v)
	}
	return v
}

// Name is the key as in the configuration, such as "hot.max_lines".
func (k Key[T]) Name() string { return k.name }

// Info describes the key.
func (k Key[T]) Info() Info {
	return Info{
		Name: k.name, Unit: k.unit, Default: k.text(k.def), Accepts: k.kind.accepts(k),
		Help: k.doc.help, Origin: k.doc.origin,
	}
}

// Text is the value in p as people write it.
func (k Key[T]) Text(p Policy) string { return k.text(k.Of(p)) }

func (k Key[T]) parse(v any) (any, error) { return k.kind.accept(k, v) }

func (k Key[T]) text(v any) string { return k.kind.format(k, v.(T)) }

// key is a Key of any type.
type key interface {
	Name() string
	Info() Info
	parse(any) (any, error)
	text(any) string
}

// doc is the documentation that every key must have.
type doc struct{ help, origin string }
