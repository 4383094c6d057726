import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Origin, Priority } from "./journal/entry.ts";
import { type Command, type CommandDraft, createQueue, type Mode, textBlocks } from "./queue.ts";

const draft = (text: string, more: Partial<CommandDraft> = {}): CommandDraft => ({
  mode: "prompt",
  origin: { kind: "human" },
  content: textBlocks(text),
  ...more,
});
const open = () => {
  let id = 0;
  return createQueue({ newId: () => `c${++id}` });
};
const textsOf = (commands: readonly Pick<Command, "content">[]) => commands.map(({ content }) => content[0]?.["text"]);
const priorities: readonly Priority[] = ["now", "next", "later"];

test("[QUEUE-11] a command is `next` and a notification `later` unless it is said, so no notification goes ahead of a person", () => {
  const queue = open();
  queue.notify(draft("a job ended", { mode: "task-notification", origin: { kind: "task-notification", task: "a1" } }));
  queue.enqueue(draft("hello"));
  queue.notify(draft("look at once", { priority: "now" }));
  expect(queue.waiting().map(({ priority }) => priority)).toEqual(["now", "next", "later"]);
  expect(textsOf(queue.waiting())).toEqual(["look at once", "hello", "a job ended"]);
});

test("[QUEUE-10] what waits is taken by its priority, and in the order of arrival among equals", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...priorities)), (given) => {
      const queue = open();
      for (const [at, priority] of given.entries()) queue.enqueue(draft(String(at), { priority }));
      const expected = priorities.flatMap((priority) =>
        given.flatMap((one, at) => (one === priority ? [String(at)] : [])),
      );
      expect(textsOf(queue.waiting())).toEqual(expected);
      expect(
        textsOf(
          queue
            .inputs()
            .take()
            .map(({ input }) => input),
        ),
      ).toEqual(expected);
      expect(queue.waiting()).toEqual([]);
    }),
  );
});

const origins: readonly (readonly [Mode, Origin])[] = [
  ["prompt", { kind: "human" }],
  ["bash", { kind: "human" }],
  ["task-notification", { kind: "task-notification", task: "a1" }],
  ["prompt", { kind: "scheduled", task: "cron-1" }],
  ["prompt", { kind: "channel", server: "chrome" }],
  ["task-notification", { kind: "hook", event: "Stop" }],
  ["orphaned-permission", { kind: "permission", call: "t1" }],
  ["prompt", { kind: "teammate", name: "bob" }],
];

test("[QUEUE-01] [QUEUE-02] one queue carries what people, jobs, timers, other programs, hooks and late answers have to say", () => {
  const queue = open();
  for (const [mode, origin] of origins) queue.enqueue(draft("x", { mode, origin }));
  expect(queue.waiting().map(({ mode, origin }) => [mode, origin])).toEqual(origins);
});

test("[QUEUE-09] an agent is told words, notifications and late permissions; a shell command is left to its session", () => {
  const queue = open();
  for (const [mode, origin] of origins) queue.enqueue(draft("x", { mode, origin }));
  const taken = queue.inputs().take();
  expect(taken.map(({ input }) => input.origin)).toEqual(
    origins.flatMap(([mode, origin]) => (mode === "bash" ? [] : [origin])),
  );
  expect(taken[0]?.input).toEqual({ id: "c1", priority: "next", origin: { kind: "human" }, content: textBlocks("x") });
  expect(queue.waiting().map(({ mode }) => mode)).toEqual(["bash"]);
});

test("[QUEUE-14] an agent takes what carries its id and nothing else, the main conversation what carries none", () => {
  const queue = open();
  const agents = [undefined, "a1", "a2", undefined, "a1"];
  for (const [at, agent] of agents.entries()) queue.notify(draft(String(at), agent === undefined ? {} : { agent }));
  expect(
    textsOf(
      queue
        .inputs("a1")
        .take()
        .map(({ input }) => input),
    ),
  ).toEqual(["1", "4"]);
  expect(
    textsOf(
      queue
        .inputs()
        .take()
        .map(({ input }) => input),
    ),
  ).toEqual(["0", "3"]);
  expect(textsOf(queue.waiting("a2"))).toEqual(["2"]);
  expect(queue.take(["prompt"], "a1")).toBeUndefined();
  expect(queue.take(["bash"], "a2")).toBeUndefined();
  expect(queue.take(["bash", "prompt"], "a2")?.agent).toBe("a2");
});

describe("what cannot wait", () => {
  const isUrgent = async (command: CommandDraft, agent?: string): Promise<boolean> => {
    const queue = open();
    const watching = new AbortController();
    const seen = queue
      .inputs(agent)
      .whenUrgent(watching.signal)
      .then(
        () => true,
        () => false,
      );
    queue.enqueue(command);
    watching.abort();
    return seen;
  };
  test.each<[string, boolean, CommandDraft, string?]>([
    ["a word for now", true, draft("x", { priority: "now" })],
    ["a word for next", false, draft("x")],
    ["a shell command for now", false, draft("x", { priority: "now", mode: "bash" })],
    ["a word for another agent", false, draft("x", { priority: "now", agent: "a1" })],
    ["a word for the main conversation", false, draft("x", { priority: "now" }), "a1"],
    ["a word for this agent", true, draft("x", { priority: "now", agent: "a1" }), "a1"],
  ])("%s: %j", async (_, expected, command, agent) => {
    expect(await isUrgent(command, agent)).toBe(expected);
  });
  test("an urgent command is seen also when it came before anybody looked", async () => {
    const queue = open();
    queue.enqueue(draft("x", { priority: "now" }));
    await queue.inputs().whenUrgent(new AbortController().signal);
  });
});

test("who waits for an arrival is told of the first that fits, and not after the signal", async () => {
  const queue = open();
  const abort = new AbortController();
  const bash = queue.arrival(({ mode }) => mode === "bash", abort.signal);
  const other = queue.arrival(({ mode }) => mode === "orphaned-permission", abort.signal);
  queue.enqueue(draft("x"));
  queue.enqueue(draft("ls", { mode: "bash" }));
  await bash;
  abort.abort("over");
  await expect(other).rejects.toBe("over");
  await expect(queue.arrival(() => true, AbortSignal.abort("gone"))).rejects.toBe("gone");
});
