import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Codec, codecFor, type InboxEntry, revisions } from "@troupe/protocol";
import { maxMessageBytes } from "@troupe/protocol/rules";
import { describe, expect } from "vitest";
import { test } from "../../test/scratch.ts";
import { openInbox } from "./inbox.ts";

const entryOf = (codec: Codec, text: string): InboxEntry =>
  codec.newEntry({
    from: { name: "bob", color: "blue" },
    content: { text, summary: "s" },
    timestamp: "2026-02-13T10:45:20.631Z",
    messageId: crypto.randomUUID(),
  });
const textsIn = (path: string): string[] => JSON.parse(readFileSync(path, "utf8")).map(({ text }: InboxEntry) => text);

describe.each(revisions)("%s", (revision) => {
  const codec = codecFor(revision);

  test("[ATP-INB-012] an absent inbox reads as empty, and reading does not make it", async ({ file: path }) => {
    const inbox = openInbox({ path, codec });
    expect((await inbox.read()).entries).toEqual([]);
    expect(await inbox.take()).toEqual([]);
    expect(existsSync(path)).toBe(false);
  });

  test("[ATP-INB-007] a hundred senders at once lose nothing, keep their order, and need few writes", async ({
    file: path,
  }) => {
    const inbox = openInbox({ path, codec });
    const texts = Array.from({ length: 100 }, (_, n) => `message ${n}`);
    const inodes = new Set<number>();
    await Promise.all(
      texts.map(async (text) => {
        await inbox.append(entryOf(codec, text));
        inodes.add(statSync(path).ino);
      }),
    );
    expect(textsIn(path)).toEqual(texts);
    expect(inodes.size).toBeLessThanOrEqual(10);
  });

  const isPruned = revision === "2026-11";
  test(`${isPruned ? "[ATP-INB-102]" : "[ATP-INB-005]"} what is no message is reported, ${isPruned ? "goes with the next that is taken" : "stays"}, and hides no other`, async ({
    file: path,
  }) => {
    const [first, second] = [entryOf(codec, "one"), entryOf(codec, "two")];
    writeFileSync(path, JSON.stringify([first, { text: "nobody" }, 5, second]));
    const inbox = openInbox({ path, codec });
    expect((await inbox.read()).problems).not.toEqual([]);
    const [message] = await inbox.take();
    await inbox.acknowledge(new Set([message?.key ?? ""]));
    const left = JSON.parse(readFileSync(path, "utf8"));
    expect(left).toEqual(isPruned ? [second] : [{ ...first, read: true }, { text: "nobody" }, 5, second]);
  });

  test("nothing to acknowledge is nothing to do, also where there is no inbox", async ({ file: path }) => {
    const inbox = openInbox({ path: join(path, "nowhere/alice.json"), codec });
    await inbox.acknowledge(new Set());
    await inbox.acknowledge(new Set(["x"]));
    expect(await inbox.compact()).toBe(0);
    expect(existsSync(path)).toBe(false);
  });

  test("a large inbox is acknowledged as it stands, also when something comes in between", async ({ file: path }) => {
    const entries = Array.from({ length: 3_000 }, (_, n) => entryOf(codec, `${n} ${"x".repeat(400)}`));
    writeFileSync(path, codec.write(entries));
    utimesSync(path, 1, 1);
    const [inbox, other] = [openInbox({ path, codec }), openInbox({ path, codec })];
    const keys = new Set((await inbox.take()).slice(0, 2_999).map(({ key }) => key));
    await Promise.all([other.append(entryOf(codec, "late")), inbox.acknowledge(keys)]);
    expect((await inbox.take()).map(({ entry }) => entry.text.slice(0, 4))).toEqual(["2999", "late"]);
  });

  test("what comes while a write fails is not lost with it", async ({ file: path }) => {
    const inbox = openInbox({ path, codec });
    mkdirSync(path);
    const refused = inbox.append(entryOf(codec, "refused"));
    const later = refused.catch(() => {
      rmdirSync(path);
      return inbox.append(entryOf(codec, "kept"));
    });
    await expect(refused).rejects.toMatchObject({ code: "document_unreadable" });
    await later;
    expect(textsIn(path)).toEqual(["kept"]);
  });

  test("[ATP-FS-107] [ATP-INB-003] what was appended bit by bit has the bytes of one whole document", async ({
    file: path,
  }) => {
    const inbox = openInbox({ path, codec });
    const entries = ["one", "zwei 🙂", '{"type":"x","a":"]}"}', "\n  }\n]"].map((text) => entryOf(codec, text));
    for (const entry of entries) await inbox.append(entry);
    expect(readFileSync(path, "utf8")).toBe(codec.write(entries));
    expect(readdirSync(join(path, ".."))).toEqual(["alice.json"]);
  });

  test("[ATP-INB-021] an inbox in another layout keeps every field of others when something is appended", async ({
    file: path,
  }) => {
    const foreign = { future: { b: 1 }, from: "x", text: "t", timestamp: "2026-02-13T10:45:20Z", read: false };
    for (const layout of [
      JSON.stringify([foreign]),
      `${JSON.stringify([foreign], null, 4)}\n`,
      `${JSON.stringify([foreign], null, 2)}\n`,
      "[]",
      "[ ]",
    ]) {
      writeFileSync(path, layout);
      const before = JSON.parse(layout);
      const entry = entryOf(codec, "new");
      await openInbox({ path, codec }).append(entry);
      expect(JSON.parse(readFileSync(path, "utf8")), layout).toEqual([...before, entry]);
    }
  });

  test("what was taken is waiting until it is acknowledged, and then no more", async ({ file: path }) => {
    const inbox = openInbox({ path, codec });
    for (const text of ["one", "two", "three"]) await inbox.append(entryOf(codec, text));
    const taken = await inbox.take();
    expect(taken.map(({ entry }) => entry.text)).toEqual(["one", "two", "three"]);
    expect(await inbox.take()).toEqual(taken);
    await inbox.append(entryOf(codec, "meanwhile"));
    await inbox.acknowledge(new Set(taken.map(({ key }) => key)));
    expect((await inbox.take()).map(({ entry }) => entry.text)).toEqual(["meanwhile"]);
    await inbox.acknowledge(new Set(taken.map(({ key }) => key)));
    expect((await inbox.take()).map(({ entry }) => entry.text)).toEqual(["meanwhile"]);
  });

  test("[ATP-INB-110] a damaged inbox is kept aside and goes on with every message that was whole", async ({
    file: path,
  }) => {
    const entries = ["one", "two", '{"deep":{"er":{}}}'].map((text) => entryOf(codec, text));
    const whole = codec.write(entries);
    writeFileSync(path, whole.slice(0, -30));
    await openInbox({ path, codec, now: () => 1 }).append(entryOf(codec, "after"));
    expect(textsIn(path)).toEqual(["one", "two", "after"]);
    expect(readFileSync(`${path}.damaged-1`, "utf8")).toBe(whole.slice(0, -30));
  });

  test("[ATP-INB-103] [ATP-INB-008] appending beside acknowledging loses neither a message nor a mark", async ({
    file: path,
  }) => {
    const [sender, reader] = [openInbox({ path, codec }), openInbox({ path, codec })];
    const texts = Array.from({ length: 60 }, (_, n) => `message ${n}`);
    const seen: string[] = [];
    const reading = (async () => {
      while (seen.length < texts.length) {
        const taken = await reader.take();
        seen.push(...taken.map(({ entry }) => entry.text));
        await reader.acknowledge(new Set(taken.map(({ key }) => key)));
      }
    })();
    for (const text of texts) await sender.append(entryOf(codec, text));
    await reading;
    expect(seen).toEqual(texts);
    expect(await reader.take()).toEqual([]);
  });

  test("[ATP-SND-108] a message that was not written is an error that names the inbox, and later ones are", async ({
    file: path,
  }) => {
    const inbox = openInbox({ path, codec, limits: { deadlineMs: 30, staleMs: 10_000 } });
    mkdirSync(`${path}.lock`);
    await expect(inbox.append(entryOf(codec, "lost"))).rejects.toMatchObject({
      code: "lock_unavailable",
      details: { file: path },
    });
    rmSync(`${path}.lock`, { recursive: true });
    await inbox.append(entryOf(codec, "kept"));
    expect(textsIn(path)).toEqual(["kept"]);
  });

  test("a message above a mebibyte is refused whole, one just below is kept", async ({ file: path }) => {
    const inbox = openInbox({ path, codec });
    await expect(inbox.append(entryOf(codec, "x".repeat(maxMessageBytes)))).rejects.toMatchObject({
      code: "message_too_large",
    });
    expect(existsSync(path)).toBe(false);
    await inbox.append(entryOf(codec, "x".repeat(maxMessageBytes - 500)));
    expect(textsIn(path)).toHaveLength(1);
  });

  test("an inbox that a rewrite would harm is not rewritten", async ({ file: path }) => {
    const text = '[{"from":"a","text":"t","timestamp":"2026-02-13T10:45:20Z","read":false,"big":9007199254740993}]';
    writeFileSync(path, text);
    await expect(openInbox({ path, codec }).append(entryOf(codec, "new"))).rejects.toMatchObject({
      code: "document_unwritable",
    });
    expect(readFileSync(path, "utf8")).toBe(text);
  });
});
