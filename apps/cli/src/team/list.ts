import type { Answer, Call } from "../command.ts";
import { counted } from "../paint.ts";
import { type Overview, readRoot } from "./overview.ts";
import { formLabel, problemText } from "./overview-text.ts";
import { missingRoot } from "./show-all.ts";

export async function run({ root }: Call): Promise<Answer> {
  const missing = missingRoot(root);
  if (missing) return missing;
  const { teams, problems } = readRoot(root);
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
    ...(found.length + problems.length === 0 && { remark: `no teams under ${root}; troupe team create makes one` }),
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
