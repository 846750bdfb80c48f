// Package search finds entries of an agent's memory by ranked search, from an index that is derived from the files and never stored.
//
// An [Index] holds documents made of units (entries and sections). [Index.Put] and [Index.Remove] keep it current,
// [Index.Search] answers queries; all may be called at once. The index keeps no text: snippets come from the
// caller's [Source], so what is shown is what the file says now.
//
// Notes are ranked by BM25F per unit: its words, its label, the headings above it and its file. In a conversation a unit
// is read together with its neighbours, because an answer rarely repeats the words of the question. Every hit explains its
// score as a sum of parts. On request a hit that a newer one replaced says so, see current.go.
package search
