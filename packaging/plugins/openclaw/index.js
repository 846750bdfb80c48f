import handler, { attempt, save } from "./handler.js";

const description = "Give a session its memory at its start and save it before a compaction";

export default {
  id: "tend",
  name: "Tend",
  description,
  register(api) {
    api.registerHook(["agent:bootstrap"], handler, { name: "tend", description });
    // A run that compacts within itself calls this alone, with its messages; every other compaction calls it, too.
    api.on("before_compaction", (event, context) => {
      attempt("before_compaction", () => save({ ...event, ...context }, context.sessionKey));
    });
  },
};
