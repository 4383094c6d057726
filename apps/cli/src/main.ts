#!/usr/bin/env node
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isTroupeError } from "@troupe/protocol";
import { readOverviews } from "./overview.ts";
import { renderOverview } from "./render.ts";

const usage = `usage: troupe show [root]

Shows every team under a root directory: its members, its tasks with what blocks them, and who has unread messages.
The root is $CLAUDE_CONFIG_DIR or ~/.claude unless you name one. Nothing is written.`;

function main(args: readonly string[]): number {
  const [command, root = process.env["CLAUDE_CONFIG_DIR"] ?? join(homedir(), ".claude"), ...surplus] = args;
  if (command === "--help" || command === "help" || command === undefined) {
    console.log(usage);
    return command === undefined ? 2 : 0;
  }
  if (command !== "show" || surplus.length > 0) {
    console.error(`troupe: there is no command ${JSON.stringify(args.join(" "))}\n\n${usage}`);
    return 2;
  }
  if (!existsSync(root)) {
    console.error(`troupe: there is no directory ${root}; name the one that holds teams/ and tasks/`);
    return 1;
  }
  const overviews = readOverviews(root);
  console.log(overviews.length > 0 ? overviews.map(renderOverview).join("\n\n") : `no teams under ${root}`);
  return 0;
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  console.error(`troupe: ${isTroupeError(error) || error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
