import type { Revision } from "@troupe/protocol";
import { type Agent, type AgentDeps, openAgent } from "./agent.ts";
import { compactWithHooks } from "./hooks/compact.ts";
import type { Hooks } from "./hooks/hooks.ts";
import { type HookReports, judgeWithHooks, mayStopWithHooks } from "./hooks/judge.ts";
import type { Jobs } from "./jobs/jobs.ts";
import type { ForkPoint } from "./journal/entry.ts";
import type { Identity } from "./journal/lines.ts";
import { conversationOf } from "./journal/state.ts";
import type { Tool } from "./loop/tool.ts";
import type { Permissions } from "./permissions/permissions.ts";
import type { Queue } from "./queue.ts";
import type { AskUser } from "./tools/ask-user-question.ts";
import { builtInTools } from "./tools/index.ts";
import { recallSeen } from "./tools/seen-before.ts";
import type { SeenFiles } from "./tools/seen-files.ts";
import { createShells, type Shells } from "./tools/shells.ts";
import type { Skill, SkillDeps } from "./tools/skill.ts";

/** What all agents of a session have in common. */
export interface Household extends Pick<AgentDeps, "model" | "limits"> {
  readonly root: string;
  readonly home: string;
  /** The folder the session was opened in. */
  readonly project: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Where long output is kept. */
  readonly outputs: string;
  readonly sessionId: string;
  readonly revision: Revision;
  readonly gitBranch?: string | undefined;
  readonly queue: Queue;
  readonly jobs: Jobs;
  readonly skills: readonly Skill[];
  readonly newId: () => string;
  readonly now: () => Date;
  /** Shows the user what hooks have to say. */
  readonly show: (message: string) => void;
}

/** Tools that need to know where the conversation is when they run, to fork it; asked for once, when tools are first needed. */
export type Further = (forkPoint: () => ForkPoint | undefined) => readonly Tool[];

type RunForked = NonNullable<SkillDeps["runForked"]>;

export interface WorkerDeps extends Pick<AgentDeps, "transcript" | "key" | "system" | "fork" | "limits" | "inputs"> {
  readonly household: Household;
  /** The main conversation has none. */
  readonly id?: string;
  readonly cwd: string;
  readonly permissions: Permissions;
  readonly hooks: Hooks;
  readonly seen: SeenFiles;
  readonly askUser: AskUser;
  /** Tools besides the built-in ones. */
  readonly further: Further;
  /** Has an agent do a forked skill, below whoever has this conversation. */
  readonly runForked: (forkPoint: () => ForkPoint | undefined) => RunForked;
  /** Which of all these tools it has. */
  readonly choose?: (tools: readonly Tool[]) => readonly Tool[];
  /** Ends its turn: a hook said that it must not go on. */
  readonly stop: HookReports["stop"];
}

/** One agent of a session with hands of its own: tools, shells, what it has read. */
export interface Worker extends Agent {
  readonly shells: Shells;
  /** Ends what it started. */
  end(): Promise<void>;
}

export function openWorker(deps: WorkerDeps): Worker {
  const { household, id, cwd, permissions, hooks, seen, askUser, further, choose = (tools) => tools, stop } = deps;
  const { home, environment, outputs, revision, queue, jobs, skills, newId, now, show } = household;
  const own = id === undefined ? {} : { agent: id };
  const shells = createShells({ newId, notify: (draft) => void queue.notify(draft), revision, ...own });
  const tools = builtInTools({
    cwd,
    home,
    environment,
    outputs,
    seen,
    newId,
    shells,
    tasks: {
      find: (task) => shells.find(task) ?? jobs.below(id).find(task),
      running: () => [...shells.running(), ...jobs.below(id).running()],
    },
    fetch,
    revision,
    skills,
    runForked: (...skill) => deps.runForked(forkPoint)(...skill),
    maySee: (path) => isReadable(path),
    ask: askUser,
  });
  /** What must not be read must not be found by a search either. */
  const isReadable = (path: string): boolean =>
    tools
      .filter(({ definition }) => definition.name === "Read")
      .every((tool) => permissions.judge({ tool, input: { file_path: path } }).behavior !== "deny");
  const forkPoint = () => {
    const line = agent.journal.state().answer?.id;
    return line === undefined ? undefined : { transcript: deps.transcript, line };
  };
  const reports: HookReports = { show, stop };
  const { sessionId, gitBranch } = household;
  const identity: Partial<Identity> = { sessionId, cwd, ...(gitBranch ? { gitBranch } : {}) };
  const agent = openAgent({
    transcript: deps.transcript,
    model: household.model,
    key: deps.key,
    system: deps.system,
    queue,
    now,
    newId,
    identity,
    tools: () => choose([...tools, ...further(forkPoint)]),
    judge: judgeWithHooks({ hooks, permit: permissions.permit, ...reports }),
    mayStop: mayStopWithHooks(hooks, reports, deps.transcript),
    ...compactWithHooks(hooks, reports),
    limits: { ...household.limits, ...deps.limits },
    ...(id === undefined ? {} : { id }),
    ...(deps.fork ? { fork: deps.fork } : {}),
    ...(deps.inputs ? { inputs: deps.inputs } : {}),
  });
  let isFresh = deps.fork !== undefined;
  return {
    ...agent,
    shells,
    async *run(signal) {
      // What it had read is in no file but its conversation; a fork has it from its parent.
      if (!isFresh) await recallSeen(seen, conversationOf(agent.journal.state()), { cwd, home });
      isFresh = true;
      return yield* agent.run(signal);
    },
    async end() {
      await shells.close();
      agent.close();
    },
  };
}
