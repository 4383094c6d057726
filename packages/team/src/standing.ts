import { insideTags, isInternal, openBlockersOf } from "@troupe/protocol";
import { taskListText } from "@troupe/protocol/tools";
import type { Participant, Team } from "@troupe/store";
import type { Ledger } from "./ledger/ledger.ts";
import { howToAnswerPlan, howToAnswerShutdown } from "./words.ts";

export interface StandingDeps {
  readonly team: Pick<Team, "name" | "config" | "tasks">;
  readonly self: Pick<Participant, "name">;
  /** The name of who leads, which may be this one. */
  readonly lead: string;
  readonly ledger: () => Ledger;
}

/** So many lines of each kind at the most: a model asks for more with its tools. */
const mostLines = 100;

/**
 * What a model must know of its team after its conversation was summarised, from disk: who is in
 * it, which tasks are open, and which requests wait for an answer.
 */
export async function standingOf({ team, self, lead, ledger }: StandingDeps): Promise<string> {
  const [{ value }, { tasks }] = await Promise.all([team.config(), team.tasks.list()]);
  const members = (value?.members ?? []).map(({ name, agentType = "" }) =>
    [`- ${name}`, agentType && ` (${agentType})`, name === self.name ? ", you" : ""].join(""),
  );
  const blockers = openBlockersOf(tasks);
  const open = tasks
    .filter((task) => task.status !== "completed" && task.status !== "deleted" && !isInternal(task))
    .map(({ id, subject = "", status, owner }) => ({
      id,
      subject,
      status,
      ...(owner && { owner }),
      blockedBy: [...(blockers.get(id) ?? [])],
    }));
  const role = self.name === lead ? "its lead" : `whose lead is ${lead}`;
  const parts = [
    `As it stands on disk now, whatever the summary says: you are ${self.name} in the team ${team.name}, ${role}.`,
    `Members:\n${few(members, "config.json lists all")}`,
    `Open tasks:\n${few(taskListText({ tasks: open }).split("\n"), "TaskList shows all")}`,
    `Open requests:\n${few(requestsIn(ledger(), lead), "the others are older") || "None"}`,
  ];
  return `<system-reminder>\n${insideTags(parts.join("\n\n"))}\n</system-reminder>`;
}

function requestsIn(ledger: Ledger, lead: string): readonly string[] {
  const { open, asked } = ledger.state();
  const ofOthers = [...open.values()].map(({ handshake, from, id }) => {
    if (handshake === "plan") return `- The plan of ${from} waits. ${howToAnswerPlan(from, id)}`;
    if (handshake === "shutdown") return `- ${howToAnswerShutdown(lead, id)}`;
    return `- ${from} waits for a permission under the id ${id}`;
  });
  const own = [...asked].flatMap(([id, { handshake, to, outcome }]) => {
    if (outcome || handshake === "permission") return [];
    const what = handshake === "plan" ? "read your plan" : "end";
    return [`- You asked ${to} to ${what} (${id}), and no answer has come`];
  });
  return [...ofOthers, ...own];
}

function few(lines: readonly string[], more: string): string {
  const left = lines.length - mostLines;
  return [...lines.slice(0, mostLines), ...(left > 0 ? [`… and ${left} more: ${more}`] : [])].join("\n");
}
