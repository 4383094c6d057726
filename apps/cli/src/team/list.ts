import type { Overview } from "@troupe/store";
import { ageText } from "../age.ts";
import type { Answer, Call } from "../command.ts";
import { counted, type Span } from "../paint.ts";
import { chosenStore } from "../store-choice.ts";
import { type AllTeams, readAllTeams, unfolded } from "./all-teams.ts";
import { foldedText, formLabel, problemText } from "./overview-text.ts";
import { missingRoot } from "./show-all.ts";

export async function run(call: Call<object, { all?: boolean }>): Promise<Answer> {
  const { now, options } = call;
  const { name: root } = chosenStore(call);
  const missing = missingRoot(call);
  if (missing) return missing;
  const found = await readAllTeams(call);
  const { teams, problems } = found;
  const { shown, folded } = unfolded(found, options.all ?? false);
  return {
    document: { root, teams: teams.map(summaryOf), problems },
    text: [
      { rows: shown.map((team) => rowOf(team, now())) },
      ...foldedText(folded, now(), "troupe team list --all"),
      ...problemText(problems),
    ],
    ...(teams.length + problems.length === 0 && { remark: `no teams under ${root}; troupe team create creates one` }),
  };
}

function rowOf(team: AllTeams["teams"][number], now: Date): Span[] {
  const { name, members, tasks, unread, isLive } = summaryOf(team);
  const age = `${isLive ? "live" : "ended"}, changed ${ageText(now.getTime() - team.changedAt)} ago`;
  return [
    { text: name, style: "bold" },
    formLabel(team.overview.form),
    counted(members, "member"),
    `${tasks.completed} of ${counted(tasks.pending + tasks.in_progress + tasks.completed, "task")} done`,
    `${unread} unread`,
    isLive ? age : { text: age, style: "dim" },
  ];
}

function summaryOf({ overview, isLive, changedAt }: AllTeams["teams"][number]) {
  const { team, form, description, members, mail, tasks, problems }: Overview = overview;
  const having = (status: string) => tasks.filter(({ task }) => task.status === status).length;
  return {
    name: team,
    form: form ?? null,
    description: description ?? "",
    isLive,
    changedAt: new Date(changedAt).toISOString(),
    members: members.length,
    unread: mail.reduce((sum, { unread }) => sum + unread, 0),
    tasks: { pending: having("pending"), in_progress: having("in_progress"), completed: having("completed") },
    problems: problems.length,
  };
}
