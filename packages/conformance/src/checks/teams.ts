import type { CheckContext } from "../check.ts";
import { chanceFrom } from "../run/chance.ts";
import type { Params } from "../target.ts";

/** The names of a check's team and its lead. */
export interface TeamIdentity {
  readonly team: string;
  /** A UUID; in 2026-11 the name of the team follows from it. */
  readonly session: string;
}

/** Always the same for one check and seed. */
export function identityOf({ seed, revision }: Pick<CheckContext, "seed" | "revision">): TeamIdentity {
  const session = uuidFrom(chanceFrom(seed));
  return { session, team: revision === "2026-11" ? `session-${session.slice(0, 8)}` : `team-${session.slice(0, 4)}` };
}

/** A version 4 UUID. */
export function uuidFrom(random: () => number): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16));
  digits[12] = "4";
  digits[16] = "89ab"[Math.floor(random() * 4)] ?? "8";
  const text = digits.join("");
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
}

export const cwd = "/home/dev/project";

/** The parameters of a call that a check does not test. */
export const defaultParams: Readonly<Record<string, Params>> = {
  "team.create": { cwd, model: "claude-opus-4-6" },
  "member.add": {
    agentType: "general-purpose",
    model: "claude-opus-4-6",
    prompt: "Read the parser and report to team-lead what is missing.",
    cwd,
    backend: "in-process",
  },
  "task.create": { description: "All rules of the grammar, with tests" },
  "inbox.append": { from: "team-lead" },
};

/** Lets the target make the check's team with these members, and says what it is called. */
export async function makeTeam(
  context: CheckContext,
  members: readonly (string | Params)[] = [],
): Promise<TeamIdentity> {
  const identity = identityOf(context);
  const { team, session } = identity;
  await context.ok("team.create", { ...defaultParams["team.create"], team, sessionId: session });
  for (const member of members) {
    const said = typeof member === "string" ? { name: member } : member;
    await context.ok("member.add", { ...defaultParams["member.add"], team, ...said });
  }
  return identity;
}

/** Lets the target make a number of tasks; their ids, in order. */
export async function makeTasks(context: CheckContext, team: string, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    const made = await context.ok("task.create", { ...defaultParams["task.create"], team, subject: `Task ${number}` });
    ids.push(String(made["id"]));
  }
  return ids;
}
