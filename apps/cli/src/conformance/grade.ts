import { resolve } from "node:path";
import { gradeDirectory, type Revision, revisionsIn } from "@troupe/conformance";
import { type Answer, type Call, exits } from "../command.ts";
import { missingRoot } from "../team/show-all.ts";
import { answerOf } from "./report-files.ts";

export async function run(call: Call<{ dir: string }, { revision?: Revision; out?: string }>): Promise<Answer> {
  const { cwd, version, now, options } = call;
  const root = resolve(cwd, call.args.dir);
  const missing = missingRoot({ ...call, root });
  if (missing) return missing;
  const asked = options.revision ? [options.revision] : revisionsIn(root);
  if (asked.length === 0) {
    const remark = `there is no team in ${root}: name the directory that holds teams/ and tasks/`;
    return { document: { runs: [] }, remark, exit: exits.absent };
  }
  const judged = asked.map((revision) => ({ revision, lines: [...gradeDirectory({ root, revision, version, now })] }));
  return answerOf(judged, options.out && resolve(cwd, options.out));
}
