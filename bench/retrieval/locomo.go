package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// conversation is one LoCoMo item: sessions in order, and questions with the turns that answer them.
type conversation struct {
	name      string
	sessions  []session
	questions []question
}

type session struct {
	number int
	date   string // as the data has it: 1:56 pm on 8 May, 2023
	turns  []turn
}

type turn struct {
	Speaker string `json:"speaker"`
	ID      string `json:"dia_id"`
	Text    string `json:"text"`
	Caption string `json:"blip_caption"`
}

type question struct {
	text     string
	evidence []string // ids of turns
}

func load(path string) ([]conversation, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var raw []struct {
		Name         string                     `json:"sample_id"`
		Conversation map[string]json.RawMessage `json:"conversation"`
		QA           []struct {
			Question string   `json:"question"`
			Evidence []string `json:"evidence"`
		} `json:"qa"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("read %s: not in LoCoMo's format: %w", path, err)
	}
	var out []conversation
	for i, r := range raw {
		c := conversation{name: r.Name}
		if c.name == "" {
			c.name = strconv.Itoa(i + 1)
		}
		if c.sessions, err = sessions(r.Conversation); err != nil {
			return nil, fmt.Errorf("read %s, conversation %s: %w", path, c.name, err)
		}
		known := map[string]bool{}
		for _, s := range c.sessions {
			for _, t := range s.turns {
				known[t.ID] = true
			}
		}
		for _, q := range r.QA {
			if ids := evidence(q.Evidence, known); len(ids) > 0 {
				c.questions = append(c.questions, question{q.Question, ids})
			}
		}
		out = append(out, c)
	}
	return out, nil
}

func sessions(raw map[string]json.RawMessage) ([]session, error) {
	var out []session
	for key, value := range raw {
		digits, ok := strings.CutPrefix(key, "session_")
		n, err := strconv.Atoi(digits)
		if !ok || err != nil {
			continue
		}
		s := session{number: n}
		if err := json.Unmarshal(value, &s.turns); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		if date, ok := raw[key+"_date_time"]; ok {
			if err := json.Unmarshal(date, &s.date); err != nil {
				return nil, fmt.Errorf("%s_date_time: %w", key, err)
			}
		}
		if len(s.turns) > 0 {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b session) int { return a.number - b.number })
	return out, nil
}

// turnID also finds ids where one string has several, or has a stray colon.
var turnID = regexp.MustCompile(`D:?(\d+):(\d+)`)

func evidence(raw []string, known map[string]bool) []string {
	var ids []string
	for _, e := range raw {
		for _, m := range turnID.FindAllStringSubmatch(e, -1) {
			a, errA := strconv.Atoi(m[1])
			b, errB := strconv.Atoi(m[2])
			id := fmt.Sprintf("D%d:%d", a, b)
			if errA == nil && errB == nil && known[id] && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
