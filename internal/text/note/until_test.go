package note

import "testing"

// TestAhead: a day that lies ahead is found however it is written, and one that is over or today is none.
func TestAhead(t *testing.T) {
	wrote, today := day(t, "2026-02-10"), day(t, "2026-02-12")
	for text, want := range map[string]string{
		"from 2026-03-01 we use port 8081":        "2026-03-01",
		"from 1 March we use port 8081":           "2026-03-01",
		"from March 1st we use port 8081":         "2026-03-01",
		"on the 1st of March we change":           "2026-03-01",
		"in March 2026 we change":                 "2026-03-01",
		"ab 1. März Port 8081":                    "2026-03-01",
		"ab dem 01.03. Port 8081":                 "2026-03-01",
		"ab März 2027 Port 8081":                  "2027-03-01",
		"a partir de 1º de março usamos a 8081":   "2026-03-01",
		"à partir du 1er mars, port 8081":         "2026-03-01",
		"с 1 марта порт 8081":                     "2026-03-01",
		"с 01.03.2026 порт 8081":                  "2026-03-01",
		"从3月1日起用8081端口":                           "2026-03-01",
		"3月1号起用8081端口":                            "2026-03-01",
		"自 2026 年 3 月 1 日起用8081端口":                "2026-03-01",
		"2027年3月からポート8081を使う":                     "2027-03-01",
		"done on 1 February, again on 1 March":    "2026-03-01",
		"we use port 8081":                        "0000-00-00",
		"since 1 February we use port 8081":       "0000-00-00",
		"since 12.02. we use port 8081":           "0000-00-00",
		"since December 24 we use port 8081":      "0000-00-00",
		"2月10日から8081":                             "0000-00-00",
		"version 2026.3.1, port 2027, ratio 3/12": "0000-00-00",
		"see memory/2026-03-01.md":                "0000-00-00",
		"the march of 2000 people, may 10 come":   "2026-05-10",
	} {
		got := Ahead(text, wrote, today)
		if got == 0 && want == "0000-00-00" {
			continue
		}
		if got.String() != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestWithoutDates(t *testing.T) {
	for text, want := range map[string]string{
		"Dentist on 2026-03-01 at 10:30, port 8080": "Dentist on  at , port 8080",
		"Arzt am 1. März, 14:30 Uhr":                "Arzt am ,  Uhr",
		"3月1日14:30 看牙":                              " 看牙",
		"March 28, 2026: review":                    ": review",
	} {
		if got := WithoutDates(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestEnds(t *testing.T) {
	day, _ := ParseDay("2026-04-10")
	for text, want := range map[string]bool{
		"closed until 2026-04-10": true, "暂停发货到 4 月 10 日（邮政通知）": true, "сдать до 10 апреля": true, "bis zum 10.04. geschlossen": true,
		"férias de 6 a 10 de abril": true, "he is away 5-10 April": true, "4月10日まで休み": true, "token expires 2026-04-10": true,
		"2026-04-03 – 2026-04-10 in Rome": true, "с 6 по 10 апреля": true,
		"contract starts 2026-04-10": false, "from 10 April on": false, "10 апреля встреча": false, "closed until 2026-05-10": false,
	} {
		if got := Ends(text, day); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
