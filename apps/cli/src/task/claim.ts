import type { Claim } from "@troupe/store";
import { type Answer, type Call, exits } from "../command.ts";
import { actorName, openTasks, taskIdFrom } from "../open.ts";

export async function run(call: Call<{ team: string; id: string | undefined }, { as?: string }>): Promise<Answer> {
  const { name, tasks, team } = await openTasks(call, call.args.team);
  const agent = await actorName(team, call.options.as);
  if (call.args.id === undefined) {
    const task = await tasks.claimNext(agent);
    if (task) return claimed({ outcome: "claimed", task }, agent);
    return {
      document: { outcome: "none" },
      exit: exits.failed,
      remark: `no task is ready: troupe task list ${name} shows what each waits for`,
    };
  }
  const id = taskIdFrom(call.args.id);
  const claim = await tasks.claim(id, agent);
  switch (claim.outcome) {
    case "claimed":
      return claimed(claim, agent);
    case "taken":
      return {
        document: claim,
        exit: exits.failed,
        remark: `#${id} is ${claim.owner ? `${claim.owner}'s` : "started or done"} already: claim another`,
      };
    case "blocked":
      return {
        document: claim,
        exit: exits.failed,
        remark: `#${id} waits for ${claim.by.map((one) => `#${one}`).join(", ")}: complete that first`,
      };
    case "absent":
      return {
        document: claim,
        exit: exits.absent,
        remark: `there is no task ${id}: troupe task list ${name} shows their ids`,
      };
  }
}

const claimed = (claim: Claim & { outcome: "claimed" }, agent: string): Answer => ({
  document: claim,
  text: [`${agent} has #${claim.task.id} ${claim.task.subject ?? ""}`],
});
