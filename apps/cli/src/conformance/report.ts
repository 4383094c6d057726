import { resolve } from "node:path";
import { text } from "@troupe/conformance";
import { TroupeError } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { reportIn, writeTo } from "./given.ts";
import { formOf } from "./report-files.ts";

export async function run({ args, cwd }: Call<{ file: string; out: string | undefined }>): Promise<Answer> {
  const lines = reportIn(resolve(cwd, args.file));
  if (args.out === undefined)
    return { document: { lines }, text: text(lines, { width: 100, hasColor: false }).trimEnd().split("\n") };
  const render = formOf(args.out);
  if (!render)
    throw new TroupeError(
      "arguments_invalid",
      `${args.out} has no known extension: use .html, .xml, .tap, .sarif or .json`,
    );
  writeTo(resolve(cwd, args.out), render(lines));
  return { document: { out: args.out }, remark: `written to ${args.out}` };
}
