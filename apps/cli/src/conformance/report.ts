import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "@troupe/conformance";
import { TroupeError } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { reportIn } from "./given.ts";
import { formOf } from "./reports.ts";

export async function run({ args, cwd }: Call<{ file: string; out: string | undefined }>): Promise<Answer> {
  const lines = reportIn(resolve(cwd, args.file));
  if (args.out === undefined)
    return { document: { lines }, text: text(lines, { width: 100, hasColor: false }).trimEnd().split("\n") };
  const render = formOf(args.out);
  if (!render)
    throw new TroupeError(
      "arguments_invalid",
      `${args.out} says no form: end it in .html, .xml, .tap, .sarif or .json`,
    );
  writeFileSync(resolve(cwd, args.out), render(lines));
  return { document: { out: args.out }, remark: `written to ${args.out}` };
}
