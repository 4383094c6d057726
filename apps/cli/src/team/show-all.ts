import { statSync } from "node:fs";
import { isTeamName } from "@troupe/protocol";
import { readOverview, readOverviews } from "@troupe/store";
import { type Answer, type Call, exits } from "../command.ts";
import { openStore } from "../open.ts";
import { askingIn } from "./asking.ts";
import { listDocument, overviewDocument } from "./overview-document.ts";
import { rootText } from "./overview-text.ts";

export async function run(call: Call<{ dir: string | undefined }>): Promise<Answer> {
  const { dir } = call.args;
  const root = dir ?? call.root;
  const missing = missingRoot(root);
  if (missing && dir !== undefined && isTeamName(dir) && (await readOverview(openStore(call), dir)))
    return { ...missing, remark: `${dir} is a team, not a directory: troupe team show ${dir}` };
  if (missing) return missing;
  const found = await readOverviews(openStore({ ...call, root }));
  const asking = await Promise.all(found.teams.map((one) => askingIn({ ...call, root }, one)));
  if (found.teams.length + found.lists.length + found.problems.length === 0)
    return { exit: exits.absent, remark: `no teams under ${root}; name the directory that holds teams/ and tasks/` };
  return {
    document: {
      root,
      teams: found.teams.map((one, index) => overviewDocument(one, asking[index])),
      lists: found.lists.map(listDocument),
      problems: found.problems,
    },
    text: rootText(found, asking),
  };
}

/** The answer for a root that does not exist; undefined if it exists. */
export function missingRoot(root: string): Answer | undefined {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const remark = `there is no directory ${root}; name the one that holds teams/ and tasks/`;
  return { exit: exits.absent, remark };
}
