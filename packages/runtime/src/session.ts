import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { layoutOf, type PermissionMode, type Revision } from "@troupe/protocol";
import type { Tasks } from "@troupe/store";
import type { Agent, AgentDeps } from "./agent.ts";
import type { LaunchDeps } from "./agents/launch.ts";
import type { ParentToBe } from "./agents/parent.ts";
import { type AgentGates, usualGates } from "./agents/route.ts";
import { createSpawner } from "./agents/spawner.ts";
import { askModel } from "./hooks/ask-model.ts";
import { createHooks, type Hooks } from "./hooks/hooks.ts";
import { answerWithHooks, type HookReports } from "./hooks/judge.ts";
import { callAmong } from "./hooks/mcp-tool-hook.ts";
import { personHooks } from "./hooks/person-hooks.ts";
import { createJobs, type Jobs } from "./jobs/jobs.ts";
import { transcriptPath } from "./journal/place.ts";
import { type Abort, createAbort } from "./loop/abort.ts";
import type { Tool } from "./loop/tool.ts";
import type { Mcp, McpDeps } from "./mcp/mcp.ts";
import { chooseModel, type ModelOverrides } from "./model/choice.ts";
import type { Ask } from "./permissions/ask.ts";
import { ruleMatcher } from "./permissions/matches-rule.ts";
import { createPermissions, type Permissions } from "./permissions/permissions.ts";
import { oneAtATime } from "./permissions/questions.ts";
import { type ProjectDeps, readProject } from "./project.ts";
import { type Environment, systemPrompt } from "./prompt/system.ts";
import { type CommandDraft, createQueue, textBlocks } from "./queue.ts";
import { submitted } from "./skills/submitted.ts";
import { leftUndone, openMembership, type Place } from "./team/membership.ts";
import { attendTeammate } from "./team/teammate.ts";
import type { AskUser } from "./tools/ask-user-question.ts";
import { createSeenFiles } from "./tools/seen-files.ts";
import type { Skill } from "./tools/skill.ts";
import { taskTools } from "./tools/task-tools.ts";
import { type Household, openWorker } from "./worker.ts";
import type { Workspaces } from "./workspace.ts";

/** What a session needs of the world; nothing is looked up. */
export interface SessionDeps
  extends Pick<AgentDeps, "model" | "key" | "limits" | "now" | "newId">,
    Pick<ProjectDeps, "managedSettings" | "managedSkills" | "flagSettings" | "definitions"> {
  /** The agents' own directory, `~/.claude` for the reference client. */
  readonly root: string;
  readonly home: string;
  /** Where the agent works. */
  readonly cwd: string;
  /** What its shells and hooks see. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where long output is kept. */
  readonly temporary: string;
  /** Who the agent is. */
  readonly role: string;
  /** Whoever is asked whether a call may run. */
  readonly ask: Ask;
  readonly askUser?: AskUser;
  readonly sessionId?: string;
  readonly mode?: PermissionMode;
  readonly isBypassAvailable?: boolean;
  /** Skills besides those of the project and the user, which they replace. */
  readonly skills?: readonly Skill[];
  /** Tools besides the built-in ones. */
  readonly tools?: readonly Tool[];
  readonly gitBranch?: string;
  readonly revision?: Revision;
  /** `openMcp` of `@troupe/runtime/mcp`; without it no servers are reached. */
  readonly openMcp?: (deps: McpDeps) => Mcp;
  readonly gates?: Partial<AgentGates>;
  readonly modelOverrides?: ModelOverrides;
  /** The list of tasks it shares with others; that of its team, unless it is said. */
  readonly tasks?: Tasks;
  readonly team?: Place;
  /** Makes worktrees for the agents that ask for one, such as those of `@troupe/backends/worktree`. */
  readonly workspaces?: Workspaces;
  /** What the agents do that the session starts, as it happens. */
  readonly onAgentEvent?: LaunchDeps["onEvent"];
  /** Shows the user what hooks have to say. */
  readonly show?: (message: string) => void;
}

/** An agent with hands: it reads, writes and runs what its settings, its hooks and whoever is asked let it. */
export interface Session extends Omit<Agent, "close"> {
  readonly transcript: string;
  readonly permissions: Permissions;
  readonly hooks: Hooks;
  /** The agents that work besides the main conversation. */
  readonly jobs: Jobs;
  /** Resolves when mail from its team waits. */
  readonly mail?: (signal: AbortSignal) => Promise<void>;
  /** As a member of a team: turn after turn, and idle until mail comes; the lead hears of every end of a turn. */
  attendTeam(signal: AbortSignal): ReturnType<typeof attendTeammate>;
  /**
   * What a person typed: words for the model as the hooks of UserPromptSubmit leave them, or a command. Returns what the person is shown in the
   * place of a turn: why it was refused, or what a command said; the signal ends a command that runs.
   */
  submit(text: string, signal?: AbortSignal): Promise<string | undefined>;
  /** What is wrong with settings, rules and instructions, each with its file. */
  readonly problems: readonly string[];
  /** Ends what it started. */
  close(): Promise<void>;
}

/** A question that nobody answers for a day is answered with no. */
const askedMs = 24 * 60 * 60 * 1_000;

/** Opens a session in a folder, or goes on with one. Hooks and allowances of a project's own settings hold only in a trusted folder. */
export function openSession(deps: SessionDeps): Session {
  const { root, home, cwd, temporary, mode = "default", revision = "2026-02", show = () => {} } = deps;
  const { newId = randomUUID, now = () => new Date(), isBypassAvailable = false, gitBranch } = deps;
  const sessionId = deps.sessionId ?? newId();
  const transcript = transcriptPath({ root, cwd, sessionId });
  const outputs = join(temporary, sessionId);
  const project = readProject({ ...deps, mode, revision });
  const { settings, servers, instructions, agents } = project;
  const given = deps.skills ?? [];
  const skills = [...given, ...project.skills.filter(({ name }) => !given.some((one) => one.name === name))];
  const environment = { ...deps.environment, ...settings.env };
  const queue = createQueue({ newId });
  const notify = (draft: CommandDraft) => void queue.notify(draft);
  const closing = createAbort();
  let turn: Abort = createAbort();
  const reports: HookReports = { show, stop: () => turn.abort("hook_stopped") };

  const mcp = deps.openMcp?.({ servers: settings.mcpServers ?? {}, environment, cwd, signal: closing.signal });
  const toolsForHooks = mcp?.child([]);
  const surroundings = () => ({
    session_id: sessionId,
    transcript_path: transcript,
    cwd,
    permission_mode: permissions.mode(),
  });
  const hooks = createHooks({
    sources: settings.hooks ? [{ hooks: settings.hooks, origin: "settings" }] : [],
    surroundings,
    environment,
    projectDir: cwd,
    ask: askModel({ model: deps.model, idOf: (asked = "haiku") => chooseModel({ asked, parent: deps.key.model }) }),
    callTool: callAmong(() => toolsForHooks?.tools() ?? []),
    matchesRule: ruleMatcher({ home, tools: () => agent.tools(), show }),
    runAgent: (question, signal) => spawner.judge(self)(question, signal),
    wake: (reason) =>
      notify({ mode: "task-notification", origin: { kind: "hook", event: "Stop" }, content: textBlocks(reason) }),
  });
  const person = personHooks({ hooks, queue });

  const askPerson = oneAtATime(deps.ask, ({ now }) => now?.());
  const member =
    deps.team &&
    openMembership({ ...deps.team, transcript, queue, ask: askPerson, now, newId, show, signal: closing.signal });
  const permissions = createPermissions({
    ...project.granted,
    ...{ cwd, home, newId, files: project.files, readable: [outputs], plans: layoutOf(root).plans },
    isBypassAvailable: isBypassAvailable && settings.permissions.disableBypassPermissionsMode === undefined,
    timeoutMs: askedMs,
    interrupt: () => turn.abort("user_interrupt"),
    ask: async (question, signal) =>
      (await answerWithHooks(hooks, reports)(question, signal)) ?? (member?.ask ?? askPerson)(question, signal),
  });

  const jobs = createJobs({ notify, revision });
  const household: Household = {
    ...{ root, home, project: cwd, environment, outputs, sessionId, revision, gitBranch, queue, jobs, skills },
    ...{ newId, now, show, model: deps.model, limits: deps.limits ?? {} },
  };
  const place: Environment = { cwd, platform: process.platform, date: now().toISOString().slice(0, 10), gitBranch };
  const onTasks = {
    ...{ hooks, reports, revision },
    ...(deps.team && { team: deps.team.team.name, member: deps.team.self.name }),
  };
  const tasks = deps.tasks ?? deps.team?.self.tasks;
  const further = [...(deps.tools ?? []), ...(tasks ? taskTools({ ...onTasks, tasks }) : [])];
  const spawner = createSpawner({
    ...{ household, agents, servers, hooks, surroundings, further, instructions, environment: place, temporary },
    gates: { ...usualGates(revision), ...deps.gates },
    uid: process.getuid?.() ?? 0,
    modelOverrides: deps.modelOverrides,
    workspaces: deps.workspaces,
    onEvent: deps.onAgentEvent ?? (() => {}),
  });
  const seen = createSeenFiles();
  const self: ParentToBe = { caller: { kind: "main", depth: 0 }, cwd, key: deps.key, permissions, seen, mcp };
  const agent = openWorker({
    ...{ household, transcript, cwd, key: deps.key, permissions, hooks, seen },
    further: (forkPoint) => [...further, ...(mcp?.tools() ?? []), ...spawner.toolsFor({ ...self, forkPoint })],
    runForked: (forkPoint) => spawner.runSkill({ ...self, forkPoint }),
    askUser: deps.askUser ?? (async () => undefined),
    stop: reports.stop,
    ...(member && { inputs: member.mailbox.inputs }),
    system: () => systemPrompt({ role: deps.role, instructions, environment: place }),
  });

  let hasStarted = false;
  let closed: Promise<void> | undefined;
  const session: Session = {
    ...agent,
    ...{ transcript, permissions, hooks, jobs },
    problems: [...project.problems, ...permissions.problems().map(({ path, message }) => `${path}: ${message}`)],
    async *run(signal) {
      turn = createAbort(signal);
      if (!hasStarted) {
        hasStarted = true;
        await mcp?.missing(servers, turn.signal);
        await person.began(agent.journal.state().past ? "resume" : "startup", turn.signal);
      }
      if (member?.isLead) await member.mailbox.collect();
      person.flush();
      return yield* agent.run(turn.signal);
    },
    ...(member && { mail: member.mailbox.arrival }),
    attendTeam(signal) {
      if (!deps.team || !member) throw new Error("a session without a team has nobody to attend to");
      const { team, self } = deps.team;
      const beforeIdle = () => leftUndone({ ...onTasks, self }, signal);
      const { mailbox } = member;
      return attendTeammate({ agent: session, mailbox, team, self, hooks, show, beforeIdle, now, signal });
    },
    // The signal of a turn that was interrupted would end the hooks unheard.
    submit: (text, signal = closing.signal) =>
      submitted(text, {
        skills,
        person,
        run: spawner.runSkill({ ...self, forkPoint: () => undefined }),
        newId,
        signal,
      }),
    close() {
      closed ??= close();
      return closed;
    },
  };
  return session;

  async function close(): Promise<void> {
    await jobs.close();
    await person.ended();
    closing.abort("shutdown");
    await hooks.close();
    await mcp?.close();
    await member?.mailbox.close();
    await agent.end();
  }
}
