package main

import (
	"fmt"
	"os"
	"time"

	"tend/internal/model/policy"
	"tend/internal/text/note"
)

// year plays the nights of some agents and measures them.
func year(dir string, agents, nights int) (f figures, err error) {
	h, err := newHomes(dir, agents)
	if err != nil {
		return f, err
	}
	agent, err := h.cfg.Agent(h.names[0])
	if err != nil {
		return f, err
	}
	f = figures{Agents: agents, Nights: nights, Limit: policy.HotMaxLines.Of(agent.Policy)}
	authors := newAuthors(agents)
	var all, month []night
	for d := range nights {
		lines, err := h.live(d, func(i int) []string { return authors[i].day(d) })
		if err != nil {
			return f, err
		}
		f.Entries += lines
		n, err := h.measure()
		if err != nil {
			return f, fmt.Errorf("night %d: %w", d, err)
		}
		all, month = append(all, n), append(month, n)
		for _, name := range h.names {
			hot, err := os.ReadFile(h.path(name, "MEMORY.md"))
			if err != nil {
				return f, err
			}
			loaded := note.Lines(hot)
			f.MaxLines = max(f.MaxLines, loaded)
			if loaded > f.Limit {
				f.Over++
			}
		}
		if len(month) == monthDays || d == nights-1 {
			f.Months, month = append(f.Months, mean(month)), nil
		}
	}
	f.sum(all)
	f.Lost, err = h.lost()
	return f, err
}

// live writes every agent's log of a day and returns how many lines they have.
func (h *homes) live(day int, log func(agent int) []string) (n int, err error) {
	h.now = time.Date(2026, 1, 5, 23, 30, 0, 0, time.UTC).AddDate(0, 0, day)
	for i, name := range h.names {
		lines := log(i)
		n += len(lines)
		if err := h.write(name, lines); err != nil {
			return n, err
		}
	}
	return n, nil
}

// measure runs a night, the same night again with nothing to do, and their floors. It returns what they cost per agent: the
// agents take turns as under a keeper, and the garbage of one is collected during the night of another.
func (h *homes) measure() (n night, err error) {
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
	if n.Durable, err = cpu("durable", func() error { return h.durable(changed) }); err != nil {
		return n, err
	}
	n.State, err = h.kept()
	for _, f := range n.fields() {
		*f /= float64(len(h.names))
	}
	return n, err
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
func measureNews(dir string, agents, months int) (n news, err error) {
	h, err := newHomes(dir, agents)
	if err != nil {
		return n, err
	}
	n = news{Month: months, CPU: map[int]float64{}, Line: map[int]float64{}}
	authors := newAuthors(agents)
	day := 0
	next := func(log func(agent int) []string) (float64, error) {
		if _, err := h.live(day, log); err != nil {
			return 0, err
		}
		day++
		cost, err := cpu("night", h.night)
		return cost / float64(agents), err
	}
	for d := range months * monthDays {
		if _, err := next(func(i int) []string { return authors[i].day(d) }); err != nil {
			return n, err
		}
	}
	for _, amount := range amounts {
		var costs []float64
		for range newsRounds {
			for range newsPause {
				if _, err := next(func(int) []string { return nil }); err != nil {
					return n, err
				}
			}
			cost, err := next(func(i int) (lines []string) {
				for d := 0; len(lines) < amount; d++ {
					lines = append(lines, authors[i].day(d)...)
				}
				return lines[:amount]
			})
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
