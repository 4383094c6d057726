import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { codecFor, layoutOf } from "@troupe/protocol";
import { openFileStore } from "@troupe/store/files";
import { atMost, quickest, type Result, roundsOf } from "./measure.ts";

const main = fileURLToPath(new URL("../../apps/cli/dist/main.js", import.meta.url));
const many = 100_000;
const codec = codecFor("2026-02");

/** What reads and parses all documents of a directory, and does nothing with them. */
const parsing = `
const { readdirSync, readFileSync } = require("node:fs");
const directory = process.argv[1];
for (const name of readdirSync(directory))
  if (name.endsWith(".json")) JSON.parse(readFileSync(directory + "/" + name, "utf8"));
`;

/**
 * P15: commands at a team of a hundred thousand tasks and at one of as many messages, against a
 * program that reads the same files and parses them. Both print to nobody.
 */
export async function scaling(): Promise<Record<string, Result>> {
  const root = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  try {
    const { tasks } = await teamIn(root, "tasks");
    for (let id = 1; id <= many; id += 1)
      writeFileSync(join(tasks, `${id}.json`), codec.write(codec.newTask({ id: `${id}`, subject, description })));
    const { inboxes } = await teamIn(root, "mail");
    mkdirSync(inboxes, { recursive: true });
    writeFileSync(join(inboxes, "team-lead.json"), codec.write(Array.from({ length: many }, (_, n) => entry(n))));
    const against = async (directory: string, ...words: readonly string[]) =>
      atMost(3, await roundsOf(() => looking(words) / quickest(() => run("-e", parsing, directory), 2), 3));
    const looking = (words: readonly string[]) => quickest(() => run(main, ...words, "--root", root), 2);
    return {
      "P15.show": await against(tasks, "show", "tasks"),
      "P15.tasks": await against(tasks, "task", "list", "tasks"),
      "P15.inbox": await against(inboxes, "inbox", "mail"),
      "P15.log": await against(inboxes, "log", "mail"),
    };
  } finally {
    rmSync(root, { recursive: true });
  }
}

const subject = "Read the parser";
const description = "All of it, and the tests";
const entry = (n: number) =>
  codec.newEntry({
    from: { name: "alice", color: "blue" },
    content: { text: "x".repeat(300), summary: "s" },
    timestamp: new Date(1_770_000_000_000 + n * 1_000).toISOString(),
    messageId: crypto.randomUUID(),
  });

async function teamIn(root: string, name: string) {
  const draft = { createdAt: 1_770_000_000_000, leadSessionId: name, leadModel: "m", cwd: "/" };
  await openFileStore({ root }).createTeam({ name, ...draft });
  return layoutOf(root).team(name);
}

function run(...args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, args, { stdio: "ignore" });
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}`);
}
