import { cwd, type TeamIdentity, writeFoundTeam } from "../cases/found-team.ts";
import type { CheckContext, SceneMethod } from "../check.ts";
import { chanceFrom } from "../run/chance.ts";
import type { Params } from "../target.ts";

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

/**
 * Lets the target make the check's team with these members, and says what it is called. Whatever of
 * it the target does not do is written by the suite.
 */
export async function makeTeam(
  context: CheckContext,
  members: readonly (string | Params)[] = [],
): Promise<TeamIdentity> {
  const identity = identityOf(context);
  const { team, session } = identity;
  const joining = members.map((member) => (typeof member === "string" ? { name: member } : member));
  if (does(context, "team.create")) {
    await context.ok("team.create", { ...defaultParams["team.create"], team, sessionId: session });
  } else {
    const found = does(context, "member.add") ? [] : joining.map(entryOf);
    writeFoundTeam(context.root, context.revision, identity, { members: found });
  }
  if (!does(context, "member.add")) return identity;
  for (const member of joining) await context.ok("member.add", { ...defaultParams["member.add"], team, ...member });
  return identity;
}

const does = ({ declaration: { levels, methods } }: CheckContext, method: SceneMethod): boolean =>
  methods.includes(method) || levels.some((level) => level !== "L0");

/** What `member.add` would write of its parameters. */
const entryOf = ({ backend = "in-process", paneId, mode, ...member }: Params): Params => ({
  ...member,
  tmuxPaneId: paneId ?? "in-process",
  backendType: backend,
  planModeRequired: mode === "plan",
  ...(backend === "tmux" && { isActive: true }),
});

/** Lets the target make a number of tasks; their ids, in order. */
export async function makeTasks(context: CheckContext, team: string, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    const made = await context.ok("task.create", { ...defaultParams["task.create"], team, subject: `Task ${number}` });
    ids.push(String(made["id"]));
  }
  return ids;
}
