#!/usr/bin/env node
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { readRoot } from "./overview.ts";
import { renderRoot } from "./render.ts";

const usage = `usage: troupe show [root]

Shows every team under a root directory: its members, its tasks with what blocks them, and who has unread messages.
The root is $CLAUDE_CONFIG_DIR or ~/.claude unless you name one. Nothing is written.

  troupe show ~/.claude
  troupe show apps/cli/sample

Ends with 0, with 1 when there is nothing to show, with 2 when it was asked in a wrong way.`;

function main(args: readonly string[]): number {
  if (args.includes("--help") || args.includes("-h") || args[0] === "help") {
    console.log(usage);
    return 0;
  }
  const [command, root = process.env["CLAUDE_CONFIG_DIR"] || join(homedir(), ".claude"), ...surplus] = args;
  if (command === undefined) return complain(usage, 2);
  if (command !== "show") return complain(`troupe: there is no command ${JSON.stringify(command)}\n\n${usage}`, 2);
  if (surplus.length > 0 || root.startsWith("-"))
    return complain(`troupe: show takes one directory and no options\n\n${usage}`, 2);
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) {
    return complain(`troupe: there is no directory ${root}; name the one that holds teams/ and tasks/`, 1);
  }
  const shown = renderRoot(readRoot(root));
  if (shown === "")
    return complain(`troupe: no teams under ${root}; name the directory that holds teams/ and tasks/`, 1);
  console.log(shown);
  return 0;
}

function complain(message: string, code: number): number {
  console.error(message);
  return code;
}

process.stdout.on("error", (error: { code?: unknown }) => {
  // Whoever read our output went away, as `head` does: that is no failure.
  process.exitCode = error.code === "EPIPE" ? 0 : 1;
});

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  process.exitCode = complain(`troupe: ${error instanceof Error ? error.message : String(error)}`, 1);
}
