import { basename } from "node:path";
import { isClaimable, taskIdOf } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { timeSpans } from "../mail/message.ts";
import { lookAtTasks, openTeam, unknownMember } from "../open.ts";
import { taskDocument } from "../team/overview-document.ts";
import { problemText, taskText } from "../team/overview-text.ts";
import { eachChange } from "../watch/each-change.ts";

interface ListOptions {
  readonly ready?: boolean;
  readonly owner?: string;
  readonly status?: string;
  readonly watch?: boolean;
}

type ListCall = Call<{ team: string }, ListOptions>;

export async function run(call: ListCall): Promise<Answer | undefined> {
  return call.options.watch ? watchList(call) : listOf(call);
}

async function listOf(call: ListCall): Promise<Answer & { readonly document: object }> {
  const { ready, owner, status } = call.options;
  const found = await lookAtTasks(call, call.args.team);
  const { team, tasks, problems } = found;
  if (owner !== undefined && "members" in found) {
    const owners = [...found.members.map(({ member }) => member.name), ...tasks.map(({ task }) => task.owner)];
    if (!owners.includes(owner)) unknownMember(team, owner, owners);
  }
  const chosen = tasks.filter(
    ({ task, openBlockers }) =>
      (!ready || isClaimable(task, openBlockers)) &&
      (owner === undefined || task.owner === owner) &&
      (status === undefined || task.status === status),
  );
  const faults = problems
    .filter(({ file }) => file.startsWith("tasks/"))
    .map((fault) => ({ ...fault, id: taskIdOf(basename(fault.file)) ?? null }));
  return {
    document: {
      team,
      tasks: chosen.map(({ task, openBlockers }) => taskDocument(task, openBlockers)),
      problems: faults,
    },
    text: [...taskText(chosen), ...problemText(faults)],
  };
}

/** Tells the list, and again each time it is another. */
async function watchList(call: ListCall): Promise<undefined> {
  const { args, now, tell } = call;
  const team = await openTeam(call, args.team);
  let last = "";

  async function look(): Promise<void> {
    const { document, text = [] } = await listOf(call);
    const shown = JSON.stringify(document);
    if (shown === last) return;
    const head = last === "" ? [] : ["", timeSpans(now())];
    last = shown;
    await tell({ document, text: [...head, ...text] });
  }

  return eachChange(call, team, ({ kind }) => kind === "task", look);
}
