// Package confedit edits JSON, TOML, YAML and marked blocks in place: everything else stays as its owner wrote it, to
// the byte, including comments.
//
// Nothing here reads or writes files. Callers parse the result again and compare its meaning, since an unusually
// written text may have no safe place for the edit.
package confedit
