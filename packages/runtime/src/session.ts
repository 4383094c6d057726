import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { layoutOf, type PermissionMode, type Revision, TroupeError } from "@troupe/protocol";
import type { Store, Tasks } from "@troupe/store";
import type { Agent, AgentDeps } from "./agent.ts";
import { cutOffAgents } from "./agents/cut-off.ts";
import type { LaunchDeps } from "./agents/launch.ts";
import { outputDirectory } from "./agents/output-link.ts";
import type { ParentToBe } from "./agents/parent.ts";
import { type AgentGates, type Caller, usualGates } from "./agents/route.ts";
import { createSpawner } from "./agents/spawner.ts";
import { askModel } from "./hooks/ask-model.ts";
import { createHooks, type Hooks } from "./hooks/hooks.ts";
import { answerWithHooks, type HookReports } from "./hooks/judge.ts";
import { callAmong } from "./hooks/mcp-tool-hook.ts";
import { personHooks } from "./hooks/person-hooks.ts";
import { withHooks } from "./hooks/worktree-hooks.ts";
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
import { attendPlace, openMembership, type Place } from "./team/membership.ts";
import type { AskUser } from "./tools/ask-user-question.ts";
import { createPlanMode, planFileOf } from "./tools/plan-mode.ts";
import { approverOf, planTools } from "./tools/plan-tools.ts";
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
  /** Where plans are kept; without it there is no plan mode to enter or leave. */
  readonly store?: Pick<Store, "readPlan">;
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
  attendTeam(signal: AbortSignal): ReturnType<typeof attendPlace>;
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

/** How long the end of a session waits for a turn that goes on. */
const graceMs = 3_000;

/** A question that nobody answers for a day is answered with no. */
const askedMs = 24 * 60 * 60 * 1_000;

/** Opens a session in a folder, or goes on with one. Hooks and allowances of a project's own settings hold only in a trusted folder. */
export function openSession(deps: SessionDeps): Session {
  const { root, home, cwd, temporary, mode = "default", revision = "2026-02", show = () => {} } = deps;
  const { newId = randomUUID, now = () => new Date(), isBypassAvailable = false, gitBranch } = deps;
  const sessionId = deps.sessionId ?? newId();
  const transcript = transcriptPath({ root, cwd, sessionId });
  const outputs = join(temporary, sessionId);
  const outputPlace = { temporary, uid: process.getuid?.() ?? 0 };
  /** What the agents of the session leave for the others to read: long results, transcripts, and the links to them. */
  const readable = [
    outputs,
    dirname(transcriptPath({ root, cwd, sessionId, agentId: "a" })),
    outputDirectory({ project: cwd, sessionId }, outputPlace),
  ];
  const project = readProject({ ...deps, mode, revision });
  const { settings, servers, instructions, agents } = project;
  const given = deps.skills ?? [];
  const skills = [...given, ...project.skills.filter(({ name }) => !given.some((one) => one.name === name))];
  const environment = { ...deps.environment, ...settings.env };
  const queue = createQueue({ newId });
  const notify = (draft: CommandDraft) => void queue.notify(draft);
  const closing = createAbort();
  let turn: Abort = createAbort();
  const interrupt = () => turn.abort("user_interrupt");
  const reports: HookReports = { show, stop: () => turn.abort("hook_stopped") };

  const mcp = deps.openMcp?.({ servers: settings.mcpServers ?? {}, environment, cwd });
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
  const person = personHooks({ hooks, queue, show });

  const askPerson = oneAtATime(deps.ask, ({ now }) => now?.());
  const plan = deps.store && planFileOf(sessionId, { root, store: deps.store });
  const member =
    deps.team &&
    openMembership({
      ...{ ...deps.team, transcript, queue, ask: askPerson, now, newId, show, signal: closing.signal },
      permissions: () => permissions,
      ...(plan && { plan }),
    });
  const permissions = createPermissions({
    ...project.granted,
    ...(member?.granted && { mode: member.granted }),
    ...{ cwd, home, newId, files: project.files, readable, plans: layoutOf(root).plans },
    isBypassAvailable: isBypassAvailable && settings.permissions.disableBypassPermissionsMode === undefined,
    timeoutMs: askedMs,
    interrupt,
    answer: answerWithHooks(hooks, reports),
    ask: member?.ask ?? askPerson,
  });

  const jobs = createJobs({ notify, revision, show });
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
    ...{ household, agents, servers, hooks, surroundings, further, instructions, environment: place },
    gates: { ...usualGates(revision), ...deps.gates },
    ...outputPlace,
    self: () => self,
    modelOverrides: deps.modelOverrides,
    workspaces: deps.workspaces && withHooks(deps.workspaces, hooks, reports),
    ...(member && { toTeam: member.route }),
    onEvent: deps.onAgentEvent ?? (() => {}),
  });
  const planMode = createPlanMode(permissions);
  const approver = approverOf(member, deps.team?.planModeRequired ?? false, askPerson);
  const planning = plan ? planTools({ revision, planMode, permissions, plan, newId, approver, interrupt }) : [];
  const seen = createSeenFiles();
  const caller: Caller =
    deps.team && !member?.isLead
      ? { kind: "teammate", depth: 0, team: deps.team.team.name }
      : { kind: "main", depth: 0 };
  const self: ParentToBe = { caller, cwd, key: deps.key, permissions, seen, mcp };
  const agent = openWorker({
    ...{ household, transcript, cwd, key: deps.key, permissions, hooks, seen },
    further: (forkPoint) => [
      ...further,
      ...planning,
      ...(mcp?.tools() ?? []),
      ...spawner.toolsFor({ ...self, forkPoint }),
    ],
    runForked: (forkPoint) => spawner.runSkill({ ...self, forkPoint }),
    askUser: deps.askUser ?? (async () => undefined),
    stop: reports.stop,
    ...(member && { inputs: member.mailbox.inputs }),
    system: () => systemPrompt({ role: deps.role, instructions, environment: place }),
  });

  let hasStarted = false;
  let closed: Promise<void> | undefined;
  let running: Promise<void> = Promise.resolve();
  const session: Session = {
    ...agent,
    ...{ transcript, permissions, hooks, jobs },
    problems: [...project.problems, ...permissions.problems().map(({ path, message }) => `${path}: ${message}`)],
    async *run(signal) {
      turn = createAbort(signal);
      if (!hasStarted) {
        hasStarted = true;
        for (const draft of cutOffAgents(household)) queue.notify(draft);
        await mcp?.missing(servers, turn.signal);
        await person.began(agent.journal.state().past ? "resume" : "startup", turn.signal);
      }
      const mail = (await member?.mailbox.collect()) ?? 0;
      person.flush(mail > 0);
      let over = () => {};
      running = new Promise((resolve) => {
        over = resolve;
      });
      try {
        return yield* agent.run(turn.signal);
      } finally {
        over();
      }
    },
    ...(member && { mail: member.mailbox.arrival }),
    attendTeam(signal) {
      if (!deps.team || !member)
        throw new TroupeError("team_unknown", "this session has no team to attend to: give it one as team");
      return attendPlace(deps.team, member, { agent: session, onTasks, hooks, show, now, signal });
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
    turn.abort("shutdown");
    // Whoever holds a turn in the middle and goes no further does not hold up the end.
    await Promise.race([running, delay(graceMs, undefined, { ref: false })]);
    await jobs.close();
    await person.ended();
    closing.abort("shutdown");
    await hooks.close();
    await mcp?.close();
    await member?.mailbox.close();
    await agent.end();
  }
}
