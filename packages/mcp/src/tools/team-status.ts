import { leadOf } from "@troupe/protocol";
import { doingsIn, stateOf } from "@troupe/team";
import { z } from "zod";
import { shownTasks } from "./task.ts";
import { defineTool } from "./tool.ts";

const Status = z.object({
  team: z.string(),
  revision: z.string().describe("The revision of the team protocol on disk."),
  you: z.string().optional().describe("Your own name; absent for a client that only looks."),
  lead: z.string().optional(),
  members: z.array(
    z.object({
      name: z.string(),
      type: z.string().optional(),
      state: z.string().optional().describe("working, idle or needs_input; absent where it is not known"),
    }),
  ),
  tasks: z.object({ pending: z.number(), in_progress: z.number(), completed: z.number() }),
});

export const teamStatus = defineTool()({
  name: "team_status",
  title: "Look at the team",
  description: "Who is in the team, who leads it, what each member does, and how many tasks are open.",
  input: z.object({}),
  output: Status,
  isReadOnly: true,
  async run(_, { team, self }) {
    const [{ value }, doings, tasks] = await Promise.all([team.config(), doingsIn(team), shownTasks(team.tasks)]);
    const having = (status: string) => tasks.filter((task) => task.status === status).length;
    const status = {
      team: team.name,
      revision: team.form,
      ...(self !== undefined && { you: self }),
      ...(value && { lead: leadOf(value)?.name }),
      members: (value?.members ?? []).map(({ name, agentType, isActive }) => {
        const doing = doings.get(name);
        const state = doing ? stateOf(doing) : isActive === undefined ? undefined : isActive ? "working" : "idle";
        return { name, ...(agentType && { type: agentType }), ...(state && { state }) };
      }),
      tasks: { pending: having("pending"), in_progress: having("in_progress"), completed: having("completed") },
    };
    return { value: status };
  },
});
