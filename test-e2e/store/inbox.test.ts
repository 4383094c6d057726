import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { layoutOf, revisions } from "@troupe/protocol";
import { describe, expect } from "vitest";
import { atEdges, historyIn, inputsIn, isLinearisable, type Model, type Operation, takenIn } from "./history.ts";
import { saidBy, start, testInMemory as test } from "./processes.ts";
import { nowUs } from "./stamped.mjs";

function inboxIn(root: string): string {
  const { inboxes, inbox } = layoutOf(root).team("storm");
  mkdirSync(inboxes, { recursive: true });
  return inbox("alice");
}
const send = (task: object) => start("writer.mjs", { job: "send", ...task });
const consume = (task: object) => start("writer.mjs", { job: "consume", ...task });

/** The messages of an inbox as they stand on disk, without their filler. */
function textsIn(path: string): string[] {
  if (!existsSync(path)) return [];
  const entries = JSON.parse(readFileSync(path, "utf8")) as { text: string }[];
  return entries.map(({ text }) => text.split(" ").slice(0, 2).join(" "));
}

/**
 * The number of these messages, sent in this order, that are there, and the number that were taken.
 */
type Counts = readonly [there: number, taken: number];
const inboxOf =
  (order: readonly string[]): Model<Counts> =>
  ([there, taken], { input, output }) => {
    const [what, count] = input.split(" ");
    if (what === "look") return isSame(output, order.slice(0, there)) ? [there, taken] : undefined;
    if (what === "take") return isSame(output, order.slice(taken, there)) ? [there, taken] : undefined;
    if (what === "acknowledge") return [there, taken + Number(count)];
    return order[there] === input ? [there + 1, taken] : undefined;
  };
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

describe.each(revisions)("%s", (revision) => {
  test("[ATP-INB-007] [ATP-LCK-002] eight processes that send at once lose nothing, and no reader sees half a document", async ({
    root,
  }) => {
    const path = inboxIn(root);
    const gate = join(root, "looked");
    const looks: Operation[] = [];
    const look = () => {
      const call = nowUs();
      const output = textsIn(path);
      looks.push({ call, done: nowUs(), input: "look", output });
      if (output.length === 160) writeFileSync(gate, "");
    };
    look();
    const senders = Array.from({ length: 8 }, (_, n) => send({ revision, path, name: `p${n}`, count: 40, gate }));
    const said = await saidBy(senders, look);
    look();
    const order = textsIn(path);
    expect(said.map(({ length }) => length)).toEqual(Array(8).fill(40));
    expect(order).toHaveLength(320);
    const seen = atEdges(looks);
    expect(seen.map(({ output }) => (output as string[]).length)).toEqual(expect.arrayContaining([0, 160, 320]));
    expect(isLinearisable([...historyIn(said), ...seen], [0, 0], inboxOf(order))).toBe(true);
    expect(readdirSync(dirname(path))).toEqual(["alice.json"]);
  });

  test("[ATP-INB-008] [ATP-SND-011] what is sent while another process consumes arrives once and in order", async ({
    root,
  }) => {
    const path = inboxIn(root);
    const consumer = consume({ revision, path, count: 90 });
    const senders = Array.from({ length: 3 }, (_, n) => send({ revision, path, name: `p${n}`, count: 30 }));
    const sent = await saidBy(senders);
    const said = await consumer.said;
    const taken = takenIn(said);
    expect([...taken].sort()).toEqual(sent.flatMap(inputsIn).sort());
    expect(isLinearisable([...historyIn(sent), ...atEdges(historyIn([said]))], [0, 0], inboxOf(taken))).toBe(true);
  });

  test("[ATP-LCK-006] [ATP-LCK-011] [ATP-LCK-012] a sender killed at any moment leaves a whole inbox with all it was told is in it", async ({
    root,
  }) => {
    const path = inboxIn(root);
    const task = { revision, path, staleMs: 300 };
    for (let round = 0; round < 12; round += 1) {
      const sender = send({ ...task, name: `r${round}`, count: 1_000, bodyBytes: 64_000 });
      await sender.heard(/./, round + 1);
      sender.child.kill("SIGKILL");
      const acknowledged = inputsIn(await sender.said);
      expect(acknowledged.length).toBeGreaterThan(round);
      expect(textsIn(path).slice(0, acknowledged.length)).toEqual(acknowledged);
      rmSync(path);
    }
    expect(inputsIn(await send({ ...task, name: "last", count: 1 }).said)).toEqual(["last 0"]);
  });
});
