import { z } from "zod";
import { TroupeError } from "./errors.ts";
import { assertGiven, shown } from "./given.ts";
import { asRead } from "./look-alikes.ts";

/**
 * A name becomes a file name and half of `name@team`: no separator, wildcard, quote, `@`, space or
 * control character, no leading or trailing dot, no two dots in a row. The patterns are plain
 * enough for every regular expression engine.
 */
const namePattern =
  /^[^\x00-\x20"*./:<>?@\\|~\x7f-\x9f_-][^\x00-\x20"*./:<>?@\\|\x7f-\x9f]*(\.[^\x00-\x20"*./:<>?@\\|\x7f-\x9f]+)*$/;
const nameLength = /^[\s\S]{0,64}$/u;
const nameRule = 'a name of 1 to 64 letters, digits, "-", "_" and single dots that begins with a letter or digit';

/** Characters that no portable pattern can name: invisible ones, and direction marks. */
const invisible = /[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

const name = (title: string, description: string, examples: string[]) =>
  z
    .string()
    .regex(namePattern, { error: nameRule })
    .regex(nameLength, { error: nameRule })
    .meta({ title, description, examples });

/** A team's name, which is the name of its directory. */
export const TeamName = name("Team name", "The team's name, equal to the name of its directory.", [
  "analysis-team",
  "session-b7f5edcc",
]);
export type TeamName = z.infer<typeof TeamName>;

/** A member's bare name, by which messages find it. */
export const AgentName = name(
  "Agent name",
  "A member's bare name, by which it is addressed; it names its inbox file.",
  ["team-lead", "alice"],
);
export type AgentName = z.infer<typeof AgentName>;

/** The stem of a task's file. */
export const TaskId = z
  .string()
  .regex(/^[1-9][0-9]{0,14}$/, { error: "1 to 15 decimal digits without a leading zero" })
  .meta({
    title: "Task id",
    description: "Decimal digits, equal to the stem of the task's file; never used twice in a team.",
    examples: ["1", "42"],
  });
export type TaskId = z.infer<typeof TaskId>;

/** The name of the agent that leads a team. */
export const leadName = "team-lead";

/**
 * Reserved names: prompts use them for the person, the program and the lead, and models trust them.
 */
const spoken: ReadonlySet<string> = new Set(["user", "system", "human", "person", "assistant", "main", "teamlead"]);

/**
 * Whether a name reads like the person, the program or the lead, ignoring marks between its
 * letters.
 */
export const isReservedName = (text: string): boolean => spoken.has(asRead(text).replace(/[\p{Pd}_.\s]/gu, ""));

/** Returns the name for a member to come, or throws an error that says what a name may be. */
export function memberName(text: string): AgentName {
  if (!isReservedName(text)) return agentName(text);
  const message = `${JSON.stringify(text)} cannot name a member: its messages would be taken for those of somebody else; choose another name`;
  throw new TroupeError("name_invalid", message, { name: text });
}

export const isTeamName = (text: string): boolean => isName(text) && !deletedTeam.test(text);
export const isAgentName = (text: string): boolean => isName(text);
export const isTaskId = (text: string): boolean => TaskId.safeParse(text).success;

/** Returns the name, or throws an error that says what a name may be. */
export function teamName(text: string): TeamName {
  if (isTeamName(text)) return text;
  throw invalid("team", text);
}

/** Returns the name, or throws an error that says what a name may be. */
export function agentName(text: string): AgentName {
  if (isAgentName(text)) return text;
  throw invalid("agent", text);
}

/** Returns the id, or throws an error that says what an id may be. */
export function taskId(text: string): TaskId {
  if (isTaskId(text)) return text;
  throw new TroupeError(
    "name_invalid",
    `${shown(text)} is not a task id: use 1 to 15 decimal digits without a leading zero, as in "12"`,
    { name: text },
  );
}

/** Two names are the same if their keys are: file systems fold case and normalise. */
export const nameKey = (text: string): string => text.normalize("NFC").toLowerCase();

/** The implicit team of an interactive session, by the first eight hex digits of its id. */
export function sessionTeamName(sessionId: string): TeamName {
  assertGiven("sessionTeamName", { sessionId }, { sessionId: "string" });
  return teamName(`session-${sessionId.slice(0, 8)}`);
}

/** The name under which a directory is put out of sight before it is removed; it is no team. */
export function deletedTeamName(team: TeamName, uuid: string): string {
  assertGiven("deletedTeamName", { team, uuid }, { team: "string", uuid: "string" });
  const name = `${team}.deleted-${uuid}`;
  if (deletedTeam.test(name)) return name;
  throw new TroupeError("id_invalid", `${shown(uuid)} is not a UUID in lower case`, { uuid });
}
const deletedTeam = /\.deleted-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The name of a worktree's directory: segments flattened with `+`, at most 64 characters. */
export function worktreeSlug(text: string): string {
  assertGiven("worktreeSlug", { text }, { text: "string" });
  const segments = text.split("/");
  const isSound = segments.every((segment) => /^[A-Za-z0-9._-]+$/.test(segment) && segment !== "." && segment !== "..");
  if (isSound && text.length <= 64) return segments.join("+");
  throw new TroupeError(
    "name_invalid",
    `${shown(text)} is not a worktree name: use at most 64 letters, digits, ".", "_" and "-", in segments separated by "/"`,
    { name: text },
  );
}

/** The bytes limit leaves room for `.json.lock` in the 255 bytes of a file name. */
const isName = (text: string): boolean =>
  typeof text === "string" &&
  namePattern.test(text) &&
  nameLength.test(text) &&
  new TextEncoder().encode(text).length <= 200 &&
  text.isWellFormed() &&
  !invisible.test(text);

const invalid = (noun: "team" | "agent", text: string): TroupeError =>
  new TroupeError(
    "name_invalid",
    `${shown(text)} does not name ${noun === "agent" ? "an agent" : "a team"}: use ${nameRule}`,
    {
      name: text,
    },
  );
