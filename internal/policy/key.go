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

// Key names one value of type T in a Policy.
type Key[T any] struct {
	info    Info // without Default and Accepts
	def     T
	accept  func(any) (T, error)
	accepts func() string // what accept takes, in words
	format  func(T) string
	clone   func(T) T // nil when T holds no reference
}

// Of reads the key from p: what was set, else the default.
func (k Key[T]) Of(p Policy) T {
	v := k.def
	if s, ok := p.set[k.info.Name]; ok {
		v = s.value.(T)
	}
	if k.clone != nil {
		v = k.clone(v)
	}
	return v
}

// Name is the key as written in configuration, such as "hot.max_lines".
func (k Key[T]) Name() string { return k.info.Name }

// Info describes the key. What it takes and its default are put into words only here: every command would pay for them
// when it starts.
func (k Key[T]) Info() Info {
	i := k.info
	i.Default, i.Accepts = k.format(k.def), k.accepts()
	return i
}

// Text is the value in p as a person would write it.
func (k Key[T]) Text(p Policy) string { return k.format(k.Of(p)) }

func (k Key[T]) parse(v any) (any, error) { return k.accept(v) }

func (k Key[T]) text(v any) string { return k.format(v.(T)) }

// key is a Key of any type.
type key interface {
	Name() string
	Info() Info
	parse(any) (any, error)
	text(any) string
}

// doc is what every key must say about itself.
type doc struct{ help, origin string }

func (d doc) info(name string, unit Unit) Info {
	return Info{Name: name, Unit: unit, Help: d.help, Origin: d.origin}
}
