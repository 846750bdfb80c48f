// Package splice edits JSON, TOML, YAML and marked blocks in place: what is not edited stays as its owner wrote it, to the
// byte, comments included.
//
// Nothing here reads or writes files. Callers read the result again and compare its meaning, since a text that is written in
// an unusual way may have no place that is safe.
package splice
