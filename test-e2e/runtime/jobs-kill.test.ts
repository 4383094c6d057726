import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type LoggedRequest,
  type MessagesRequest,
  type Reply,
  startFakeAnthropic,
  text,
  toolUse,
} from "@troupe/fake-anthropic";
import { expect } from "vitest";
import { test } from "../store/processes.ts";
import { randomFrom } from "../store/soak/random.mjs";
import { type Moment, runUntil } from "./moments.ts";

/** `npm run test:kills` does it fifty times, with another seed each time. */
const kills = Number(process.env["TROUPE_JOB_KILLS"] ?? 4);
const seed = Number(process.env["TROUPE_KILLS_SEED"] ?? 12);
const parts = ["1", "2", "3", "4", "5"];
const turns = 4;

const wordsOf = ({ messages }: MessagesRequest) => String(messages[0]?.content[0]?.["text"]);
const requestOf = ({ json }: LoggedRequest) => json as MessagesRequest;
const blocksOf = ({ messages }: MessagesRequest) => messages.flatMap(({ content }) => content);
const inWords = (content: unknown): string => JSON.stringify(content);

/** Every second kill falls in a write of a journal, of whichever of the six. */
function* momentsOf(random: () => number): Generator<Moment> {
  const upTo = (most: number) => 1 + Math.floor(random() * most);
  for (let nth = 0; ; nth++) {
    const place = (["before", "in", "after"] as const)[upTo(3) - 1] ?? "in";
    if (nth % 2 === 0) yield { write: { place, nth: upTo(60), share: Math.min(1, random() * 1.2) } };
    else
      yield {
        at: random() < 0.5 ? "a model request" : "a tool run",
        nth: upTo(8),
        afterMs: random() * 10,
      };
  }
}

/** The lead asks for five parts, and again, under its name, for one whose call was interrupted. */
function lead(request: MessagesRequest): Reply {
  const call = (part: string) =>
    toolUse("Agent", {
      description: `part ${part}`,
      prompt: `${wordsOf(request)}, part ${part}`,
      name: `part-${part}`,
      run_in_background: true,
    });
  if (request.messages.length === 1) return parts.map(call);
  const calls = new Map(
    blocksOf(request).flatMap(({ type, id, input }) =>
      type === "tool_use" ? [[id, String((input as { name: string }).name).slice(-1)] as const] : [],
    ),
  );
  const last = request.messages.at(-1)?.content ?? [];
  const interrupted = last.flatMap((block) =>
    block.type === "tool_result" && inWords(block).includes("it is unknown") ? [calls.get(block["tool_use_id"])] : [],
  );
  if (interrupted.length > 0) return interrupted.map((part) => call(part ?? ""));
  return noticesIn(request).length < parts.length ? "I wait." : "All parts are there.";
}

function agent(request: MessagesRequest): Reply {
  const turn = request.messages.filter(({ role }) => role === "assistant").length + 1;
  if (turn > turns) return [text(`Report of ${wordsOf(request)}.`)];
  const line = `${wordsOf(request)}, turn ${turn}`;
  return [text(`Turn ${turn}.`), toolUse("Append", { line }), toolUse("Mark", { line })];
}

/** The ends that a conversation was told, each as the report in it. */
const noticesIn = (request: MessagesRequest): readonly string[] =>
  blocksOf(request).flatMap(({ text }) =>
    [...String(text).matchAll(/<task-notification>[\s\S]*?<result>([\s\S]*?)<\/result>/g)].map(
      ([, report]) => report ?? "",
    ),
  );

test("[LIFE-01] [NOTIF-04] agents in the background whose process is killed again and again come to their ends: one result a call, no effect twice, one notice each", {
  timeout: 60_000 + kills * 6_000,
}, async ({ root }) => {
  const fake = await startFakeAnthropic({
    rule: (request) => (/, part \d/.test(wordsOf(request)) ? agent(request) : lead(request)),
  });
  const moments = momentsOf(randomFrom(seed));
  const fell: string[] = [];
  let conversations = 0;
  try {
    while (fell.length < kills) {
      const before = fell.length;
      await beKilled(`conversation ${++conversations}`);
      expect(fell.length, "a whole conversation went by without a kill").toBeGreaterThan(before);
    }
  } finally {
    const atWrites = fell.filter((place) => place.includes("journal write")).length;
    console.log(`killed with TROUPE_JOB_KILLS=${kills} TROUPE_KILLS_SEED=${seed}: ${atWrites} in journal writes`);
    await fake.close();
  }
  expect(fell.filter((place) => place.includes("journal write")).length).toBeGreaterThanOrEqual(Math.floor(kills / 2));

  /** One conversation from beginning to end; of the kills that are left, as many as it takes. */
  async function beKilled(task: string): Promise<void> {
    const home = join(root, task.replace(" ", "-"));
    const options = { url: fake.url, root: home, cwd: join(home, "project"), task };
    mkdirSync(options.cwd, { recursive: true });
    const files = { file: join(home, "lines"), marks: join(home, "marks") };
    for (let isOver = false; !isOver; ) {
      const moment = fell.length < kills ? moments.next().value : undefined;
      const { lines, isKilled } = await runUntil("jobs.mjs", moment, { ...options, ...files });
      isOver = lines.some((line) => line.includes('"isOk":true'));
      expect(isKilled || isOver, `${task} ended by itself and was not over: ${lines.slice(-3)}`).toBe(true);
      if (isKilled && !isOver) fell.push(moment && "write" in moment ? "in a journal write" : "between them");
    }
    const requests = fake.requests.map(requestOf).filter((one) => wordsOf(one).startsWith(task));
    const linesOf = (path: string) => readFileSync(path, "utf8").trimEnd().split("\n");
    const appended = linesOf(files.file);
    expect(new Set(appended).size, "no line was appended twice").toBe(appended.length);
    expect(new Set(linesOf(files.marks)).size, "what may be done again was done").toBe(parts.length * turns);
    const ofLead = requests.filter((one) => wordsOf(one) === task).at(-1) ?? expect.unreachable();
    const reports = parts.map((part) => `Report of ${task}, part ${part}.`);
    expect([...noticesIn(ofLead)].sort(), "one notice each").toEqual(reports);
    expectOneResultPerCall(ofLead);
    for (const part of parts) {
      const own = requests.filter((one) => wordsOf(one) === `${task}, part ${part}`).at(-1) ?? expect.unreachable();
      expectOneResultPerCall(own);
      for (const block of blocksOf(own).filter(({ type }) => type === "tool_result"))
        expect(inWords(block)).toMatch(/appended conversation|it is unknown whether it took effect/);
    }
    // An agent that was killed before its facts were written down has never begun.
    const found = readdirSync(join(home, "projects"), { recursive: true, encoding: "utf8" });
    expect(found.filter((path) => path.endsWith(".meta.json"))).toHaveLength(parts.length);
  }
});

function expectOneResultPerCall(request: MessagesRequest): void {
  const idsOf = (kind: string, id: "id" | "tool_use_id") =>
    blocksOf(request)
      .flatMap((block) => (block.type === kind ? [String(block[id])] : []))
      .sort();
  expect(idsOf("tool_result", "tool_use_id")).toEqual(idsOf("tool_use", "id"));
}
