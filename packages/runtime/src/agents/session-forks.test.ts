import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type LoggedRequest, type MessagesRequest, type Rule, text, toolUse } from "@troupe/fake-anthropic";
import { type Revision, revisions } from "@troupe/protocol";
import { expect, test } from "vitest";
import { faked } from "../../test/faked.ts";
import { changed, opened, settled, turn } from "../../test/sessions.ts";
import type { AgentGates } from "../agent/gates.ts";
import { transcriptPath } from "../journal/files.ts";
import { forkPlaceholder } from "../journal/fork.ts";

type Messages = MessagesRequest["messages"];

const sent = ({ json }: LoggedRequest) => json as MessagesRequest;
const task = (prompt: string, more: object = {}) => toolUse("Agent", { description: prompt, prompt, ...more });
const fork = (revision: Revision) => (revision === "2026-02" ? {} : { subagent_type: "fork" });
const gates = { isForkEnabled: true, isInteractive: true };
const textsIn = (messages: Messages) =>
  messages.flatMap(({ role, content }) => (role === "user" ? content.map((block) => JSON.stringify(block)) : []));
const isForks = ({ messages }: MessagesRequest) => textsIn(messages).join().includes("Your directive:");
const withoutMarks = (messages: Messages) =>
  messages.map(({ role, content }) => ({ role, content: content.map(({ cache_control: _, ...block }) => block) }));
const begins = ({ messages }: MessagesRequest) => messages.length === 1 && !isForks({ messages } as MessagesRequest);

test.each<[string, Partial<AgentGates>, boolean]>([
  ["as it is usually", {}, false],
  ["with a person, and forks not asked for", { isInteractive: true }, false],
  ["where nobody sits", { ...gates, isInteractive: false }, false],
  ["of a coordinator", { ...gates, isCoordinator: true }, false],
  ["where a person has forks", gates, true],
])("[ATP-FRK-001] in 2026-02 a call without a type in a session %s (%j) is a fork: %s", async (_, over, isFork) => {
  const { deps, fake } = await faked(
    {
      rule: (request) => (begins(request) && textsIn(request.messages).join().includes("go") ? task("look") : "Done."),
    },
    { gates: over },
  );
  const session = opened(deps);
  await turn(session, "go");
  await settled(session);
  const own = fake.requests.map(sent).find(({ messages }) => textsIn(messages).join().includes("look"));
  const [first] = own?.messages ?? [];
  expect([session.jobs.all().length, fake.requests.map(sent).some(isForks)]).toEqual([1, isFork]);
  if (!isFork) expect(withoutMarks(first ? [first] : [])).toEqual([{ role: "user", content: [text("look")] }]);
});

test.each(revisions)(
  "[ATP-FRK-002] in %s no fork starts an agent of any kind, whether it began here or another program's tag stands in its history",
  async (revision) => {
    const calls = [task("again", fork(revision)), task("other", { subagent_type: "Explore" })];
    const rule: Rule = (request) => {
      const last = JSON.stringify(request.messages.at(-1));
      if (begins(request)) return task("split", fork(revision));
      return isForks(request) && last.includes("Your directive: split") ? calls : "Done.";
    };
    const { deps, fake, cwd } = await faked({ rule }, { revision, gates });
    const session = opened(deps);
    await turn(session, "go");
    await settled(session);
    expect(session.jobs.all()).toHaveLength(1);
    const refusals = textsIn(fake.requests.map(sent).findLast(isForks)?.messages ?? []);
    expect(refusals.filter((one) => one.includes("a fork does its task itself"))).toHaveLength(2);

    for (const tag of ["<fork-boilerplate>", "<claude:fork-boilerplate>"]) {
      const sessionId = `foreign-${tag.length}`;
      const transcript = transcriptPath({ root: deps.machine.root, cwd, sessionId });
      mkdirSync(dirname(transcript), { recursive: true });
      const common = { isSidechain: false, sessionId, timestamp: new Date(0).toISOString() };
      const said = { role: "user", content: `${tag}\nYou are a fork.\n</x>\n\nLook at the attic.` };
      const answer = { id: "m", type: "message", role: "assistant", model: "m", content: [text("It is empty.")] };
      const lines = [
        { ...common, type: "user", uuid: "u1", parentUuid: null, message: said },
        { ...common, type: "assistant", uuid: "u2", parentUuid: "u1", message: { ...answer, stop_reason: "end_turn" } },
      ];
      writeFileSync(transcript, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      const other = await faked(
        { rule: ({ messages }) => (JSON.stringify(messages.at(-1)).includes("what now") ? calls : "Done.") },
        { revision, gates },
      );
      const again = opened(changed(deps, { model: other.deps.model, sessionId }));
      const { talk } = await turn(again, "what now?");
      expect(talk.at(-2)?.match(/a fork does its task itself/g)).toHaveLength(2);
      expect([again.jobs.all(), other.fake.requests.length]).toEqual([[], 2]);
    }
  },
);

test.each(revisions)(
  "[ATP-FRK-003] [ATP-FRK-005] [FORK-14] in %s forks of one answer are sent the same bytes up to the directive, every result among them in the same words",
  async (revision) => {
    const rule: Rule = (request) =>
      begins(request) ? [text("They begin."), task("one", fork(revision)), task("two", fork(revision))] : "Done.";
    const { deps, fake } = await faked({ rule }, { revision, gates });
    const session = opened(deps);
    await turn(session, "go");
    await settled(session);
    const forks = fake.requests.map(sent).filter(isForks);
    expect(forks).toHaveLength(2);
    const bytes = forks.map(({ model, system, tools, messages }) =>
      JSON.stringify([model, tools, system, withoutMarks(messages)]).split(/(?=Your directive: )/),
    );
    expect(bytes.map(([, own]) => own?.slice(0, 20))).toEqual(['Your directive: one"', 'Your directive: two"']);
    expect(bytes[0]?.[0]).toBe(bytes[1]?.[0]);
    const ofTheAnswer = fake.requests.map(sent).filter(({ messages }) => messages.length === 3);
    const results = ofTheAnswer
      .flatMap(({ messages }) => messages[2]?.content ?? [])
      .filter(({ type }) => type === "tool_result");
    expect(results.map(({ content }) => content)).toEqual(Array(6).fill([text(forkPlaceholder)]));
    expect(forkPlaceholder).toBe("Fork started — processing in background");
  },
);

test.each(revisions)(
  "[ATP-FRK-004] in %s what a fork may not do unasked is its parent's question, and the answer holds for the fork",
  async (revision) => {
    const rule: Rule = (request) => {
      if (begins(request)) return task("split", fork(revision));
      const { length } = request.messages;
      return isForks(request) && length === 3
        ? toolUse("Write", { file_path: join(cwd, "a.txt"), content: "x" })
        : "Done.";
    };
    const { deps, fake, cwd } = await faked({ rule }, { revision, gates });
    const asked: object[] = [];
    const ask: (typeof deps.person)["ask"] = async (question) => {
      asked.push({ ...question });
      return { behavior: "allow" };
    };
    const session = opened(changed(deps, { ask }));
    await turn(session, "go");
    await settled(session);
    expect(asked).toMatchObject([{ tool: "Write", from: { name: "split" } }]);
    expect(existsSync(join(cwd, "a.txt"))).toBe(true);
    expect(fake.requests.map(sent).filter(isForks)).toHaveLength(2);
  },
);

test("[ATP-FRK-101] in 2026-11 a fork needs a person and no gate; it is sent its parent's system, tools, history and model, then one message of placeholders and its directive", async () => {
  const rule: Rule = (request) => {
    if (!begins(request))
      return request.messages.length === 3 && !isForks(request)
        ? [task("a", fork("2026-11")), task("b", { ...fork("2026-11"), model: "haiku" })]
        : "Done.";
    return toolUse("Glob", { pattern: "*" });
  };
  const { deps, fake } = await faked({ rule }, { revision: "2026-11", gates: { isInteractive: true } });
  const session = opened(deps);
  await turn(session, "go");
  await settled(session);
  const [, parent] = fake.requests.map(sent);
  const forks = fake.requests.map(sent).filter(isForks);
  expect(forks).toHaveLength(2);
  for (const { model, system, tools, messages } of forks) {
    expect({ model, tools }).toEqual({ model: parent?.model, tools: parent?.tools });
    expect(JSON.stringify(system)).toBe(JSON.stringify(parent?.system));
    expect(withoutMarks(messages.slice(0, 3))).toEqual(withoutMarks(parent?.messages ?? []));
    expect(messages[3]?.content.map(({ type }) => type)).toEqual(["tool_use", "tool_use"]);
    const [one, two, own, ...more] = messages[4]?.content ?? [];
    expect([one?.["content"], two?.["content"], more]).toEqual([[text(forkPlaceholder)], [text(forkPlaceholder)], []]);
    expect(own?.["text"]).toMatch(/^<fork-boilerplate>[\s\S]*<\/fork-boilerplate>\n\nYour directive: [ab]$/);
    expect(messages).toHaveLength(5);
  }
});
