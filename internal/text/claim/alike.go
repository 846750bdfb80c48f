package claim

import (
	"path"
	"slices"
	"strings"
)

// sameAttribute reports whether two claims name the attribute of one person or thing in their own words: "Ann's phone",
// "new number for Ann at the office".
func sameAttribute(x, y Claim) bool {
	if otherSort(x.Subject, y.Subject) || x.Kind == Count || x.Kind == Name {
		return false
	}
	named := func(c Claim) bool {
		return slices.ContainsFunc(c.Subject.Weak, func(w string) bool { return words().names(c.Kind, w) || words().attrOf[c.Kind][w] }) ||
			slices.ContainsFunc(c.Subject.Strong, func(w string) bool { return words().attrOf[c.Kind][w] })
	}
	who := common(x.Subject.Strong, y.Subject.Strong)
	return slices.ContainsFunc(who, func(w string) bool { return slices.Contains(x.Subject.Names, w) || slices.Contains(y.Subject.Names, w) }) && named(x) && named(y)
}

// sameNumber reports whether two claims number the same of one thing: "Ann's line is extension 12", "Ann is on extension 21".
func sameNumber(x, y Claim) bool {
	named := slices.ContainsFunc(common(x.Subject.Names, y.Subject.Names), func(w string) bool { return w != x.Attr })
	return x.Kind == Number && x.Attr != "" && x.Attr == y.Attr && named && !otherSort(x.Subject, y.Subject)
}

// moved reports whether a path ends like another one elsewhere: /srv/photos, /volume1/photos.
func moved(x, y Claim) bool {
	if x.Kind != Path || y.Kind != Path || otherSort(x.Subject, y.Subject) {
		return false
	}
	a, b := path.Base(x.Value()), path.Base(y.Value())
	return a == b && len(a) > 3 && (len(common(x.Subject.Strong, y.Subject.Strong)) > 0 || len(common(x.Theme, y.Theme)) > 0)
}

// sameAuthority reports whether both claims say what the writer may spend.
func sameAuthority(x, y Claim) bool {
	return slices.Contains(x.Subject.Strong, spending) && slices.Contains(y.Subject.Strong, spending) && !otherSort(x.Subject, y.Subject) && !disjointNames(x.Subject, y.Subject)
}

// sameCount reports whether the newer claim counts all there are of something: "four hens left", "members: 447".
func sameCount(x, y Claim) bool {
	of := func(c Claim, attr string) bool {
		return c.Kind == Count && c.Attr == attr && !strings.HasPrefix(attr, inUnit)
	}
	if x.Kind == Number && x.Attr == "" {
		return of(y, y.Attr) && len(x.Subject.Strong) == 1 && x.Subject.Strong[0] == y.Attr
	}
	return of(x, x.Attr) && of(y, x.Attr) && len(x.Subject.Strong) == 0
}

// sameTotal reports whether two claims count all there are of one thing and say nothing else of it: "we have five hens", "four hens
// are left".
func sameTotal(x, y Claim) bool {
	if x.Kind != Count || y.Kind != Count || x.Attr != y.Attr || strings.HasPrefix(x.Attr, inUnit) || strings.HasPrefix(x.Attr, "per ") || otherSort(x.Subject, y.Subject) {
		return false
	}
	all := func(c Claim) bool { return len(c.Subject.Strong) == 0 && analyse(c.Sentence).has("all") }
	return all(x) && all(y)
}

// together reports whether two claims share a word, and the statements around them more.
func together(x, y Claim, newer, older Statement) bool {
	shared := slices.DeleteFunc(common(x.Subject.Strong, y.Subject.Strong), func(w string) bool { return words().attrOf[x.Kind][w] || w == "end" })
	if otherSort(x.Subject, y.Subject) || disjointNames(x.Subject, y.Subject) || x.Kind == Count || x.Kind == Name {
		return false
	}
	around := len(common(newer.Subject.Strong, older.Subject.Strong))
	less := min(len(x.Subject.Strong), len(y.Subject.Strong)) - len(common(x.Subject.Strong, y.Subject.Strong))
	return len(shared) > 0 && (around >= 3 || less == 0 && around >= 2)
}

// covered reports whether all that a claim is about is named in an older statement that has one value of the kind only.
func covered(x Claim, older Statement) bool {
	n := 0
	for _, y := range older.Claims {
		if comparable(x, y) && live(y) {
			n++
		}
	}
	return n == 1 && len(x.Subject.Strong) >= 2 && len(common(x.Subject.Strong, older.Subject.Strong)) == len(x.Subject.Strong) && !otherSort(x.Subject, older.Subject)
}
