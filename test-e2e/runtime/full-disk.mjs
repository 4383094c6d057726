// Works where the disk is full, and prints what came of it: a process that dies of it prints
// nothing.
import { join } from "node:path";
import {
  builtInTools,
  createSeenFiles,
  createShells,
  openConversation,
  openSession,
  scriptedModel,
} from "@troupe/runtime";

const { disk, what } = JSON.parse(process.argv[2]);

function bash() {
  const told = [];
  let wake = () => {};
  const notify = (draft) => {
    told.push(draft.content[0].text);
    wake();
  };
  let next = 0;
  const newId = () => `id${next++}`;
  const shells = createShells({ newId, notify, revision: "2026-11" });
  const agent = { cwd: process.cwd(), seen: createSeenFiles(), shells };
  const tools = builtInTools({
    home: disk,
    environment: { PATH: process.env.PATH },
    outputs: join(disk, "outputs"),
    newId,
    fetch,
    revision: "2026-11",
    skills: [],
    ask: async () => undefined,
  });
  const tool = tools.find(({ definition }) => definition.name === "Bash");
  const run = async (input) => {
    const { content, isError = false } = await tool.run(input, {
      call: "c",
      signal: new AbortController().signal,
      agent,
    });
    return { isError, text: content[0].text };
  };
  return { run, told, shells, arrival: () => new Promise((resolve) => (wake = resolve)) };
}

const command = "printf first; head -c 300000 /dev/zero | tr '\\0' x; printf last";

const sessionDeps = (model) => ({
  machine: { root: join(disk, "root"), home: disk, temporary: join(disk, "tmp"), environment: {} },
  project: { cwd: process.cwd() },
  role: "You are careful.",
  model,
  key: { model: "m", betas: [] },
  person: { ask: async () => ({ behavior: "deny", message: "no" }) },
});

const parts = {
  async foreground() {
    const { run } = bash();
    const flood = await run({ command: `${command}; exit 3` });
    return { flood, short: await run({ command: "echo short" }) };
  },
  async background() {
    const { run, told, shells, arrival } = bash();
    const arrived = arrival();
    const { text } = await run({ command, run_in_background: true });
    const id = /as (b\w+)\./.exec(text)[1];
    await arrived;
    return { told, status: shells.find(id).status(), output: shells.find(id).output() };
  },
  async opening() {
    try {
      openSession(sessionDeps(scriptedModel([])));
      return { ended: true };
    } catch ({ name, code, message }) {
      return { name, code, message };
    }
  },
  async agent() {
    const say = (text) => [{ type: "text", text }];
    const task = { description: "look", prompt: "look around", subagent_type: "general-purpose" };
    const model = scriptedModel(({ messages }) => {
      const talk = JSON.stringify(messages);
      if (!talk.includes("go on")) return say("x".repeat(400_000));
      return talk.includes("tool_result") ? say("done") : [{ type: "tool_use", id: "t1", name: "Agent", input: task }];
    });
    const session = openSession(sessionDeps(model));
    await session.submit("go on");
    const results = [];
    const run = session.run();
    let step = await run.next();
    for (; !step.done; step = await run.next()) {
      const { entry } = step.value;
      if (entry?.kind === "result") results.push(JSON.stringify(entry.content));
    }
    await session.close();
    return { results, ended: step.value };
  },
  async journal() {
    try {
      const agent = openConversation({
        transcript: join(disk, "agent.jsonl"),
        model: scriptedModel([[{ type: "text", text: "x".repeat(200_000) }]]),
        key: { model: "m", betas: [] },
        system: () => [],
      });
      agent.tell("Go on.");
      const run = agent.run();
      for (let step = await run.next(); !step.done; step = await run.next());
      return { ended: true };
    } catch ({ name, code, message }) {
      return { name, code, message };
    }
  },
};

console.log(JSON.stringify(await parts[what]()));
