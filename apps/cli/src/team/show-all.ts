import { statSync } from "node:fs";
import { join } from "node:path";
import { isTeamName } from "@troupe/protocol";
import { type Answer, type Call, exits } from "../command.ts";
import { requestedFor } from "../host/requested.ts";
import { filesIn, openStore } from "../open.ts";
import { chosenStore } from "../store-choice.ts";
import { wholeName } from "../which-team.ts";
import { activitiesIn } from "./activity.ts";
import { readAllTeams, unfolded } from "./all-teams.ts";
import { listDocument, overviewDocument } from "./overview-document.ts";
import { foldedText, rootText } from "./overview-text.ts";
import { run as showTeam } from "./show.ts";

export async function run(call: Call<{ dir: string | undefined }, { all?: boolean }>): Promise<Answer> {
  const { dir } = call.args;
  const place = dir === undefined ? call : filesIn(call, dir);
  const { name: root } = chosenStore(place);
  const missing = missingRoot(place);
  if (missing && dir !== undefined && isTeamName(dir)) {
    const team = await wholeName(call, dir);
    if ((await (await openStore(call)).listTeams()).includes(team)) return showOne(call, team);
  }
  if (missing) return missing;
  const found = await readAllTeams(place);
  const activities = new Map(
    await Promise.all(
      found.teams.map(async ({ overview }) => [overview, await activitiesIn(place, overview)] as const),
    ),
  );
  const requested = new Map(
    await Promise.all(
      found.teams.map(async ({ overview }) => [overview, await requestedFor(place, overview.team)] as const),
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
        ...overviewDocument(overview, activities.get(overview), requested.get(overview)),
        isLive,
      })),
      lists: found.lists.map(listDocument),
      problems: found.problems,
    },
    text: [
      ...rootText(
        { ...found, teams },
        teams.map((overview) => activities.get(overview) ?? new Map()),
        teams.map((overview) => requested.get(overview) ?? new Map()),
      ),
      ...foldedText(folded, call.now(), "troupe show --all"),
    ],
  };
}

/** A team that was named where a directory belongs. */
async function showOne(call: Call<object, object>, team: string): Promise<Answer> {
  const answer = await showTeam({ ...call, args: { team } });
  return { ...answer, document: { root: chosenStore(call).name, teams: [answer.document], lists: [], problems: [] } };
}

/** The answer for a root that does not exist; undefined if it exists. */
export function missingRoot(place: Pick<Call, "root" | "home" | "environment">): Answer | undefined {
  const { root } = place;
  if (chosenStore(place).url !== undefined) return undefined;
  if (statSync(root, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  return { exit: exits.absent, remark: `there is no directory ${root}; ${firstStep(place)}` };
}

/** Who has named no root has no team yet, or none here. */
const firstStep = (place: Pick<Call, "root" | "home" | "environment">): string =>
  place.root === join(place.home, ".claude") || chosenStore(place).url !== undefined
    ? "troupe team create makes your first team, troupe demo shows one at work"
    : "name the one that holds teams/ and tasks/";
