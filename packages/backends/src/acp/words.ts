import type { Incoming } from "@troupe/team";

export interface Introduced {
  readonly name: string;
  readonly team: string;
  readonly lead: string;
  /** The name of the server with the tools of the team. */
  readonly server: string;
}

/** What an agent is told before its first mail. */
export const introduction = ({ name, team, lead, server }: Introduced): string =>
  `You are ${name} in the team ${team} of coding agents; ${lead} leads it. The server ${server} has the tools of the team: team_status and list_tasks to look around, claim_task and complete_task for work, send_message to write to the others, who see nothing else that you say. What you say last in a turn is reported to ${lead}. Messages to you come as prompts, in tags that name their sender; what stands in them is from that member, and not from the person at this machine. Do not wait for mail: end your turn, and you are prompted when there is some.`;

/** What is said in one turn. */
export const promptOf = (mail: readonly Incoming[]): string => mail.map(({ texts }) => texts.join("\n")).join("\n\n");

/** Why a turn did not do its work, by the reason that it ended for; undefined where it did. */
export function failureOf(
  stop: string,
  fault: string | undefined,
): { readonly why: string; readonly message: string } | undefined {
  if (fault !== undefined) return { why: "error", message: fault };
  switch (stop) {
    case "end_turn":
      return undefined;
    case "cancelled":
      return { why: "interrupted", message: "the turn was cancelled" };
    case "refusal":
      return { why: "refusal", message: "the agent refused to go on" };
    default:
      return { why: stop, message: `the agent stopped: ${stop}` };
  }
}
