import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Check, CheckContext } from "../check.ts";
import { makeTasks, makeTeam } from "../checks/teams.ts";
import { checkFailure } from "../fault.ts";
import { readFile } from "../reader/document.ts";
import { namesIn } from "../reader/root.ts";
import type { Params, Proc, Reply } from "../target.ts";
import { patient, watching } from "./crew.ts";
import { demand, entriesAt, foreignEntry, type Places, placesOf, textsIn } from "./documents.ts";

const methods = ["team.create", "member.add", "member.update", "task.create", "task.update", "inbox.append"];

/** Calls that rewrite one document each, however often they are made. */
const rewrites = (team: string, number: number): readonly (readonly [method: string, params: Params])[] => [
  ["inbox.append", { team, agent: "alice", from: "team-lead", text: `Message ${number}` }],
  ["inbox.markRead", { team, agent: "alice" }],
  ["task.update", { team, id: "1", subject: `Task 1, as of ${number} ${"and longer".repeat(number % 5)}` }],
  ["member.update", { team, name: "alice", set: { model: `model-${number}${"-longer".repeat(number % 5)}` } }],
];

const documentsOf = ({ inbox, task, config }: Places): readonly string[] => [inbox("alice"), task("1"), config];

/** A reader that takes no lock: what was a document once is one at every look. */
function openReader(context: CheckContext, paths: readonly string[]): () => void {
  const seen = new Set<string>();
  return () => {
    for (const path of paths) {
      const found = readFile(path);
      if (found && found.faults.length === 0) seen.add(path);
      else if (seen.has(path)) {
        const at = relative(context.root, path);
        const how = found ? found.faults.join(" and ") : "gone";
        throw checkFailure(`a reader found ${at} ${how}`, { at, expected: "a whole document", actual: found?.text });
      }
    }
  };
}

const tornReads: Check = {
  id: "TORN/a",
  title: "a reader without a lock sees whole documents only, while they are rewritten all the time",
  requirements: ["ATP-FS-012"],
  level: "L1",
  revisions: ["2026-02", "2026-11"],
  needs: { methods: [...methods, "inbox.markRead"] },
  async run(context) {
    const { team } = await makeTeam(context, ["alice"]);
    await makeTasks(context, team, 1);
    await context.ok("inbox.append", { team, agent: "alice", from: "team-lead", text: "Start with the grammar." });
    for (const path of documentsOf(placesOf(context))) demand(context, path);
    const writers = (await context.start(2)).map((proc) => patient(context, proc));
    const rounds = context.isQuick ? 25 : 250;
    const write = async (proc: Proc, offset: number) => {
      for (let number = 0; number < rounds; number += 1) {
        for (const [method, params] of rewrites(team, 2 * number + offset)) await context.ok(method, params, proc);
      }
    };
    let looks = 0;
    const look = openReader(context, documentsOf(placesOf(context)));
    await watching(Promise.all(writers.map(write)), () => {
      looks += 1;
      look();
    });
    return { looks, inPlace: await writtenInPlace(context, team) };
  },
};

/** Documents whose file a rewrite leaves the same: whole so far to every look, but by luck. */
async function writtenInPlace(context: CheckContext, team: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [index, path] of documentsOf(placesOf(context)).entries()) {
    const [method, params] = rewrites(team, 9_999)[index === 0 ? 0 : index + 1] ?? ["", {}];
    if (await isWrittenInPlace(path, () => context.ok(method, params))) found.push(relative(context.root, path));
  }
  return found;
}

/** The old file is kept open meanwhile, so that its number is not given to the new one. */
async function isWrittenInPlace(path: string, rewrite: () => Promise<unknown>): Promise<boolean> {
  const [before, open] = [readFileSync(path, "utf8"), openSync(path, "r")];
  try {
    await rewrite();
    return fstatSync(open).nlink > 0 && readFileSync(path, "utf8") !== before;
  } finally {
    closeSync(open);
  }
}

const inboxPublication: Check = {
  id: "INB-FILE/a",
  title: "an inbox is replaced by a file made beside it that nobody takes for an inbox, never written in place",
  requirements: ["ATP-INB-108"],
  level: "L2",
  revisions: ["2026-11"],
  needs: { methods: [...methods, "inbox.read", "inbox.markRead"] },
  async run(context) {
    const { team } = await makeTeam(context, ["alice"]);
    const { inboxes, inbox } = placesOf(context);
    const path = inbox("alice");
    const append = (text: string) => context.ok("inbox.append", { team, agent: "alice", from: "team-lead", text });
    await append("first");
    demand(context, path);
    const documents = new Set<string>();
    for (const rewrite of [() => append("second"), () => context.ok("inbox.markRead", { team, agent: "alice" })]) {
      const isInPlace = await watching(isWrittenInPlace(path, rewrite), () => {
        for (const name of namesIn(inboxes)) if (name.endsWith(".json")) documents.add(name);
      });
      if (isInPlace) throw checkFailure("the inbox was written in place", { at: relative(context.root, path) });
    }
    const strangers = [...documents].filter((name) => name !== "alice.json");
    if (strangers.length > 0) throw checkFailure("a temporary file looked like an inbox", { actual: strangers });
    writeFileSync(`${path}.tmp.0badcafe`, JSON.stringify([foreignEntry("left behind by a writer that died")]));
    await append("third");
    const { messages } = (await context.ok("inbox.read", { team, agent: "alice" })) as { messages: { text: string }[] };
    const [read, there] = [messages.map(({ text }) => text), textsIn(entriesAt(context, path))];
    if (read.join() === "third" && there.join() === "third") return undefined;
    throw checkFailure("a temporary file was read as an inbox", { expected: ["third"], actual: { read, there } });
  },
};

/**
 * Cuts the document in a file in half, as a writer in place does briefly; returns what restores it.
 */
function tear(path: string): () => void {
  const text = readFileSync(path, "utf8");
  replaceText(path, text.slice(0, Math.floor(text.length / 2)));
  return () => replaceText(path, text);
}

const replaceText = (path: string, text: string): void => {
  const file = openSync(path, "r+");
  try {
    ftruncateSync(file, 0);
    writeSync(file, text, 0);
  } finally {
    closeSync(file);
  }
};

const tornForAMoment: Check = {
  id: "TORN/b",
  title: "a document that another client is writing in place is read again before it is called damaged",
  requirements: ["ATP-LCK-104"],
  level: "L1",
  revisions: ["2026-02", "2026-11"],
  needs: { methods: [...methods, "team.get", "task.get", "inbox.read"] },
  async run(context) {
    const { team } = await makeTeam(context, ["alice"]);
    await makeTasks(context, team, 1);
    await context.ok("inbox.append", { team, agent: "alice", from: "team-lead", text: "Start with the grammar." });
    const places = placesOf(context);
    const reads: readonly (readonly [path: string, method: string, params: Params])[] = [
      [places.config, "team.get", { team }],
      [places.task("1"), "task.get", { team, id: "1" }],
      [places.inbox("alice"), "inbox.read", { team, agent: "alice" }],
    ];
    for (const [path, method, params] of reads) {
      demand(context, path);
      const whole = await context.ok(method, params);
      const mend = tear(path);
      const reading = context.call(method, params);
      await pause(40);
      mend();
      const reply: Reply = await reading;
      if (reply.outcome === "ok" && JSON.stringify(reply.result) === JSON.stringify(whole)) continue;
      const at = relative(context.root, path);
      throw checkFailure(`${at} was torn for 40 ms and ${method} did not wait`, { expected: whole, actual: reply });
    }
    return undefined;
  },
};

export const tornChecks: readonly Check[] = [tornReads, inboxPublication, tornForAMoment];
