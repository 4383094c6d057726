import { closeSync, existsSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Check, CheckContext } from "../check.ts";
import { checkFailure } from "../fault.ts";
import { revisions } from "../requirement.ts";
import { openSpinningReader } from "../run/spinning-reader.ts";
import { defaultParams, makeTasks, makeTeam } from "./teams.ts";

/** Changes of all three kinds of documents; every one of them is rewritten at least once. */
async function changeAll(context: CheckContext, team: string, round: number): Promise<void> {
  const text = `${round} `.repeat(20_000);
  await context.ok("task.update", { team, id: "1", description: text });
  await context.ok("inbox.append", { team, agent: "alice", from: "team-lead", text });
  await context.ok("member.add", { ...defaultParams["member.add"], team, name: `mate-${round}`, prompt: text });
}

async function begin(context: CheckContext) {
  const { team } = await makeTeam(context, ["alice"]);
  await makeTasks(context, team, 1);
  await changeAll(context, team, 0);
  const files = [`teams/${team}/config.json`, `teams/${team}/inboxes/alice.json`, `tasks/${team}/1.json`];
  const paths = files.map((file) => join(context.root, file));
  const missing = paths.filter((path) => !existsSync(path));
  if (missing.length > 0) throw checkFailure("documents that were written are not there", { missing });
  return { team, paths };
}

const needs = { methods: ["team.create", "member.add", "task.create", "task.update", "inbox.append"] };

/** Readers that take no lock see whole documents. */
export const publicationChecks: readonly Check[] = [
  {
    id: "FS-PUBLISH/a",
    title: "a rewrite replaces the file by a new one, so that a process that has the old one open still reads it whole",
    requirements: ["ATP-FS-012"],
    level: "L1",
    revisions,
    needs,
    async run(context) {
      const { team, paths } = await begin(context);
      for (const path of paths) {
        const open = openSync(path, "r");
        try {
          const before = { text: readFileSync(path, "utf8"), inode: fstatSync(open).ino };
          await changeAll(context, team, paths.indexOf(path) + 1);
          const seen = readFileSync(open, "utf8");
          if (seen !== before.text) {
            const inodes = { before: before.inode, after: statSync(path).ino };
            throw checkFailure(`${path.slice(context.root.length + 1)} was written in place`, { inodes });
          }
        } finally {
          closeSync(open);
        }
      }
      return undefined;
    },
  },
  {
    id: "FS-PUBLISH/b",
    title: "a reader that takes no lock never sees half a document, nor an empty one",
    requirements: ["ATP-FS-012"],
    level: "L1",
    revisions,
    needs,
    async run(context) {
      const { team, paths } = await begin(context);
      const reader = openSpinningReader(paths);
      try {
        await reader.ready;
        for (let round = 1; round <= (context.isQuick ? 8 : 40); round += 1) await changeAll(context, team, round);
      } finally {
        await reader.stop();
      }
      const { reads, torn } = await reader.stop();
      if (torn.length > 0) throw checkFailure(`of ${reads} reads ${torn.length} saw half a document`, { torn });
      if (reads < 10) throw new Error(`the reader came to no more than ${reads} reads`);
      return { reads };
    },
  },
];
