import { statSync } from "node:fs";
import { join } from "node:path";
import { isTeamName } from "@troupe/protocol";
import { type Answer, type Call, exits } from "../command.ts";
import { openStore } from "../open.ts";
import { wholeName } from "../which-team.ts";
import { activitiesIn } from "./activity.ts";
import { readAllTeams, unfolded } from "./all-teams.ts";
import { listDocument, overviewDocument } from "./overview-document.ts";
import { foldedText, rootText } from "./overview-text.ts";
import { run as showTeam } from "./show.ts";

export async function run(call: Call<{ dir: string | undefined }, { all?: boolean }>): Promise<Answer> {
  const { dir } = call.args;
  const root = dir ?? call.root;
  const missing = missingRoot({ ...call, root });
  if (missing && dir !== undefined && isTeamName(dir)) {
    const team = await wholeName(call, dir);
    if ((await openStore(call).listTeams()).includes(team)) return showOne(call, team);
  }
  if (missing) return missing;
  const place = { ...call, root };
  const found = await readAllTeams(place);
  const activities = new Map(
    await Promise.all(
      found.teams.map(async ({ overview }) => [overview, await activitiesIn(place, overview)] as const),
    ),
  );
  if (found.teams.length + found.lists.length + found.problems.length === 0)
    return { exit: exits.absent, remark: `no teams under ${root}; ${firstStep(place)}` };
  const { shown, folded } = unfolded(found, call.options.all ?? false);
  const teams = shown.map(({ overview }) => overview);
  return {
    document: {
      root,
      teams: found.teams.map(({ overview, isLive }) => ({
        ...overviewDocument(overview, activities.get(overview)),
        isLive,
      })),
      lists: found.lists.map(listDocument),
      problems: found.problems,
    },
    text: [
      ...rootText(
        { ...found, teams },
        teams.map((overview) => activities.get(overview) ?? new Map()),
      ),
      ...foldedText(folded, call.now(), "troupe show --all"),
    ],
  };
}

/** A team that was named where a directory belongs. */
async function showOne(call: Call<object, object>, team: string): Promise<Answer> {
  const answer = await showTeam({ ...call, args: { team } });
  return { ...answer, document: { root: call.root, teams: [answer.document], lists: [], problems: [] } };
}

/** The answer for a root that does not exist; undefined if it exists. */
export function missingRoot(place: Pick<Call, "root" | "home">): Answer | undefined {
  const { root } = place;
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  return { exit: exits.absent, remark: `there is no directory ${root}; ${firstStep(place)}` };
}

/** Who has named no root has no team yet, or none here. */
const firstStep = ({ root, home }: Pick<Call, "root" | "home">): string =>
  root === join(home, ".claude")
    ? "troupe team create makes your first team, troupe demo shows one at work"
    : "name the one that holds teams/ and tasks/";
