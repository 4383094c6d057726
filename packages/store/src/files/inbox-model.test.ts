import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Codec, codecFor, type InboxEntry, type Revision, revisions } from "@troupe/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Inbox, openInbox } from "./inbox.ts";

/** An element of the array in the file, ours or not, and whether it is a message at all. */
interface Element {
  raw: Record<string, unknown>;
  readonly isMessage: boolean;
}

/**
 * A model of an inbox: a list, in which one revision marks what is done with and the other removes
 * it.
 */
function createModel(revision: Revision) {
  let elements: Element[] = [];
  const isWaiting = ({ raw, isMessage }: Element) => isMessage && raw["read"] !== true;
  return {
    file: () => elements.map(({ raw }) => raw),
    waiting: () => elements.filter(isWaiting).map(({ raw }) => raw),
    append(...added: Element[]) {
      elements.push(...added);
    },
    acknowledge(texts: ReadonlySet<unknown>) {
      const isTaken = (element: Element) => isWaiting(element) && texts.has(element.raw["text"]);
      if (!elements.some(isTaken)) return;
      if (revision === "2026-11") elements = elements.filter((element) => element.isMessage && !isTaken(element));
      else for (const element of elements.filter(isTaken)) element.raw = { ...element.raw, read: true };
    },
    compact() {
      const isDone = ({ raw, isMessage }: Element) => isMessage && raw["read"] === true;
      const count = elements.filter(isDone).length;
      elements = elements.filter((element) => !isDone(element));
      return count;
    },
    /** The changes of another writer to the list. */
    change(index: number, raw: Record<string, unknown>) {
      const at = elements.length > 0 ? elements[index % elements.length] : undefined;
      if (at) at.raw = { ...at.raw, ...raw };
    },
  };
}

const handle = fc.nat(1);
const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom('"]}', "\n  }\n]", "ü🙂", "\u2028", "x".repeat(5_000)),
);
const layout = fc.constantFrom("own", "compact", "wide", "with a newline");
/** Real clients do give it to two messages. */
const sharedId = "0a6b3bd1-3d2a-4d7c-9f3a-3f0c1f1f9e4e";
const foreignFields = fc.constantFrom(
  {},
  { read: true },
  { read: undefined },
  { read: "no" },
  { future: { deep: [1, null] }, msgV: 7 },
  { summary: 3 },
  { msg_id: sharedId },
);
const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("send" as const),
      handle,
      texts: fc.array(text, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("take" as const), handle }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("acknowledge" as const), handle, share: fc.nat(3) }) },
  fc.record({ kind: fc.constant("acknowledge again" as const), handle }),
  fc.record({ kind: fc.constant("compact" as const), handle }),
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("foreign message" as const), text, fields: foreignFields, layout }),
  },
  fc.record({ kind: fc.constant("foreign rubbish" as const), layout }),
  fc.record({ kind: fc.constant("foreign mark" as const), index: fc.nat(9), layout }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

function written(document: unknown, how: string): string {
  if (how === "compact") return JSON.stringify(document);
  if (how === "wide") return JSON.stringify(document, null, 4);
  return JSON.stringify(document, null, 2) + (how === "own" ? "" : "\n");
}

interface Scene {
  readonly path: string;
  readonly codec: Codec;
  readonly handles: readonly Inbox[];
  readonly model: ReturnType<typeof createModel>;
  /** Makes every text unique: the model tells messages apart by it. */
  readonly ownText: (text: string) => string;
  taken: Awaited<ReturnType<Inbox["take"]>>;
  readonly done: Set<string>;
}

const entryOf = ({ codec, ownText }: Scene, text: string): InboxEntry =>
  codec.newEntry({
    from: { name: "bob", color: "blue" },
    content: { text: ownText(text), summary: "s" },
    timestamp: "2026-02-13T10:45:20.631Z",
    messageId: crypto.randomUUID(),
  });

/** Does one thing to the inbox and to the list. */
async function perform(step: Operation, scene: Scene): Promise<void> {
  const { path, handles, model, taken, done } = scene;
  const inbox = handles["handle" in step ? step.handle : 0] as Inbox;
  const rewrite = (how: string) => writeFileSync(path, written(model.file(), how));
  switch (step.kind) {
    case "send": {
      const entries = step.texts.map((text) => entryOf(scene, text));
      model.append(...entries.map((raw) => ({ raw, isMessage: true })));
      await Promise.all(entries.map((entry) => inbox.append(entry)));
      return;
    }
    case "take":
      scene.taken = await inbox.take();
      expect(scene.taken.map(({ entry }) => entry.text)).toEqual(model.waiting().map(({ text }) => text));
      return;
    case "acknowledge": {
      const some = taken.slice(0, Math.ceil((taken.length * (step.share + 1)) / 4));
      model.acknowledge(new Set(some.map(({ entry }) => entry.text)));
      await inbox.acknowledge(new Set(some.map(({ key }) => key)));
      for (const { key } of some) done.add(key);
      scene.taken = taken.slice(some.length);
      return;
    }
    case "acknowledge again":
      await inbox.acknowledge(done);
      return;
    case "compact":
      expect(await inbox.compact()).toBe(model.compact());
      return;
    case "foreign message":
      model.append({ raw: { ...entryOf(scene, step.text), ...step.fields }, isMessage: true });
      return rewrite(step.layout);
    case "foreign rubbish":
      model.append({ raw: { from: 7, text: null }, isMessage: false });
      return rewrite(step.layout);
    case "foreign mark":
      model.change(step.index, { read: true });
      return rewrite(step.layout);
  }
}

describe.each(revisions)("%s", (revision) => {
  test("[ATP-INB-003] [ATP-INB-021] [ATP-INB-101] whatever two handles and others do one after the other, the inbox is what a plain list is", async () => {
    const root = mkdtempSync(join(tmpdir(), "troupe-model-"));
    const codec = codecFor(revision);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 10, maxLength: 30 }), async (steps) => {
        run += 1;
        const path = join(root, `agent-${run}.json`);
        let messages = 0;
        const scene: Scene = {
          path,
          codec,
          handles: [0, 1].map(() => openInbox({ path, codec })),
          model: createModel(revision),
          ownText: (text) => `${++messages} ${text}`,
          taken: [],
          done: new Set(),
        };
        for (const step of steps) {
          await perform(step, scene);
          const file = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : [];
          expect(file, JSON.stringify(step)).toEqual(scene.model.file());
        }
      }),
      { numRuns: 30 },
    );
    rmSync(root, { recursive: true });
  });
});
