import { readFileSync, statSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Reply } from "./script.ts";
import type { FakeAnthropicOptions } from "./server.ts";

export const usage = `usage: fake-anthropic [--port N] [--script file.json]
The file holds a list of replies: texts, lists of content blocks, objects with content. Without it, answers echo.
`;

const isReply = (value: unknown): value is Reply =>
  typeof value === "string" || (typeof value === "object" && value !== null);

function repliesIn(file: string): readonly Reply[] {
  if (!statSync(file).isFile()) throw new Error(`${file} is no regular file: name one that holds the replies`);
  const replies: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (Array.isArray(replies) && replies.every(isReply)) return replies;
  throw new Error(`${file} must hold a list of texts, lists of blocks or objects`);
}

/** Parses the command line; undefined for `--help`. */
export function optionsOf(words: readonly string[]): FakeAnthropicOptions | undefined {
  const options = { port: { type: "string" }, script: { type: "string" }, help: { type: "boolean" } } as const;
  const { values } = parseArgs({ args: [...words], options });
  if (values.help) return undefined;
  const port = Number(values.port ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error("--port takes a number from 0 to 65535");
  return { port, ...(values.script !== undefined && { replies: repliesIn(values.script) }) };
}
