// Package recall finds entries of an agent's memory by ranked search, from an index that is derived from the files and never stored.
//
// An [Index] holds documents made of units (entries and sections). [Index.Put] and [Index.Remove] keep it current,
// [Index.Search] answers queries; all may be called at once. The index keeps no text: snippets come from the
// caller's [Source], so what is shown is what the file says now.
//
// Ranking is BM25F per unit, read together with its neighbours, its section and its whole file, because an entry
// rarely repeats the words above it. Every hit explains its score as a sum of parts. On request a statement
// ranks above the older ones that it replaced, see current.go.
package recall
