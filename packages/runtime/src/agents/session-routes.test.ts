import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LoggedRequest, type MessagesRequest, type Rule, text, toolUse } from "@troupe/fake-anthropic";
import { revisions } from "@troupe/protocol";
import { expect, test } from "vitest";
import { awaited } from "../../../../scripts/awaited.ts";
import { faked } from "../../test/faked.ts";
import { server, starts } from "../../test/served.ts";
import { changed, opened, settled, turn } from "../../test/sessions.ts";
import { gate } from "../../test/team.ts";
import type { AgentGates } from "../agent/gates.ts";
import type { RemoteAgent } from "../jobs/remote.ts";
import { openMcp } from "../mcp/mcp.ts";

const sent = ({ json }: LoggedRequest) => json as MessagesRequest;
const task = (prompt: string, more: object = {}) =>
  toolUse("Agent", { description: "of the call", prompt, run_in_background: false, ...more });
const firstWords = ({ messages }: MessagesRequest) => String(messages[0]?.content[0]?.["text"]);
const resultsIn = ({ messages }: MessagesRequest) =>
  messages.flatMap(({ content }) => content.filter(({ type }) => type === "tool_result"));
/** An agent on another machine, which works on. */
const elsewhere: RemoteAgent = {
  id: "r1",
  sessionUrl: "https://elsewhere.example/r1",
  outputFile: "/out/r1",
  status: () => "running",
  output: () => "",
  ended: new Promise(() => {}),
  stop: async () => {},
};
const isFork = (request: MessagesRequest) => JSON.stringify(request.messages).includes("Your directive: ");

test.each(revisions)(
  "[ROUTE-02] in %s the prompt of a call is the first words of an agent, the directive of a fork and the message for another machine; a call without one starts nothing",
  async (revision) => {
    const launched: object[] = [];
    const fork = revision === "2026-02" ? {} : { subagent_type: "fork" };
    const { prompt: _, ...without } = task("").input as { readonly prompt: string };
    const routes = [{ subagent_type: "Explore" }, fork, { subagent_type: "Explore", isolation: "remote" }];
    const rule: Rule = (request) => {
      if (firstWords(request) !== "go" || isFork(request) || request.messages.length > 1) return "Done.";
      return [
        ...routes.map((route) => task("search the attic", route)),
        ...routes.map((route) => toolUse("Agent", { ...without, ...route })),
      ];
    };
    const gates = { isForkEnabled: true, isInteractive: true, isRemoteEnabled: true };
    const { deps, fake } = await faked({ rule }, { revision, gates });
    const session = opened({
      ...deps,
      async remote({ prompt }) {
        launched.push({ prompt });
        return elsewhere;
      },
    });
    await turn(session, "go");
    await settled(session);
    const requests = fake.requests.map(sent);
    const named = requests.filter((request) => firstWords(request) === "search the attic");
    expect(named[0]?.messages).toMatchObject([{ role: "user", content: [text("search the attic")] }]);
    const forks = requests.filter(isFork);
    expect(String(forks[0]?.messages.at(-1)?.content.at(-1)?.["text"])).toMatch(
      /\n\nYour directive: search the attic$/,
    );
    expect([named.length, forks.length, launched]).toEqual([1, 1, [{ prompt: "search the attic" }]]);
    const callers = requests.findLast((request) => firstWords(request) === "go" && !isFork(request));
    const refused = callers ? resultsIn(callers).filter(({ is_error }) => is_error) : [];
    expect(refused.map(({ content }) => JSON.stringify(content))).toEqual(
      Array(3).fill(expect.stringMatching(/prompt/)),
    );
    expect(session.jobs.all()).toHaveLength(2);
  },
);

test.each<[string, Partial<AgentGates>, boolean, RegExp]>([
  [
    "with a machine, where the gate is open",
    { isRemoteEnabled: true },
    true,
    /works on another machine.*taskId: r1.*session_url: https:\/\/elsewhere\.example\/r1.*output_file: \/out\/r1/,
  ],
  [
    "with a machine that takes no more",
    { isRemoteEnabled: true },
    true,
    /No agent was started: no agent could be started on another machine: the machine is full/,
  ],
  ["with a machine, where the gate is shut", {}, true, /No agent was started: no other machine/],
  [
    "without a machine, where the gate is open",
    { isRemoteEnabled: true },
    false,
    /No agent was started: no other machine/,
  ],
])("[ROUTE-22] a call for another machine %s (%j) comes to what that says", async (what, gates, isThere, result) => {
  const asked: string[] = [];
  const { deps, fake } = await faked(
    { rule: ({ messages }) => (messages.length === 1 ? task("search", { isolation: "remote" }) : "Done.") },
    { gates },
  );
  const remote: typeof deps.remote = async ({ prompt }) => {
    asked.push(prompt);
    if (what.includes("takes no more")) throw new Error("the machine is full");
    return elsewhere;
  };
  const session = opened({ ...deps, ...(isThere && { remote }) });
  await turn(session, "go");
  const told = resultsIn(fake.requests.map(sent).at(-1) ?? expect.unreachable());
  expect(JSON.stringify(told[0]?.["content"])).toMatch(new RegExp(result.source, "s"));
  expect([asked.length, session.jobs.all()]).toEqual([isThere && gates.isRemoteEnabled ? 1 : 0, []]);
});

test("[ROUTE-27] an Agent call is judged, routed, started with its tools, run to its end and answered by one result, and then its caller's model goes on", async () => {
  const steps: string[] = [];
  const rule: Rule = (request) => {
    const isCallers = firstWords(request) === "go";
    steps.push(`${isCallers ? "the caller's" : "the agent's"} model is asked`);
    if (!isCallers) return request.messages.length === 1 ? toolUse("Glob", { pattern: "*" }) : "The attic is empty.";
    return request.messages.length === 1 ? task("search", { subagent_type: "Explore" }) : "Done.";
  };
  const hook = (event: string) => ({ hooks: [{ type: "command", command: `echo ${event} >> hooks` }] });
  const events = ["PreToolUse", "SubagentStart", "SubagentStop", "PostToolUse"];
  const hooks = Object.fromEntries(
    events.map((event) => [event, [{ ...hook(event), ...(event.includes("Tool") && { matcher: "Agent" }) }]]),
  );
  const { deps, fake, cwd, trust } = await faked(
    { rule },
    {
      settings: { hooks },
      onEvent: (event) =>
        void (
          event.kind === "entry" &&
          ["called", "result", "ended"].includes(event.entry.kind) &&
          steps.push(`${event.agent ? "the agent's" : "the caller's"} ${event.entry.kind}`)
        ),
    },
  );
  trust();
  const session = opened(deps);
  await turn(session, "go");
  expect(steps).toEqual([
    "the caller's model is asked",
    "the caller's called",
    "the agent's model is asked",
    "the agent's called",
    "the agent's result",
    "the agent's model is asked",
    "the agent's ended",
    "the caller's result",
    "the caller's model is asked",
    "the caller's ended",
  ]);
  expect(readFileSync(join(cwd, "hooks"), "utf8").trim().split("\n")).toEqual(events);
  const requests = fake.requests.map(sent);
  expect(requests[1]?.tools.map(({ name }) => name)).toEqual(["Read", "Glob", "Grep", "WebFetch"]);
  expect(JSON.stringify(resultsIn(requests.at(-1) ?? expect.unreachable()))).toContain("The attic is empty.");
});

test("[ROUTE-30] an agent has a copy of what its caller has read, its caller's servers and those of its own, tools of its own, a new id, the chain of its session and a depth of one more", async () => {
  const edit = (old_string: string, new_string: string) =>
    toolUse("Edit", { file_path: "a.txt", old_string, new_string });
  const rule: Rule = (request) => {
    const { length } = request.messages;
    if (firstWords(request) === "deeper") return "Nothing more.";
    if (firstWords(request) === "change it")
      return length === 1 ? [edit("one", "two"), task("deeper")] : "It is changed.";
    if (length === 1) return toolUse("Read", { file_path: "a.txt" });
    if (length === 3) return task("change it", { subagent_type: "boxer" });
    return length === 5 ? edit("two", "three") : "Done.";
  };
  const { deps, fake, cwd, define, trust } = await faked(
    { rule },
    {
      revision: "2026-11",
      openMcp,
      settings: { mcpServers: { box: server() } },
      mode: "bypassPermissions",
      isBypassAvailable: true,
    },
  );
  writeFileSync(join(cwd, "a.txt"), "one");
  define("boxer", { mcpServers: [{ own: server() }], tools: ["Edit", "Agent", "mcp__*"] });
  trust();
  const session = opened(deps);
  await turn(session, "go");
  await settled(session);
  const requests = fake.requests.map(sent);
  const [agents] = requests.filter((request) => firstWords(request) === "change it");
  const names = agents?.tools.map(({ name }) => String(name)) ?? [];
  expect(names.filter((name) => name.endsWith("__echo"))).toEqual(["mcp__box__echo", "mcp__own__echo"]);
  expect(names.filter((name) => !name.startsWith("mcp__"))).toEqual(["Edit", "Agent"]);
  // The agent knew the file as its caller does; what it knows since, its caller does not.
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("two");
  const callers = requests.findLast((request) => firstWords(request) === "go") ?? expect.unreachable();
  expect(JSON.stringify(resultsIn(callers).at(-1))).toMatch(/changed since|read it again/i);
  const directory = join(session.transcript.replace(/\.jsonl$/, ""), "subagents");
  const facts = session.jobs.all().map(({ id }) => ({
    id,
    depth: JSON.parse(readFileSync(join(directory, `agent-${id}.meta.json`), "utf8")).spawnDepth,
    chains: new Set(
      readFileSync(join(directory, `agent-${id}.jsonl`), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).sessionId),
    ),
  }));
  expect(facts.map(({ depth, chains }) => [depth, [...chains]])).toEqual([
    [0, [session.id]],
    [1, [session.id]],
  ]);
  expect(new Set(facts.map(({ id }) => id)).size).toBe(2);
  expect(starts(cwd)).toHaveLength(2);
});

test("[SLASH-06] a command that an agent does is let go at once in a session that must stay reachable, and what it came to is queued as words that no person typed", async () => {
  const free = gate();
  const shown: string[] = [];
  const rule: Rule = async (request) => {
    if (!firstWords(request).includes("Audit")) return "Done.";
    await free.opened;
    return "The books are right.";
  };
  const { deps, fake, cwd, trust } = await faked(
    { rule },
    { gates: { isAlwaysBackground: true }, show: (words) => void shown.push(words) },
  );
  const skill = join(cwd, ".claude/skills/audit");
  mkdirSync(skill, { recursive: true });
  writeFileSync(join(skill, "SKILL.md"), "---\ndescription: audits\ncontext: fork\n---\nAudit it.\n");
  trust();
  const session = opened(changed(deps, {}));
  const outputs = await awaited("both commands", Promise.all([session.submit("/audit"), session.submit("/audit")]));
  expect(outputs.map((output) => /works in the background/.test(output ?? ""))).toEqual([true, true]);
  expect(session.jobs.running()).toHaveLength(2);
  free.open();
  await settled(session);
  const waiting = session.queue.waiting();
  expect(waiting.map(({ origin }) => origin.kind)).toEqual(["task-notification", "task-notification"]);
  expect(JSON.stringify(waiting)).toContain("The books are right.");
  await turn(session);
  expect(JSON.stringify(fake.requests.map(sent).at(-1)?.messages)).toContain("The books are right.");
  expect([outputs, shown].join()).not.toContain("The books are right.");
});
