// Package tend gives a Go program's agent a memory: a folder of markdown files that several programs may use at once,
// in which every write is atomic and durable, nothing is lost, and each change can be undone.
//
// It needs no configuration file, no server and no model. Open a folder, and use what the program needs:
//
//	m, err := tend.Open("./memories", tend.Options{})
//	if err != nil {
//		return err
//	}
//	defer m.Close()
//
// [Memory.Run] answers Anthropic's memory tool (memory_20250818). Announce the tool with the SDK's own type, and hand
// each call's input to Run:
//
//	for _, block := range message.Content {
//		if use, ok := block.AsAny().(anthropic.ToolUseBlock); ok && use.Name == tend.ToolName {
//			text, isError := m.Run(ctx, use.Input)
//			results = append(results, anthropic.NewToolResultBlock(use.ID, text, isError))
//		}
//	}
//
// [Memory.Context] is the text for the start of a session, [Memory.Search] finds entries and answers what holds now, [Memory.Note] and
// [Memory.Checkpoint] save what the program itself wants kept, [Memory.History] and [Memory.Undo] look back.
//
// # Files
//
// Without [Options.Layout] all of the folder is memory: MEMORY.md is loaded into every context, log/YYYY-MM-DD.md is
// the day's log. New files can be read by their owner only, unless the folder is writable for its group. Tend's own
// records (what was changed, by whom, and the text it displaced) are kept outside the folder, see [Options.State].
//
// # Compatibility
//
// The package follows semantic versioning together with Tend: within a major version nothing exported is removed or
// changes its meaning, and a release opens the folders and records of every earlier release. Before 1.0 a minor release
// may change the API; the changelog then says how to adapt.
package tend
