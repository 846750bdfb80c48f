package layout

import "testing"

func TestTheInvitationsOfStockFilesAreRead(t *testing.T) {
	for text, want := range map[string]bool{
		"# Soul\n\n---\n\n_This file is yours to evolve. As you learn who you are, update it._\n": true,
		"If you change this file,\ntell the user — it's your soul.":                               true,
		"_Fill this in during your first conversation. Make it yours._":                           true,
		"## Make It Yours\n\nThis is a starting point. Add your own conventions, style.":          true,
		"_这个文件由你来演化。当你了解自己是谁时，更新它。_":                                                              true,
		"# Rules\n\n- Never change this file. Tell the user instead.\n":                           false,
		"# Soul\n\nThe plan is yours to evolve.\n":                                                false,
		"": false,
	} {
		if got := Invites([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
