import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { codecFor, layoutOf, revisions } from "@troupe/protocol";
import { maxBytes } from "@troupe/store";
import { openInbox, openTasks } from "@troupe/store/files";
import { describe, expect } from "vitest";
import { test } from "./processes.ts";

const messages = 30_000;
const tasks = 3_000;

describe.each(revisions)("%s", (revision) => {
  const codec = codecFor(revision);

  test("an inbox of thirty thousand messages, almost as large as one may be, takes, gives and forgets as any other, and says when it is full", async ({
    root,
  }) => {
    const { inboxes, inbox } = layoutOf(root).team("t");
    mkdirSync(inboxes, { recursive: true });
    const path = inbox("alice");
    const entryOf = (text: string) =>
      codec.newEntry({
        from: { name: "bob" },
        content: { text },
        timestamp: "2026-02-13T10:45:20.631Z",
        messageId: crypto.randomUUID(),
      });
    const filler = "x".repeat(1_800);
    writeFileSync(path, codec.write(Array.from({ length: messages }, (_, n) => entryOf(`${n} ${filler}`))));
    const alice = openInbox({ path, codec });
    await alice.append(entryOf("last"));
    const taken = await alice.take();
    expect(taken).toHaveLength(messages + 1);
    expect(taken.at(-1)?.entry.text).toBe("last");
    await alice.acknowledge(new Set([taken[0]?.key ?? ""]));
    await alice.acknowledge(new Set(taken.slice(0, messages).map(({ key }) => key)));
    expect((await alice.take()).map(({ entry }) => entry.text)).toEqual(["last"]);
    expect(JSON.parse(readFileSync(path, "utf8"))).toHaveLength(revision === "2026-02" ? messages + 1 : 1);

    const large = entryOf("y".repeat(1_000_000));
    writeFileSync(path, codec.write(Array(Math.floor(maxBytes / 1_001_000)).fill(large)));
    const before = readFileSync(path);
    await expect(alice.append(large)).rejects.toMatchObject({ code: "inbox_full" });
    expect(before.equals(readFileSync(path))).toBe(true);
    expect(readdirSync(dirname(path))).toEqual(["alice.json"]);
  });

  test("a list of three thousand tasks is read, claimed from, changed and added to as any other", async ({ root }) => {
    const layout = layoutOf(root).team("t");
    for (const directory of [layout.directory, layout.tasks]) mkdirSync(directory, { recursive: true });
    for (let n = 1; n <= tasks; n += 1) {
      const task = codec.newTask({ id: `${n}`, subject: `task ${n}`, description: "" });
      writeFileSync(layout.task(`${n}`), codec.write(n === 1 ? { ...task, status: "completed" } : task));
    }
    const list = openTasks({ layout, codec, isMember: async () => true });
    expect((await list.list()).tasks.map(({ id }) => Number(id))).toEqual(
      Array.from({ length: tasks }, (_, n) => n + 1),
    );
    expect((await list.create({ subject: "next", description: "" })).id).toBe(`${tasks + 1}`);
    expect((await list.claimNext("alice"))?.id).toBe("2");
    await list.update(`${tasks}`, { addBlockedBy: ["3", "4"] });
    await list.complete("3");
    expect((await list.claim(`${tasks}`, "alice")).outcome).toBe("blocked");
    await list.complete("4");
    expect((await list.claim(`${tasks}`, "alice")).outcome).toBe("claimed");
    expect(await list.remove(`${tasks + 1}`)).toBe(true);
    expect((await list.create({ subject: "after", description: "" })).id).toBe(`${tasks + 2}`);
    expect(await list.ready()).toHaveLength(tasks - 4);
  });
});
