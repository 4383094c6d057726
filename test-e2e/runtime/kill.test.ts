import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type LoggedRequest, startFakeAnthropic, text, toolUse } from "@troupe/fake-anthropic";
import { parseTranscript } from "@troupe/protocol";
import { expect } from "vitest";
import { atATime, test } from "../store/processes.ts";
import { type Moment, momentsOf, runUntil } from "./moments.ts";

/**
 * Twice at each kind of moment; `npm run test:kills` does it two hundred times, with another seed
 * each time.
 */
const kills = Number(process.env["TROUPE_KILLS"] ?? 10);
/** When each kill is to come is decided by it; what the machine does meanwhile is not. */
const seed = Number(process.env["TROUPE_KILLS_SEED"] ?? 12);
const turns = 20;

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: { readonly line: string };
  readonly tool_use_id?: string;
  readonly content?: readonly Block[];
  readonly text?: string;
}
interface Message {
  readonly role: string;
  readonly content: readonly Block[];
}
const messagesOf = ({ json }: Pick<LoggedRequest, "json">) => (json as { messages: readonly Message[] }).messages;
const taskOf = (request: Pick<LoggedRequest, "json">) => messagesOf(request)[0]?.content[0]?.text ?? "";

test("an agent that is killed again and again ends as if it had not been: one result a call, no line twice, one growing prefix", {
  timeout: 60_000 + kills * 3_000,
}, async ({ root }) => {
  const fake = await startFakeAnthropic({
    rule: (request) => {
      const turn = messagesOf({ json: request }).filter(({ role }) => role === "assistant").length + 1;
      if (turn > turns) return [text("All lines are there.")];
      return [text(`Turn ${turn}.`), toolUse("Append", { line: `${turn}` }), toolUse("Mark", { line: `${turn}` })];
    },
  });
  const fell = new Map<string, number>();
  let conversations = 0;
  try {
    await atATime(2, momentsOf(seed, kills), async (moments) => {
      const left = [...moments];
      while (left.length > 0) {
        const last = left.length;
        await beKilled(left);
        expect(left.length, `a whole conversation went by without ${JSON.stringify(left[0])}`).toBeLessThan(last);
      }
    });
  } finally {
    console.log(
      `killed with TROUPE_KILLS=${kills} TROUPE_KILLS_SEED=${seed}: ${JSON.stringify(Object.fromEntries(fell))}`,
    );
    await fake.close();
  }
  const fellAt = (pattern: RegExp) =>
    [...fell].reduce((sum, [place, count]) => sum + (pattern.test(place) ? count : 0), 0);
  expect(fellAt(/./)).toBe(kills);
  expect(fellAt(/^(before|in|after) a journal write$/)).toBeGreaterThanOrEqual(kills / 2);

  /** One conversation from beginning to end, which uses up the moments at which it was killed. */
  async function beKilled(left: Moment[]): Promise<void> {
    const task = `conversation ${++conversations}`;
    const at = (kind: string) => join(root, `${task.replace(" ", "-")}.${kind}`);
    const options = { url: fake.url, transcript: at("jsonl"), file: at("lines"), marks: at("marks"), task };
    const written: string[] = [];
    for (let isOver = false; !isOver; ) {
      const moment = left[0];
      const { lines, isKilled } = await runUntil("agent.mjs", moment, options);
      written.push(...lines.flatMap((line) => /^wrote (.*)/.exec(line)?.[1] ?? []));
      isOver = lines.some((line) => line.includes("isOk"));
      expect(isKilled || isOver, `${task} ended by itself and was not over`).toBe(true);
      if (!isKilled) continue;
      left.shift();
      const place = placeOf(lines);
      fell.set(place, (fell.get(place) ?? 0) + 1);
      if (place === "in a journal write") expect(readFileSync(options.transcript).at(-1), "a torn line").not.toBe(10);
    }
    expectKept(readFileSync(options.transcript, "utf8"), written);
    const requests = fake.requests.filter((request) => taskOf(request) === task);
    expectPrefixChain(requests);
    const appended = { Append: linesOf(options.file), Mark: linesOf(options.marks) };
    expect(new Set(appended.Append).size, "no line was appended twice").toBe(appended.Append.length);
    expect(new Set(appended.Mark).size, "what may be done again was done").toBe(turns);
    expectOneResultPerCall(requests.at(-1)?.json, appended);
  }
});

/** The state in which an agent was killed: its last line, or none after it had recorded that. */
const placeOf = (lines: readonly string[]): string =>
  /^at (.*)/.exec(lines.findLast((line) => /^(at|wrote) /.test(line)) ?? "")?.[1] ?? "between them";

const linesOf = (path: string): readonly string[] => readFileSync(path, "utf8").trimEnd().split("\n");

/**
 * Every recorded entry is there once, although lines beside it are torn; the last says that all is
 * done.
 */
function expectKept(transcript: string, written: readonly string[]): void {
  const { lines } = parseTranscript(transcript);
  const ids = lines.map(({ uuid }) => uuid);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining([...written]));
  expect(lines.at(-1)).toMatchObject({ kind: "ended", terminal: { isOk: true, text: "All lines are there." } });
}

function expectPrefixChain(requests: readonly LoggedRequest[]): void {
  for (const [at, { prefixHashes }] of requests.entries()) {
    const next = requests[at + 1]?.prefixHashes ?? prefixHashes;
    expect(next.slice(0, prefixHashes.length), `request ${at + 1} goes on from request ${at}`).toEqual(prefixHashes);
  }
}

/**
 * Each call has one result: one that says the call was done is true, and any other says that this
 * is unknown.
 */
function expectOneResultPerCall(request: unknown, appended: { readonly [tool: string]: readonly string[] }): void {
  const blocks = messagesOf({ json: request }).flatMap(({ content }) => content);
  const calls = blocks.filter(({ type }) => type === "tool_use");
  const results = blocks.filter(({ type }) => type === "tool_result");
  expect(calls).toHaveLength(2 * turns);
  expect(results.map(({ tool_use_id }) => tool_use_id).toSorted()).toEqual(calls.map(({ id }) => id).toSorted());
  for (const { id, name = "", input } of calls) {
    const words = results.find(({ tool_use_id }) => tool_use_id === id)?.content?.[0]?.text;
    if (words === `appended ${input?.line}`) expect(appended[name]).toContain(input?.line);
    else expect({ name, words }).toEqual({ name: "Append", words: expect.stringContaining("it is unknown") });
  }
}
