import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type LoggedRequest, startFakeAnthropic, text, toolUse } from "@troupe/fake-anthropic";
import { parseTranscript } from "@troupe/protocol";
import { expect } from "vitest";
import { atATime, start, test } from "../store/processes.ts";

/** `npm run test:kills` does it two hundred times. */
const kills = Number(process.env["TROUPE_KILLS"] ?? 40);
const turns = 20;
/** As many as it takes: an agent that is killed every other turn is soon done. */
const conversations = kills / 10;

interface Message {
  readonly role: string;
  readonly content: readonly {
    readonly type: string;
    readonly id?: string;
    readonly tool_use_id?: string;
    readonly text?: string;
  }[];
}
const messagesOf = ({ json }: Pick<LoggedRequest, "json">) => (json as { messages: readonly Message[] }).messages;
const taskOf = (request: Pick<LoggedRequest, "json">) => messagesOf(request)[0]?.content[0]?.text ?? "";

test("an agent that is killed again and again ends as if it had not been: one result a call, no line twice, one growing prefix", async ({
  root,
}) => {
  const fake = await startFakeAnthropic({
    rule: (request) => {
      const turn = messagesOf({ json: request }).filter(({ role }) => role === "assistant").length + 1;
      if (turn > turns) return [text("All lines are there.")];
      return [text(`Turn ${turn}.`), toolUse("Append", { line: `${turn}` }), toolUse("Mark", { line: `${turn}` })];
    },
  });
  try {
    const names = Array.from({ length: conversations }, (_, n) => `conversation ${n}`);
    const killed = new Map<string, number>();
    await atATime(2, names, async (task) => {
      const at = (kind: string) => join(root, `${task.replace(" ", "-")}.${kind}`);
      const options = { url: fake.url, transcript: at("jsonl"), file: at("lines"), marks: at("marks"), task };
      let left = (1.2 * kills) / conversations;
      for (let isOver = false; !isOver; ) {
        const { child, heard, said } = start(join(import.meta.dirname, "agent.mjs"), options);
        if (left > 0) {
          await heard(/^wrote/, 1 + Math.floor(Math.random() * 12)).catch(() => {});
          await sleep(Math.random() * 5);
          if (child.kill("SIGKILL")) killed.set(task, (killed.get(task) ?? 0) + 1);
          left -= 1;
        }
        const lines = await said;
        isOver = lines.some((line) => line.includes("isOk"));
      }
      const lines = readFileSync(options.file, "utf8").trimEnd().split("\n");
      expect(new Set(lines).size, "no line was appended twice").toBe(lines.length);
      const marks = new Set(readFileSync(options.marks, "utf8").trimEnd().split("\n"));
      expect(marks.size, "what may be done again was done").toBe(turns);
      expect(parseTranscript(readFileSync(options.transcript, "utf8")).lines.at(-1)).toMatchObject({
        kind: "ended",
        terminal: { isOk: true, text: "All lines are there." },
      });
    });
    for (const task of names) {
      const requests = fake.requests.filter((request) => taskOf(request) === task);
      expectPrefixChain(requests);
      expectOneResultPerCall(requests.at(-1)?.json);
    }
    expect([...killed.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(kills);
  } finally {
    await fake.close();
  }
});

function expectPrefixChain(requests: readonly LoggedRequest[]): void {
  for (const [at, { prefixHashes }] of requests.entries()) {
    const next = requests[at + 1]?.prefixHashes ?? prefixHashes;
    expect(next.slice(0, prefixHashes.length), `request ${at + 1} goes on from request ${at}`).toEqual(prefixHashes);
  }
}

function expectOneResultPerCall(request: unknown): void {
  const blocks = messagesOf({ json: request }).flatMap(({ content }) => content);
  const calls = blocks.flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
  const results = blocks.flatMap(({ type, tool_use_id }) => (type === "tool_result" ? [tool_use_id] : []));
  expect(calls).toHaveLength(2 * turns);
  expect(results.toSorted()).toEqual(calls.toSorted());
}
