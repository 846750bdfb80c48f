package layout

import (
	"slices"
	"strings"
	"testing"
)

func TestStockLinesOfTemplatesAreKnown(t *testing.T) {
	for _, line := range []string{
		"This folder is home. Treat it that way.", "  This folder is  home. Treat it that way.\r\n",
		"- This folder is home. Treat it that way.", "3. This folder is home. Treat it that way.",
		"This file provides guidance to Claude Code (claude.ai/code) when working with code in this repository.",
	} {
		if !Stock(line) {
			t.Errorf("%q is not known", line)
		}
	}
	for _, line := range []string{"", "---", "- ", "```", "This folder is my home.", "- the router is in the cellar"} {
		if Stock(line) {
			t.Errorf("%q counts as a template's", line)
		}
	}
}

func TestStockIsSortedAndWhole(t *testing.T) {
	list := strings.Fields(stock)
	if !slices.IsSorted(list) || len(stock) != len(list)*(stockWidth+1) || len(list) < 1000 {
		t.Errorf("%d digests in %d bytes, sorted: %v", len(list), len(stock), slices.IsSorted(list))
	}
}

// Real people name their logs in many ways; what lies beside them is no log.
func TestLogsByEveryName(t *testing.T) {
	presets := []string{"openclaw", "openclaw@2026.2", "openclaw-v4", "claude-code", "shepherd", "hermes-memories",
		"zeroclaw", "harness-memory"}
	for _, ref := range presets {
		l, err := Preset(ref)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{
			"2026-11-15.md", "2026-11-15-standup.md", "2026-11-15-0930.md", "2026-11-15_standup.md", "standup-2026-11-15.md", "20261115.md",
			"2026/11/2026-11-15.md", "2026/11/15.md", "2026-11/2026-11-15.md",
			"daily/2026-11-15.md", "logs/2026-11-15-x.md", "Journal/2026-11-15.md",
		} {
			if role, day, _ := l.Lookup("memory/" + path); role != Daily || day != "2026-11-15" {
				t.Errorf("%s: memory/%s is %q of %q", ref, path, role, day)
			}
		}
		for _, path := range []string{
			"memory/archive/2026-11-15.md", "memory/dreaming/light/2026-11-15.md", "memory/.dreams/2026-11-15.md", "memory/people.md",
			"memory/2026-13-01.md",
			"memory/lessons/2026-11-15-backups.md", "reports/2026-11-15.md",
		} {
			if role, _, _ := l.Lookup(path); role == Daily {
				t.Errorf("%s: %s is a log", ref, path)
			}
		}
	}
	h, err := Preset("hermes")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"memories/log/2026-11-15.md", "memories/log/2026-11-15-x.md", "memories/2026/11/2026-11-15.md"} {
		if role, _, _ := h.Lookup(path); role != Daily {
			t.Errorf("hermes: %s is %q", path, role)
		}
	}
}
