import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type LoggedRequest,
  type MessagesRequest,
  promptTokens,
  quarterOfBytes,
  type Reply,
  toolUse,
} from "@troupe/fake-anthropic";
import { revisions } from "@troupe/protocol";
import { expect, test } from "vitest";
import { faked } from "../../test/faked.ts";
import { placeAt } from "../../test/place.ts";
import { opened, settled, turn } from "../../test/sessions.ts";
import type { Workspaces } from "../workspace.ts";

const sent = ({ json }: LoggedRequest) => json as MessagesRequest;
const task = (prompt: string, more: object = {}) => toolUse("Agent", { description: prompt, prompt, ...more });
const firstWords = ({ messages }: MessagesRequest) => String(messages[0]?.content[0]?.["text"]);
/** The conversation without the marks of the cache, which move. */
const talkOf = ({ messages }: MessagesRequest) =>
  messages.map(({ role, content }) => ({ role, content: content.map(({ cache_control: _, ...block }) => block) }));
const resultsIn = ({ messages }: MessagesRequest) =>
  messages.flatMap(({ content }) =>
    content.flatMap(({ type, content }) => (type === "tool_result" ? [JSON.stringify(content)] : [])),
  );

test("[DEF-31] a session goes on with the definitions it began with, whatever comes, goes or changes, and the next one has the new", async () => {
  const types = ["scout", "gone", "late"];
  const { deps, define, trust, fake, cwd } = await faked({
    rule: (request) => {
      if (types.includes(firstWords(request))) return "A report.";
      return request.messages.length % 4 === 1 ? types.map((type) => task(type, { subagent_type: type })) : "Done.";
    },
  });
  define("scout", {}, "You scout on foot.");
  define("gone", {}, "You are still here.");
  trust();
  const rolesOf = () =>
    fake.requests
      .map(sent)
      .filter((request) => types.includes(firstWords(request)))
      .map(({ system }) => String(system[0]?.["text"]).trim());
  const session = opened(deps);
  define("scout", {}, "You scout by boat.");
  define("late", {}, "You came late.");
  rmSync(join(cwd, ".claude/agents/gone.md"));
  for (const asked of [1, 2]) {
    const { talk } = await turn(session, "go");
    expect(talk.at(-2)).toMatch(/there is no agent of the type \\"late\\".*gone.*scout/);
    expect(rolesOf().toSorted()).toEqual([
      ...Array(asked).fill("You are still here."),
      ...Array(asked).fill("You scout on foot."),
    ]);
  }
  const before = rolesOf().length;
  const { talk } = await turn(opened(deps), "go");
  expect(talk.at(-2)).toMatch(/there is no agent of the type \\"gone\\".*late.*scout/);
  expect(rolesOf().slice(before).toSorted()).toEqual(["You came late.", "You scout by boat."]);
});

test("[DEF-55] the built-in agents run with the tools and on the models that are theirs; Explore and Plan only read, on their caller's model", async () => {
  const types = ["Explore", "Plan", "general-purpose", "Bash", "statusline", "claude-code-guide"];
  const { deps, fake } = await faked({
    rule: (request) =>
      types.includes(firstWords(request)) || request.messages.length > 1
        ? "Done."
        : types.map((type) => task(type, { subagent_type: type })),
  });
  await turn(opened(deps), "go");
  const found = Object.fromEntries(
    fake.requests
      .map(sent)
      .map((request) => [
        firstWords(request),
        { model: request.model, tools: request.tools.map(({ name }) => String(name)).toSorted() },
      ]),
  );
  const [own, all] = [found["go"]?.model, found["go"]?.tools ?? []];
  expect(types.map((type) => found[type]?.model)).toEqual([
    own,
    own,
    own,
    own,
    "claude-sonnet-5-5",
    "claude-haiku-5-5",
  ]);
  expect(found["Explore"]?.tools).toEqual(["Glob", "Grep", "Read", "WebFetch"]);
  expect(found["Plan"]?.tools.filter((name) => name !== "ExitPlanMode")).toEqual(["Glob", "Grep", "Read", "WebFetch"]);
  expect(found["general-purpose"]?.tools).toEqual(all.filter((name) => name !== "Agent"));
  expect(found["Bash"]?.tools).toEqual(["Bash"]);
  expect(found["statusline"]?.tools).toEqual(["Edit", "Read"]);
  expect(found["claude-code-guide"]?.tools).toEqual(["Glob", "Grep", "Read", "WebFetch"]);
});

test("[ROUTE-12] an agent with a directory and a worktree of its own to work in works in the directory, and in a worktree only without one", async () => {
  const opens: string[] = [];
  /** Without what it is told of its worktree. */
  const taskOf = (request: Parameters<typeof firstWords>[0]) => firstWords(request).split("\n")[0] ?? "";
  const calls = [task("both", { cwd: "sub", isolation: "worktree" }), task("worktree", { isolation: "worktree" })];
  const look = (request: MessagesRequest): Reply | undefined =>
    ["both", "worktree"].includes(taskOf(request)) && request.messages.length === 1
      ? toolUse("Glob", { pattern: "*.txt" })
      : undefined;
  const workspaces: Workspaces = {
    async open(name) {
      opens.push(name);
      return placeAt(join(home, "tree"));
    },
  };
  const { deps, fake, home, cwd } = await faked(
    {
      rule: (request) =>
        look(request) ?? (firstWords(request) === "go" && request.messages.length === 1 ? calls : "Done."),
    },
    { gates: { isCwdEnabled: true, isCwdStronger: true }, workspaces },
  );
  for (const [directory, file] of [
    [join(cwd, "sub"), "in-sub.txt"],
    [join(home, "tree"), "in-tree.txt"],
  ] as const) {
    mkdirSync(directory);
    writeFileSync(join(directory, file), "x");
  }
  await turn(opened(deps), "go");
  const places = ["both", "worktree"].map((words) => {
    const [first, second] = fake.requests.map(sent).filter((request) => taskOf(request) === words);
    const where = /Working directory: (.*)/.exec(String(first?.system.at(-1)?.["text"]))?.[1];
    return [where, second && resultsIn(second).join()];
  });
  expect(places).toEqual([
    [join(cwd, "sub"), expect.stringContaining("in-sub.txt")],
    [join(home, "tree"), expect.stringContaining("in-tree.txt")],
  ]);
  expect(opens).toHaveLength(1);
});

test.each(revisions)(
  "[SEND-12] in %s every call begins anew, and a message goes on behind all that the agent had heard, done and said",
  async (revision) => {
    const idsIn = (request: MessagesRequest) =>
      [...JSON.stringify(resultsIn(request)).matchAll(/agentId: (a[0-9a-f]{16})/g)].map(([, id]) => id);
    const { deps, fake } = await faked(
      {
        rule: (request) => {
          const { length } = request.messages;
          if (firstWords(request) === "look")
            return length === 1 ? toolUse("Glob", { pattern: "*" }) : "The attic is empty.";
          if (length <= 3) return task("look", { run_in_background: false });
          return length === 5
            ? toolUse("SendMessage", { to: idsIn(request)[0], message: "look again", summary: "more" })
            : "Done.";
        },
      },
      { revision },
    );
    const session = opened(deps);
    await turn(session, "go");
    await settled(session);
    const [one, onesReport, two, twosReport, resumed] = fake.requests
      .map(sent)
      .filter((request) => firstWords(request) === "look");
    if (!one || !onesReport || !two || !twosReport || !resumed) throw new Error("not everybody asked");
    expect([one, two].map(talkOf)).toEqual(
      Array(2).fill([{ role: "user", content: [{ type: "text", text: "look" }] }]),
    );
    expect(resultsIn(twosReport)).toHaveLength(1);
    const parents = fake.requests.map(sent).findLast((request) => firstWords(request) === "go");
    expect(new Set(parents && idsIn(parents).slice(0, 2)).size).toBe(2);
    expect(resumed.system).toEqual(one.system);
    expect(talkOf(resumed)).toEqual([
      ...talkOf(onesReport),
      { role: "assistant", content: [{ type: "text", text: "The attic is empty." }] },
      { role: "user", content: [{ type: "text", text: "look again" }] },
    ]);
  },
);

test("of several agents of one kind in one answer one writes what they are told from the start, and the others read it", async () => {
  const names = ["one", "two", "three", "four"];
  const { deps, define, trust, fake } = await faked({
    timeToFirstToken: 30,
    rule: (request) =>
      names.includes(firstWords(request)) || request.messages.length > 1
        ? "Done."
        : names.map((name) => task(name, { subagent_type: "scout" })),
  });
  define("scout", {}, "You scout. ".repeat(500));
  trust();
  await turn(opened(deps), "go");
  const own = fake.requests.filter((request) => names.includes(firstWords(sent(request))));
  const charges = own.map(({ charge }) => charge ?? expect.unreachable("it was not answered"));
  const shared = charges.map(
    (charge, at) => promptTokens(charge) - quarterOfBytes(firstWords(sent(own[at] as LoggedRequest))),
  );
  expect(new Set(shared).size).toBe(1);
  expect(charges.map(({ read }) => read)).toEqual([0, ...shared.slice(1)]);
});
