package policy

// Tags.
var (
	TagsEntry = list("tags.entry", []string{"decision", "surprise", "human", "lesson", "identity"}, doc{
		"tags an entry may carry; an entry without one is the first to be pruned",
		"OpenClaw protocol: five questions, five tags"})
	TagsFile = list("tags.file", nil, doc{
		"tags a file's #tags line may carry when the vocabulary is closed",
		"Memory v4: a frozen list, here yours"})
	TagsVocabulary = choice("tags.vocabulary", VocabularyOpen, []VocabularyMode{VocabularyOpen, VocabularyClosed}, doc{
		"whether a file tag outside tags.file fails the check",
		"Memory v4: closed"})
)

// Comparing memory with the machine.
var (
	WorldCheck = choice("world.check", WorldOff, []WorldMode{WorldOff, WorldOn}, doc{
		"whether checks and audits compare what memory names on this machine (paths, programs, units, local ports, " +
			"repositories, branches, packages) with the machine; `tend check --world` does it once",
		"OpenClaw protocol: TOOLS.md must not name infrastructure that no longer exists"})
	WorldRoots = list("world.roots", []string{"~", "/opt", "/srv", "/etc/systemd", "/usr", "/lib", "/bin", "/sbin", "/var/lib/dpkg"}, doc{
		"folders that such a check may look at, besides the workspace; nothing is changed or run",
		"Tend: what is elsewhere is unknown, and unknown is no finding"})
)

// WorldMode is whether memory is compared with the machine.
type WorldMode string

// The modes.
const (
	WorldOff WorldMode = "off"
	WorldOn  WorldMode = "on"
)

// VocabularyMode is whether new file tags are allowed.
type VocabularyMode string

// The modes of a vocabulary.
const (
	VocabularyOpen   VocabularyMode = "open"
	VocabularyClosed VocabularyMode = "closed"
)

// MountsMode is what happens to mounts inside a workspace.
type MountsMode string

// The modes of mounts.
const (
	MountsRefuse MountsMode = "refuse"
	MountsFollow MountsMode = "follow"
)

// What tools accept.
var (
	FileMaxBytes = whole("file.max_bytes", Bytes, 1<<20, span{1 << 10, 1 << 30, ""}, doc{
		"largest file a tool may write",
		"Tend; sibling projects settle on 100 KB to 1 MB"})
	FileMaxRead = whole("file.max_read", Bytes, 32<<20, span{1 << 20, 1 << 30, ""}, doc{
		"largest file that is read at all; larger files are reported, never read and never replaced",
		"Tend: a file of gigabytes must not take the machine down"})
	FilesMaxCount = whole("files.max_count", Count, 20_000, span{10, 10_000_000, ""}, doc{
		"most files a workspace may hold before tools refuse to add another",
		"Tend"})
	FilesMaxTotal = whole("files.max_total", Bytes, 64<<20, span{1 << 20, 1 << 40, ""}, doc{
		"most text of all memory files together that is read and searched, the newest logs first; the rest is reported",
		"Tend: many files without content cost an agent nothing and must not take the machine down"})
	PathMaxDepth = whole("path.max_depth", Count, 8, span{1, 64, ""}, doc{
		"deepest folder level of a tool's path",
		"Tend"})
	PathMaxBytes = whole("path.max_bytes", Bytes, 512, span{16, 4096, ""}, doc{
		"longest path a tool may name",
		"Tend"})
	WorkspaceMounts = choice("workspace.mounts", MountsRefuse, []MountsMode{MountsRefuse, MountsFollow}, doc{
		"whether mounted folders and files belong to the workspace; use follow if the memory is a separate volume",
		"Tend: a mount in a workspace may belong to anyone"})
	OverLimit = choice("over_limit", OverLimitAllow, []OverLimitMode{OverLimitAllow, OverLimitRefuse}, doc{
		"whether a write that the harness will truncate is allowed (with a notice) or refused",
		"Hermes refuses, OpenClaw and Claude Code allow"})
	Secrets = choice("secrets", SecretsRefuse, []SecretsMode{SecretsRefuse, SecretsWarn, SecretsOff}, doc{
		"what happens to a write that looks like a key or password",
		"Memory v4: no credentials in notes"})
	ListPage = whole("list.page", Count, 500, span{10, 100_000, ""}, doc{
		"files in one page of a listing",
		"Tend"})
	SearchResults = whole("search.results", Count, 10, span{1, 1000, ""}, doc{
		"hits a search returns unless asked for more",
		"Tend; OpenClaw returns 6"})
)

// OverLimitMode is what happens to a write the harness would cut.
type OverLimitMode string

// The modes for such a write.
const (
	OverLimitAllow  OverLimitMode = "allow"
	OverLimitRefuse OverLimitMode = "refuse"
)

// SecretsMode is what happens to a write that looks like a secret.
type SecretsMode string

// The modes for such a write.
const (
	SecretsRefuse SecretsMode = "refuse"
	SecretsWarn   SecretsMode = "warn"
	SecretsOff    SecretsMode = "off"
)

// Session start.
var (
	ContextBudget = whole("context.budget", Count, 16_000, span{200, 10_000_000, "no limit"}, doc{
		"size of the output of `tend context` at session start, counted in context.unit",
		"Tend: about 4,000 tokens"})
	ContextUnit = choice("context.unit", UnitChars, []ContextCount{UnitChars, UnitUTF16, UnitBytes, UnitTokens}, doc{
		"what context.budget counts",
		"Tend; each harness counts in its own unit"})
	ContextUntrusted = choice("context.untrusted", UntrustedLeaveOut, []UntrustedMode{UntrustedLeaveOut, UntrustedGive}, doc{
		"whether a hook gives the model a file that its harness recorded as untrusted",
		"OpenClaw loads no such file"})
	CostInput = ratio("cost.input", Count, 0, span{0.0001, 10_000, "no price"}, doc{
		"price of a million input tokens in your currency, for `tend status --cost`",
		"Tend knows no prices"})
)

// UntrustedMode is what happens to a file that the harness does not trust.
type UntrustedMode string

// The modes for such a file.
const (
	UntrustedLeaveOut UntrustedMode = "leave-out"
	UntrustedGive     UntrustedMode = "give"
)

// ContextCount is a way to count a context's size.
type ContextCount string

// The ways to count.
const (
	UnitChars  ContextCount = "chars"
	UnitUTF16  ContextCount = "utf16"
	UnitBytes  ContextCount = "bytes"
	UnitTokens ContextCount = "tokens"
)

func toolKeys() []key {
	return []key{
		&TagsEntry, &TagsFile, &TagsVocabulary, &WorldCheck, &WorldRoots,
		&FileMaxBytes, &FileMaxRead, &FilesMaxCount, &FilesMaxTotal, &PathMaxDepth, &PathMaxBytes, &WorkspaceMounts, &OverLimit,
		&Secrets, &ListPage, &SearchResults,
		&ContextBudget, &ContextUnit, &ContextUntrusted, &CostInput,
	}
}
