package main

import (
	"fmt"
	"os"
	"time"

	"tend/internal/claim"
	"tend/internal/note"
	"tend/internal/policy"
)

// year plays the nights and measures them. Among others, what Tend remembers of the texts it read last is of other agents when
// a night begins; an agent that is alone finds its own there.
func year(dir string, nights int, alone bool) (f figures, err error) {
	h, err := newHome(dir)
	if err != nil {
		return f, err
	}
	agent, err := h.cfg.Agent("a")
	if err != nil {
		return f, err
	}
	f = figures{Nights: nights, Limit: policy.HotMaxLines.Of(agent.Policy)}
	author := newAuthor()
	var all, month []night
	for d := range nights {
		h.now = time.Date(2026, 1, 5, 23, 30, 0, 0, time.UTC).AddDate(0, 0, d)
		lines := author.day(d)
		f.Entries += len(lines)
		if err := h.write(lines); err != nil {
			return f, err
		}
		if !alone {
			others(d)
		}
		n, err := h.measure()
		if err != nil {
			return f, fmt.Errorf("night %d: %w", d, err)
		}
		n.Lines = float64(len(lines))
		all, month = append(all, n), append(month, n)
		hot, err := os.ReadFile(h.path("MEMORY.md"))
		if err != nil {
			return f, err
		}
		loaded := note.Lines(hot)
		f.MaxLines = max(f.MaxLines, loaded)
		if loaded > f.Limit {
			f.Over++
		}
		if len(month) == monthDays || d == nights-1 {
			f.Months, month = append(f.Months, mean(month)), nil
		}
	}
	f.sum(all)
	f.Lost, err = h.lost()
	return f, err
}

// measure runs a night, the same night again with nothing to do, and their floors.
func (h *home) measure() (n night, err error) {
	was, err := h.texts()
	if err != nil {
		return n, err
	}
	if n.Night, err = cpu("night", h.night); err != nil {
		return n, err
	}
	now, err := h.texts()
	if err != nil {
		return n, err
	}
	changed := map[string]string{}
	for name, text := range now {
		n.Files, n.Bytes = n.Files+1, n.Bytes+float64(len(text))
		if was[name] != text {
			changed[name] = text
			n.Wrote, n.Written = n.Wrote+1, n.Written+float64(len(text))
		}
	}
	h.now = h.now.Add(15 * time.Minute)
	if n.Quiet, err = cpu("quiet", h.night); err != nil {
		return n, err
	}
	if n.Read, err = cpu("read", h.read); err != nil {
		return n, err
	}
	n.Durable, err = cpu("durable", func() error { return h.durable(changed) })
	return n, err
}

// others has Tend read what other agents might have written.
func others(day int) {
	for i := range 300 {
		text := fmt.Sprintf("text %d of day %d", i, day)
		claim.WorthOf(text, 0)
		claim.Points(text)
	}
}

// news is what nights with more or fewer new lines cost after some months, in ms.
type news struct {
	Month int             `json:"month"`
	CPU   map[int]float64 `json:"cpu_ms_by_new_lines"`
	Line  map[int]float64 `json:"cpu_ms_per_line"`
}

// amounts are how many lines are new.
var amounts = []int{0, 5, 50, 500}

// measureNews lives some months and then days on which more and more is written. After each come days without a log, until
// nothing is left to decide.
func measureNews(dir string, months int) (n news, err error) {
	h, err := newHome(dir)
	if err != nil {
		return n, err
	}
	n = news{Month: months, CPU: map[int]float64{}, Line: map[int]float64{}}
	author := newAuthor()
	day := 0
	next := func(lines []string) (float64, error) {
		h.now = time.Date(2026, 1, 5, 23, 30, 0, 0, time.UTC).AddDate(0, 0, day)
		day++
		if err := h.write(lines); err != nil {
			return 0, err
		}
		others(day)
		return cpu("night", h.night)
	}
	for d := range months * monthDays {
		if _, err := next(author.day(d)); err != nil {
			return n, err
		}
	}
	for _, amount := range amounts {
		var costs []float64
		for range newsRounds {
			for range newsPause {
				if _, err := next(nil); err != nil {
					return n, err
				}
			}
			var lines []string
			for d := 0; len(lines) < amount; d++ {
				lines = append(lines, author.day(d)...)
			}
			cost, err := next(lines[:amount])
			if err != nil {
				return n, err
			}
			costs = append(costs, cost)
		}
		n.CPU[amount] = median(costs)
		if amount > 0 {
			n.Line[amount] = (n.CPU[amount] - n.CPU[0]) / float64(amount)
		}
	}
	return n, nil
}

// newsRounds is how often each amount is written, and newsPause how many days lie between.
const newsRounds, newsPause = 3, 6
