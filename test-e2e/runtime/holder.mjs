// A session as a process of its own: it says that it is open, or why not, then does one turn and
// waits.
import { openSession, scriptedModel } from "@troupe/runtime";

const { home, cwd, prompt } = JSON.parse(process.argv[2]);

/**
 * The main conversation starts an agent, or writes to the one it is told of, which never ends by
 * itself.
 */
const calls = prompt.startsWith("a")
  ? [{ type: "tool_use", id: "t1", name: "SendMessage", input: { to: prompt, message: "go on", summary: "go on" } }]
  : [
      {
        type: "tool_use",
        id: "t1",
        name: "Agent",
        input: { description: "look", prompt: "wait", run_in_background: true },
      },
    ];
const script = scriptedModel((_, nth) => (nth === 0 ? calls : [{ type: "text", text: "done" }]));

try {
  const session = openSession({
    machine: { root: `${home}/.claude`, home, temporary: `${home}/tmp`, environment: { HOME: home } },
    project: { cwd },
    sessionId: "one",
    role: "You wait.",
    key: { model: "m", betas: [] },
    async *model(request, signal) {
      const isAgent = !JSON.stringify(request.messages).includes("begin");
      if (isAgent) {
        console.log("an agent asks");
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      }
      yield* script(request, signal);
    },
    person: { ask: async () => ({ behavior: "deny", message: "nobody is here" }) },
  });
  console.log("open");
  await session.submit("begin");
  for await (const _ of session.run());
  console.log("rests", session.jobs.all()[0]?.id);
  setInterval(() => {}, 1_000);
} catch (error) {
  console.log("refused", error.code, error.message);
}
