import { statSync } from "node:fs";
import { isTeamName } from "@troupe/protocol";
import { type Answer, type Call, exits } from "../command.ts";
import { readRoot, readTeam } from "./overview.ts";
import { overviewDocument } from "./overview-document.ts";
import { rootText } from "./overview-text.ts";

export async function run({ root: said, args: { dir } }: Call<{ dir: string | undefined }>): Promise<Answer> {
  const root = dir ?? said;
  const missing = missingRoot(root);
  if (missing && dir !== undefined && isTeamName(dir) && readTeam(said, dir))
    return { ...missing, remark: `${dir} is a team and no directory: troupe team show ${dir}` };
  if (missing) return missing;
  const found = readRoot(root);
  if (found.teams.length + found.problems.length === 0)
    return { exit: exits.absent, remark: `no teams under ${root}; name the directory that holds teams/ and tasks/` };
  return {
    document: { root, teams: found.teams.map(overviewDocument), problems: found.problems },
    text: rootText(found),
  };
}

/** How a look ends where there is nothing to look at. */
export function missingRoot(root: string): Answer | undefined {
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const remark = `there is no directory ${root}; name the one that holds teams/ and tasks/`;
  return { exit: exits.absent, remark };
}
