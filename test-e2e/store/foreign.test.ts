import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { codecFor, layoutOf, type Revision, revisions } from "@troupe/protocol";
import { openInbox } from "@troupe/store/files";
import { describe, expect } from "vitest";
import { inputsIn, takenIn } from "./history.ts";
import { type Running, saidBy, start, testInMemory as test } from "./processes.ts";

/** More than a second in sum: whether such a one gives up depends on us alone. */
const patient = 100;

function inboxIn(root: string): string {
  const { inboxes, inbox } = layoutOf(root).team("storm");
  mkdirSync(inboxes, { recursive: true });
  return inbox("alice");
}
const foreign = (task: object): Running => start("foreign-writer.mjs", task);
const ours = (task: object): Running => start("writer.mjs", task);

const entriesIn = (path: string) => JSON.parse(readFileSync(path, "utf8")) as { text: string; read: boolean }[];
const textsIn = (path: string): string[] => entriesIn(path).map(({ text }) => text.trim());

describe.each(revisions)("%s", (revision: Revision) => {
  const codec = codecFor(revision);

  test("[ATP-LCK-009] [ATP-LCK-104] [ATP-INB-007] beside writers of another make that keep to the lock nobody loses a message, and our reader sees no torn one", async ({
    root,
  }) => {
    const path = inboxIn(root);
    const task = { revision, path, count: 30, patience: patient };
    const names = ["in-place", "by-rename", "in-place", "by-rename"];
    const running = [
      ...names.map((kind, n) => foreign({ ...task, kind, name: `foreign${n}` })),
      ...[0, 1, 2].map((n) => ours({ job: "send", revision, path, name: `ours${n}`, count: 40 })),
    ];
    const inbox = openInbox({ path, codec });
    let seen = 0;
    const said = await saidBy(running, async () => {
      const { entries, problems } = await inbox.read();
      expect(problems).toEqual([]);
      expect(entries.length).toBeGreaterThanOrEqual(seen);
      seen = entries.length;
    });
    const sent = said.map(inputsIn);
    const texts = textsIn(path);
    expect(sent.map(({ length }) => length)).toEqual([30, 30, 30, 30, 40, 40, 40]);
    expect([...texts].sort()).toEqual(sent.flat().sort());
    for (const messages of sent) expect(texts.filter((text) => messages.includes(text))).toEqual(messages);
    expect(readdirSync(dirname(path))).toEqual(["alice.json"]);
  });

  test("[ATP-INB-006] [ATP-INB-008] what is sent while one of another make consumes, or sent by one while ours consumes, arrives once", async ({
    root,
  }) => {
    const path = inboxIn(root);
    const task = { revision, path, count: 60, patience: patient };
    const bothWays = [
      [
        () => foreign({ ...task, kind: "consume" }),
        (n: number) => ours({ ...task, job: "send", name: `ours${n}`, count: 30 }),
      ],
      [
        () => ours({ ...task, job: "consume" }),
        (n: number) => foreign({ ...task, kind: "in-place", name: `foreign${n}`, count: 30 }),
      ],
    ] as const;
    for (const [consume, send] of bothWays) {
      const consumer = consume();
      const sent = await saidBy([send(0), send(1)]);
      expect(takenIn(await consumer.said).sort()).toEqual(sent.flatMap(inputsIn).sort());
    }
    expect(entriesIn(path).filter(({ read }) => !read)).toEqual([]);
  });

  test("[ATP-LCK-015] [ATP-LCK-103] beside ours that never pause one of another make gets every lock that it asks for again and again", async ({
    root,
  }) => {
    const path = inboxIn(root);
    const old = Array.from({ length: 1_000 }, (_, n) =>
      codec.newEntry({
        from: { name: "before" },
        content: { text: `before ${n} ${"x".repeat(300)}` },
        timestamp: "2026-02-13T10:45:20.631Z",
        messageId: crypto.randomUUID(),
      }),
    );
    writeFileSync(path, codec.write(old));
    const task = { revision, path, count: 1_000_000 };
    // Without pauses of their own: only what ours leaves to others lets them in.
    const busy = [ours({ ...task, job: "send", name: "ours" }), ours({ ...task, job: "consume" })];
    await Promise.all(busy.map((one) => one.heard(/./)));
    // How often it must ask is for the scheduler: that ours leave gaps is a test of the lock.
    const other = foreign({ ...task, kind: "by-rename", name: "foreign", count: 20, patience: patient, pauseMs: 20 });
    expect(inputsIn(await other.said)).toHaveLength(20);
    for (const { child } of busy) expect(child.exitCode).toBeNull();
  });

  test("[ATP-LCK-102] while one of another make holds the lock ours waits, and then writes behind what it wrote", async ({
    root,
  }) => {
    const path = inboxIn(root);
    const holder = foreign({ kind: "hold", revision, path, name: "foreign", count: 1, patience: 0 });
    await holder.heard(/holding/);
    await ours({ job: "send", revision, path, name: "ours", count: 1 }).said;
    await holder.said;
    expect(textsIn(path)).toEqual(["foreign 0", "ours 0"]);
  });

  test("[ATP-LCK-011] beside a writer that ignores locks no document is torn, nobody fails, and what is sent after its last write is there", async ({
    root,
  }) => {
    const path = inboxIn(root);
    const lawless = foreign({ kind: "lockless", revision, path, name: "lawless", count: 150 });
    const early = [0, 1, 2].map((n) => ours({ job: "send", revision, path, name: `early${n}`, count: 60 }));
    await lawless.heard(/./);
    const written = await saidBy([lawless, ...early], () => expect(textsIn(path).length).toBeGreaterThan(0));
    const before = textsIn(path);
    expect(written.map(({ length }) => length)).toEqual([150, 60, 60, 60]);
    for (const messages of written.map(inputsIn)) {
      const kept = messages.filter((message) => before.includes(message));
      expect(before.filter((text) => messages.includes(text))).toEqual(kept);
    }
    const late = await saidBy([0, 1].map((n) => ours({ job: "send", revision, path, name: `late${n}`, count: 20 })));
    expect([...textsIn(path)].sort()).toEqual([...before, ...late.flatMap(inputsIn)].sort());
    expect(readdirSync(dirname(path))).toEqual(["alice.json"]);
  });
});
