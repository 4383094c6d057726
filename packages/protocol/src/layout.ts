import { TroupeError } from "./errors.ts";
import { assertGiven, shown } from "./given.ts";
import { agentName, deletedTeamName, isAgentName, taskId, teamName, worktreeSlug } from "./names.ts";

/** The paths of one team. */
export interface TeamLayout {
  readonly directory: string;
  readonly config: string;
  readonly inboxes: string;
  inbox(agent: string): string;
  readonly tasks: string;
  task(id: string): string;
  /** At rest an empty file; held, the directory `lockOf` names. */
  readonly taskLock: string;
  /** The highest id given so far, as a decimal without a newline. */
  readonly highWaterMark: string;
}

/** Every path below the root. Names that could lead elsewhere are refused with `name_invalid`. */
export interface Layout {
  readonly root: string;
  readonly teams: string;
  readonly taskLists: string;
  team(name: string): TeamLayout;
  /** The path of a team's directory for the moment before it is removed. */
  deletedTeam(name: string, uuid: string): string;
  readonly plans: string;
  plan(fileName: string): string;
  readonly agents: string;
  transcript(project: string, sessionId: string): string;
  subagentTranscript(project: string, sessionId: string, agentId: string): string;
  subagentMeta(project: string, sessionId: string, agentId: string): string;
}

/** `root` is `~/.claude` for the reference client. */
export function layoutOf(root: string): Layout {
  assertGiven("layoutOf", { root }, { root: "string" });
  if (root === "")
    throw new TroupeError("path_escaping", "the root is empty; name the directory that holds teams/", { root });
  const teams = join(root, "teams");
  const taskLists = join(root, "tasks");
  const plans = join(root, "plans");
  const session = (project: string, sessionId: string) =>
    join(root, "projects", component(project), component(sessionId));
  const subagent = (project: string, sessionId: string, agentId: string) =>
    join(session(project, sessionId), "subagents", `agent-${component(agentId)}`);

  return {
    root,
    teams,
    taskLists,
    team(name) {
      const directory = join(teams, teamName(name));
      const tasks = join(taskLists, teamName(name));
      return {
        directory,
        config: join(directory, "config.json"),
        inboxes: join(directory, "inboxes"),
        inbox: (agent) => join(directory, "inboxes", `${agentName(agent)}.json`),
        tasks,
        task: (id) => join(tasks, `${taskId(id)}.json`),
        taskLock: join(tasks, ".lock"),
        highWaterMark: join(tasks, ".highwatermark"),
      };
    },
    deletedTeam: (name, uuid) => join(teams, component(deletedTeamName(teamName(name), uuid))),
    plans,
    plan: (fileName) => join(plans, component(fileName)),
    agents: join(root, "agents"),
    transcript: (project, sessionId) => `${session(project, sessionId)}.jsonl`,
    subagentTranscript: (project, sessionId, agentId) => `${subagent(project, sessionId, agentId)}.jsonl`,
    subagentMeta: (project, sessionId, agentId) => `${subagent(project, sessionId, agentId)}.meta.json`,
  };
}

/** The directory whose existence means that `file` is locked. */
export const lockOf = (file: string): string => `${file}.lock`;

/** The id of a task file, or undefined: locks, temporary and foreign files lie beside the tasks. */
export const taskIdOf = (fileName: string): string | undefined => /^([1-9][0-9]{0,14})\.json$/.exec(fileName)?.[1];

/** The agent of an inbox file, or undefined: locks and temporary files lie beside the inboxes. */
export function inboxOwnerOf(fileName: string): string | undefined {
  const name = fileName.endsWith(".json") ? fileName.slice(0, -".json".length) : "";
  return isAgentName(name) ? name : undefined;
}

/** The memory directory of a definition: below the user's root, or below the project. */
export function agentMemory(scope: "user" | "project" | "local", agent: string, root: string, project: string): string {
  assertGiven("agentMemory", { scope }, { scope: "string" });
  const bases = {
    user: join(root, "agent-memory"),
    project: join(project, ".claude", "agent-memory"),
    local: join(project, ".claude", "agent-memory-local"),
  };
  return join(bases[scope], component(agent));
}

/** A worktree of a repository, by a name that cannot lead outside. */
export const worktree = (repository: string, name: string): string =>
  join(repository, ".claude", "worktrees", worktreeSlug(name));

/**
 * The output file of an agent's run, in the temporary directory; `project` is escaped as in
 * `transcript`.
 */
export function agentOutput(temporary: string, uid: number, project: string, sessionId: string, id: string): string {
  assertGiven("agentOutput", { uid }, { uid: "number" });
  return join(temporary, `claude-${uid}`, component(project), component(sessionId), "tasks", `${component(id)}.output`);
}

function join(...parts: string[]): string {
  if (parts.some((part) => typeof part !== "string")) assertGiven("a path", { parts }, { parts: "strings" });
  return parts.join("/");
}

/** One component of a path, whatever it is called elsewhere. */
function component(text: string): string {
  if (typeof text === "string" && text !== "" && text !== "." && text !== ".." && !/[/\\\u0000-\u001f]/.test(text))
    return text;
  throw new TroupeError("path_escaping", `${shown(text)} cannot be part of a path`, { component: text });
}
