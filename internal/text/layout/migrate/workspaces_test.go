package migrate_test

import (
	"fmt"
	"strings"

	"tend/internal/text/layout/migrate"
)

type workspace struct {
	layout string
	files  []migrate.File
}

func text(path, data string) migrate.File { return migrate.File{path, []byte(data)} }

func sections(n, entries int) string {
	var b strings.Builder
	b.WriteString("# Memory\n\nWhat I know.\n")
	for i := range n {
		fmt.Fprintf(&b, "\n## Topic %d\n\n", i)
		for j := range entries {
			fmt.Fprintf(&b, "- fact %d of topic %d, with its reason\n", j, i)
		}
	}
	return b.String()
}

// workspaces are six in the manner of real ones.
func workspaces() map[string]workspace {
	var entries []string
	for i := range 20 {
		entries = append(entries, fmt.Sprintf("The build of module %d takes a while; run it with the cache.", i))
	}
	return map[string]workspace{
		"a busy assistant": {"openclaw", []migrate.File{
			text("AGENTS.md", "# Rules\n\nRead `MEMORY.md` and memory/YYYY-MM-DD.md first.\n\n## Never\n\n- Never push to main.\n- See TOOLS.md.\n"),
			text("SOUL.md", "# Soul\n\nCalm and exact.\n"),
			text("IDENTITY.md", "- **Name:** Ada\n- **Emoji:** 🦊\n"),
			text("USER.md", "# User\n\n- Prefers short answers.\n- Lives in 東京.\n"),
			text("TOOLS.md", "# Tools\n\n- The printer is in room 4.\n"),
			text("HEARTBEAT.md", "# Heartbeat\n\nCheck the calendar.\n"),
			text("MEMORY.md", sections(12, 9)),
			text("memory/2026-11-14.md", "# 2026-11-14\n\n- 09:10 set up the mail\n"),
			text("memory/2026-11-15.md", "# 2026-11-15\n\n- 10:00 [decision] keep the old host\n"),
			text("memory/2026-11-15-review.md", "- notes of a review"),
			text("memory/projects.md", "# Projects\n\n- the garden plan\n"),
			text("memory/working-buffer.md", "# Working Buffer\n"),
			text("SESSION-STATE.md", "# Session\n\n- writing a letter\n"),
			text("memory/people/anna.md", "# Anna\n\n- likes tea\n"),
			text("skills/mail/SKILL.md", "---\nname: mail\n---\n\nSend it.\n"),
		}},
		"two small blocks": {"hermes", []migrate.File{
			text("SOUL.md", "You are Bo.\n\nKeep notes in memories/MEMORY.md.\n"),
			text("memories/MEMORY.md", strings.Join(entries, "\n§\n")),
			text("memories/USER.md", "User works at night.\n§\nUser likes plain text."),
			text("AGENTS.md", "# Project\n\nRun the tests.\n"),
			text("memories/log/2026-11-02.md", "- wrote the plan\n"),
			text("skills/build/SKILL.md", "---\nname: build\ndescription: how to build\n---\nmake\n"),
		}},
		"an index and its topics": {"claude-code", []migrate.File{
			text("CLAUDE.md", "# Project\r\n\r\nUse tabs.\r\nSee MEMORY.md.\r\n"),
			text("MEMORY.md", "- [Builds](builds.md) — how they run\n- [People](people.md) — who is who\n"),
			text("builds.md", "---\nname: builds\ntype: project\n---\n\nThe cache is on disk.\n"),
			text("people.md", "---\ntype: user\n---\n\n日本語のメモ。\n\nNo newline at the end"),
			text("memory/2026-10-30.md", "- a day\n"),
		}},
		"rules and a summary": {"codex", []migrate.File{
			text("AGENTS.md", sections(6, 4)),
			text("memories/memory_summary.md", "# Summary\n\n- The user writes Go.\n\n## Preferences\n\n- Small commits.\n"),
			text("memories/MEMORY.md", "# Memory\n\n## Task group: builds\n\n- The linker is slow.\n"),
			text("memories/raw_memories.md", "- raw one\n- raw two\n"),
			text("memories/rollout_summaries/one.md", "A session about links.\n"),
		}},
		"blocks with front matter": {"letta", []migrate.File{
			text("system/persona.md", "---\ndescription: who I am\n---\n\nI am Cy.\n"),
			text("system/human.md", "---\ndescription: the user\n---\n\nLikes maps.\n"),
			text("system/work/style.md", "---\ndescription: how I write\n---\n\nPlainly.\n"),
			text("reference/hosts.md", "---\ndescription: hosts\n---\n\n- one\n- two\n"),
			text("skills/draw/SKILL.md", "---\nname: draw\ndescription: draw a map\n---\n\nDraw.\n"),
		}},
		"three types of memory": {"openclaw-v4", []migrate.File{
			text("AGENTS.md", "# Rules\n\n- Write to memory/episodic/YYYY-MM-DD.md.\n"),
			text("SOUL.md", "# Soul\n\nCurious.\n"),
			text("USER.md", strings.Repeat("- The user said something that is worth a line of its own.\n", 40)),
			text("MEMORY.md", "# Agent Memory\n#tags: memory\n> last_verified: 2026-11-01\n\n"+
				sections(30, 8)+
				"\n## Rules\n\n- Always back up first. #pinned\n"),
			text("memory/episodic/2026-11-10.md", "# 2026-11-10\n\n- one\n\nUpdated: none\nDecisions: none\nSignal: none\nOpen: none\n"),
			text("memory/semantic/infrastructure.md", "# Infrastructure\n#tags: docker\n> last_verified: 2026-11-01\n\n- host a\n"),
			text("memory/procedural/lessons-learned.md", "# Lessons\n#tags: errors\n> last_verified: 2026-11-01\n\n- test the restore\n"),
			text(".learnings/ERRORS.md", "- a failure\n"),
		}},
	}
}
