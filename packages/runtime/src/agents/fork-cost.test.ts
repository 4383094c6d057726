import {
  fault,
  type LoggedRequest,
  promptTokens,
  quarterOfBytes,
  type Reply,
  type Rule,
  text,
  toolUse,
} from "@troupe/fake-anthropic";
import { describe, expect, test } from "vitest";
import { faked } from "../../test/faked.ts";
import { opened, settled } from "../../test/sessions.ts";
import type { AgentGates } from "../agent/gates.ts";
import type { Session } from "../session/session.ts";

interface Content {
  readonly type: string;
  readonly text?: string;
}

const messagesOf = ({ json }: LoggedRequest) =>
  (json as { readonly messages: readonly { readonly content: readonly Content[] }[] }).messages;
const lastOf = (request: LoggedRequest): readonly Content[] => messagesOf(request).at(-1)?.content ?? [];
const isFork = (request: LoggedRequest) => lastOf(request).some(({ text }) => text?.includes("Your directive"));
/**
 * The size of the text behind the results of the shared answer: a fork's directive, or what the
 * parent is told of its forks.
 */
const tailOf = (request: LoggedRequest) =>
  lastOf(request)
    .filter(({ type }) => type !== "tool_result")
    .reduce((sum, { text = "" }) => sum + quarterOfBytes(text), 0);
const chargeOf = ({ charge }: LoggedRequest) => charge ?? { input: 0, read: 0, write5m: 0, write1h: 0 };

/**
 * A session starts forks in one answer. What is asked after that, by forks and parent alike, is
 * answered when all that want to ask are there: until the parent itself does, unless the fate of
 * the first says otherwise.
 */
interface Course {
  /**
   * The answer to the first of the group, and what happens meanwhile; undefined is an answer like
   * the others'.
   */
  readonly fate?: (session: Session, interrupt: () => void) => Reply | undefined | Promise<Reply | undefined>;
  /** Actions of a fork instead of ending, by its words. */
  readonly goesOn?: (words: string) => Reply | undefined;
  readonly gates?: Partial<AgentGates>;
  readonly settings?: object;
}

async function family(size: number, { fate, goesOn, gates = {}, settings = {} }: Course = {}) {
  let release = () => {};
  const parentAsks = new Promise<void>((resolve) => {
    release = resolve;
  });
  const interrupt = new AbortController();
  const calls = Array.from({ length: size }, (_, n) =>
    toolUse("Agent", { description: `part ${n}`, prompt: `split ${n} ${"so ".repeat(n)}` }),
  );
  const rule: Rule = async ({ messages }, { index }) => {
    if (messages.length === 1) return [text("They begin."), ...calls];
    await parentAsks;
    const own = index === 1 ? await fate?.(session, () => interrupt.abort("user_interrupt")) : undefined;
    const more = messages.length === 3 ? goesOn?.(JSON.stringify(messages[2])) : undefined;
    return own ?? more ?? "Done.";
  };
  const { deps, fake, trust } = await faked(
    { rule, timeToFirstToken: 30 },
    { role: "s".repeat(20_000), gates: { isForkEnabled: true, isInteractive: true, ...gates }, settings },
  );
  trust();
  const session = opened(deps);
  await session.submit("go");
  const run = (async () => {
    let asked = 0;
    for await (const event of session.run(interrupt.signal))
      if (event.kind === "entry" && event.entry.kind === "asked" && ++asked === 2) release();
  })();
  const over = async () => {
    await run;
    await settled(session);
    const [first, ...rest] = fake.requests;
    if (!first) throw new Error("nothing was asked");
    // Later requests, such as the parent's when it has heard of an end, are no part of it.
    const tries = rest.filter((request) => messagesOf(request).length === 3);
    const later = rest.filter((request) => messagesOf(request).length > 3);
    return { past: promptTokens(chargeOf(first)), tries, later, group: tries.filter(({ charge }) => charge) };
  };
  return { session, over };
}

/**
 * The first writes what all share and reads what the parent had written, the others read all of it,
 * and each writes its own tail.
 */
function expectCheapest(group: readonly LoggedRequest[], past: number): void {
  const [leader] = group;
  if (!leader) throw new Error("nobody asked");
  const shared = promptTokens(chargeOf(leader)) - tailOf(leader);
  expect(shared).toBeGreaterThan(past);
  for (const request of group) {
    const read = request === leader ? past : shared;
    expect(chargeOf(request)).toMatchObject({ input: 0, read, write5m: shared - read + tailOf(request) });
  }
}

test.each([2, 5, 16])(
  "[FORK-14] of %i forks of one answer and their parent one writes what they share, and the others ask when it can be read",
  async (size) => {
    const { over } = await family(size);
    const { group, past } = await over();
    expect(group.map(isFork).toSorted()).toEqual([false, ...Array(size).fill(true)]);
    expectCheapest(group, past);
  },
);

const statusesOf = ({ jobs }: Session) => jobs.all().map((job) => job.status());

describe.each([5, 16])("of %i forks of one answer", (size) => {
  test.each<[string, Reply]>([
    ["is refused", fault.overloaded({ retryAfter: 0 })],
    ["loses its connection", fault.dropped()],
  ])("the next is the first where the first %s, which reads with the others when it tries again", async (_, fate) => {
    const { over } = await family(size, { fate: () => fate });
    const { tries, group, past } = await over();
    expect([tries.length, group.length]).toEqual([size + 2, size + 1]);
    expectCheapest(group, past);
  });

  test("the next is the first where the first fails for good", async () => {
    const { session, over } = await family(size, {
      fate: () => fault.status(400, "invalid_request_error", "no credit"),
    });
    const { group, past } = await over();
    expect(statusesOf(session)).toEqual(["failed", ...Array(size - 1).fill("completed")]);
    expect(group).toHaveLength(size);
    expectCheapest(group, past);
  });

  test("the next is the first where the first is stopped before its answer begins", async () => {
    const { session, over } = await family(size, {
      fate: async ({ jobs }) => {
        await jobs.all()[0]?.stop();
        return fault.dropped();
      },
    });
    const { group, past } = await over();
    expect(statusesOf(session)).toEqual(["killed", ...Array(size - 1).fill("completed")]);
    expect(group).toHaveLength(size);
    expectCheapest(group, past);
  });

  test("all work on where their parent is interrupted while it waits for the first of them", async () => {
    const { session, over } = await family(size, { fate: async (_, interrupt) => void interrupt() });
    const { group, past } = await over();
    expect(statusesOf(session)).toEqual(Array(size).fill("completed"));
    expect(group.map(isFork)).toEqual(Array(size).fill(true));
    expectCheapest(group, past);
  });

  test("all but the denied one share what they did, and their parent what it had", async () => {
    const command = "grep -q 'split 3 ' && echo not this one >&2 && exit 2; exit 0";
    const settings = { hooks: { PreToolUse: [{ matcher: "Agent", hooks: [{ type: "command", command }] }] } };
    const { session, over } = await family(size, { settings });
    const { group, past } = await over();
    expect(statusesOf(session)).toEqual(Array(size - 1).fill("completed"));
    expect(group).toHaveLength(size);
    expectCheapest(group.filter(isFork), past);
    const parents = group.filter((request) => !isFork(request));
    expect(parents.map((request) => chargeOf(request).read)).toEqual([past]);
  });
});

test("where more are asked for than may work the others share what they did, and their parent what it had", async () => {
  const { session, over } = await family(5, { gates: { maxRunning: 4 } });
  const { group, past } = await over();
  expect(statusesOf(session)).toEqual(Array(4).fill("completed"));
  expectCheapest(group.filter(isFork), past);
  const parents = group.filter((request) => !isFork(request));
  expect(parents.map((request) => chargeOf(request).read)).toEqual([past]);
});

test("a fork that is refused a fork of its own reads all it had sent, and writes what is new", async () => {
  const again = toolUse("Agent", { description: "again", prompt: "split again" });
  const { session, over } = await family(5, { goesOn: (words) => (words.includes("split 2 ") ? again : undefined) });
  const { group, later, past } = await over();
  expect(statusesOf(session)).toEqual(Array(5).fill("completed"));
  expectCheapest(group, past);
  const own = (request: LoggedRequest) =>
    messagesOf(request)[2]?.content.some(({ text }) => text?.includes("directive: split 2 "));
  const [before, after] = [group.find(own), later.find(own)];
  expect(JSON.stringify(after && lastOf(after))).toContain("a fork does its task itself");
  const sent = before && promptTokens(chargeOf(before));
  expect(after && chargeOf(after)).toMatchObject({ input: 0, read: sent });
});
