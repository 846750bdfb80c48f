package policy

import "strings"

// Protocol is how the agent was told to keep its memory. It sets the limits that no harness has by itself.
var Protocol = choice("protocol", ProtocolNone, []ProtocolName{ProtocolNone, ProtocolLayered, ProtocolV4}, doc{
	"how the agent keeps its memory: none (only the harness's limits apply), layered (OpenClaw's layered " +
		"persistence protocol) or v4 (Memory v4)",
	"Tend: a limit of lines or days belongs to the protocol that asks for it"})

// ProtocolName names a protocol.
type ProtocolName string

// The protocols.
const (
	ProtocolNone    ProtocolName = "none"
	ProtocolLayered ProtocolName = "layered"
	ProtocolV4      ProtocolName = "v4"
)

// openClawValues are the values of the OpenClaw protocol.
func openClawValues(name string) any {
	switch name {
	case HotMaxLines.name:
		return 50
	case SessionMaxAge.name:
		return Day
	case ObservationsMaxLines.name:
		return 100
	case MemoryNewestWithin.name:
		return 3 * Day
	case MemoryStaleAfter.name:
		return 7 * Day
	case DailyMineAfter.name:
		return 14 * Day
	case CurateMaxPerNight.name:
		return 8
	case WorldCheck.name:
		return WorldOn
	}
	return nil
}

// memoryV4 are the values of Memory v4.
func memoryV4(name string) any {
	switch name {
	case HotMaxLines.name:
		return 60
	case QuestionsMax.name:
		return 5
	case VerifyMaxAge.name:
		return 30 * Day
	case BufferExpect.name:
		return BufferWAL
	case DailyArchiveAfter.name:
		return 30 * Day
	case CurateMaxPerNight.name:
		return 8
	}
	return nil
}

// Follow returns p with a protocol that was recognised and not configured: what p says stays.
func (p Policy) Follow(protocol ProtocolName, source string) Policy {
	if p.IsSet(Protocol.name) {
		return p
	}
	followed, err := p.With(source, map[string]any{Protocol.name: protocol})
	if err != nil {
		return p
	}
	return followed
}

// inForce returns the protocol in force and who chose it.
func (p Policy) inForce() (ProtocolName, string) {
	if s, ok := p.set["protocol"]; ok {
		return s.value.(ProtocolName), s.by
	}
	return ProtocolNone, ""
}

// impliedValue returns the value that the protocol has for a key, nil if it has none.
func (p Policy) impliedValue(name string) any {
	switch protocol, _ := p.inForce(); protocol {
	case ProtocolLayered:
		return openClawValues(name)
	case ProtocolV4:
		return memoryV4(name)
	}
	return nil
}

// The marks of Tend's own block of rules in a file of standing rules.
const (
	RulesBegin   = "<!-- tend:rules begin: made from the policy; change the policy, not this block -->"
	RulesEnd     = "<!-- tend:rules end -->"
	protocolMark = "<!-- tend:protocol "
)

// Mark is the line by which a block of rules names its protocol.
func (n ProtocolName) Mark() string { return protocolMark + string(n) + " -->" }

// Recognise returns the protocol whose rules a file of standing rules has, none if it has no protocol's: a block of Tend's
// names it, and the layered protocol is known by its files and all of its tags. Nothing else counts.
func Recognise(rules string) ProtocolName {
	for _, n := range []ProtocolName{ProtocolLayered, ProtocolV4} {
		if strings.Contains(rules, n.Mark()) {
			return n
		}
	}
	own, rest, found := strings.Cut(rules, RulesBegin)
	if found {
		_, rest, _ = strings.Cut(rest, RulesEnd)
	}
	for _, word := range []string{"SESSION-STATE.md", "working-buffer.md", "[decision]", "[surprise]", "[human]", "[lesson]", "[identity]"} {
		if !strings.Contains(own, word) && !strings.Contains(rest, word) {
			return ProtocolNone
		}
	}
	return ProtocolLayered
}
