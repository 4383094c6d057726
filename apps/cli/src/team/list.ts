import { type Overview, readOverviews } from "@troupe/store";
import type { Answer, Call } from "../command.ts";
import { openStore } from "../open.ts";
import { counted } from "../paint.ts";
import { formLabel, problemText } from "./overview-text.ts";
import { missingRoot } from "./show-all.ts";

export async function run(call: Call): Promise<Answer> {
  const { root } = call;
  const missing = missingRoot(root);
  if (missing) return missing;
  const { teams, problems } = await readOverviews(openStore(call));
  const found = teams.map(summaryOf);
  return {
    document: { root, teams: found, problems },
    text: [
      {
        rows: found.map(({ name, members, tasks, unread }, index) => [
          { text: name, style: "bold" },
          formLabel(teams[index]?.form),
          counted(members, "member"),
          `${tasks.completed} of ${counted(tasks.pending + tasks.in_progress + tasks.completed, "task")} done`,
          `${unread} unread`,
        ]),
      },
      ...problemText(problems),
    ],
    ...(found.length + problems.length === 0 && { remark: `no teams under ${root}; troupe team create creates one` }),
  };
}

function summaryOf({ team, form, description, members, mail, tasks, problems }: Overview) {
  const having = (status: string) => tasks.filter(({ task }) => task.status === status).length;
  return {
    name: team,
    form: form ?? null,
    description: description ?? "",
    members: members.length,
    unread: mail.reduce((sum, { unread }) => sum + unread, 0),
    tasks: { pending: having("pending"), in_progress: having("in_progress"), completed: having("completed") },
    problems: problems.length,
  };
}
