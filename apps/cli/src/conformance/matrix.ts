import { resolve } from "node:path";
import { columnOf, matrix } from "@troupe/conformance";
import type { Answer, Call } from "../command.ts";
import { reportIn, writeTo } from "./given.ts";

export async function run({ args, cwd }: Call<{ out: string; files: readonly string[] }>): Promise<Answer> {
  const reports = args.files.map((file) => columnOf(reportIn(resolve(cwd, file))));
  writeTo(resolve(cwd, args.out), matrix(reports));
  return { document: { out: args.out, reports: reports.length }, remark: `written to ${args.out}` };
}
