import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { layoutOf } from "@troupe/protocol";
import { type Agent, newAgent } from "../agent/agent.ts";
import { gatesOf } from "../agent/gates.ts";
import { openAgent } from "../agent/open.ts";
import { createSeenFiles } from "../agent/seen-files.ts";
import { whyLacking } from "../agents/lacking.ts";
import { recoverAgents } from "../agents/recover.ts";
import { callerOf, mayLeave } from "../agents/route.ts";
import { createHooks } from "../hooks/hooks.ts";
import { personHooks } from "../hooks/person-hooks.ts";
import type { HookReports } from "../hooks/report.ts";
import { withHooks } from "../hooks/worktree-hooks.ts";
import { newsOf } from "../jobs/job.ts";
import { createJobs } from "../jobs/jobs.ts";
import { remoteAgents } from "../jobs/remote.ts";
import { agentFiles } from "../journal/files.ts";
import { openJournal } from "../journal/journal.ts";
import { type Leased, underLease } from "../journal/lease.ts";
import { createAbort } from "../loop/abort.ts";
import { absentServers, serverProblems } from "../mcp/problems.ts";
import { keepAwake } from "../own/awake.ts";
import { openOwn } from "../own/own.ts";
import { createPermissions } from "../permissions/permissions.ts";
import { readProject } from "../project/project.ts";
import { gated } from "../prompt/gate.ts";
import { createQueue } from "../queue.ts";
import { builtInTools, forkedSkill, sessionTools } from "../tools/index.ts";
import { closeSession } from "./close.ts";
import { agentEnvironment, teamsRefusal } from "./environment.ts";
import { mainDefinition } from "./main-definition.ts";
import { mainModel } from "./main-model.ts";
import { mainPrompt } from "./main-prompt.ts";
import { noted } from "./noted.ts";
import { ownHooks } from "./own-hooks.ts";
import { ownTeam } from "./own-team.ts";
import { toldOfPlans } from "./plan-note.ts";
import { askedMs, screenOf } from "./screen.ts";
import { memberLimits } from "./seat.ts";
import { openSeats } from "./seats.ts";
import type { Session, SessionDeps } from "./session.ts";
import { submitted } from "./submitted.ts";
import { mainTools, taskBoard } from "./tools.ts";
import { sessionTurns } from "./turns.ts";
import { typedShell } from "./typed-shell.ts";

/**
 * Opens a session in a folder, or goes on with one that is open nowhere else. A project's own hooks
 * and allowances hold only where it is trusted.
 */
export function openSession(deps: SessionDeps): Session {
  const { machine, project } = deps;
  const { now = () => new Date(), newId = randomUUID } = machine;
  const { sessionId = newId() } = deps;
  const owner = { root: machine.root, cwd: project.cwd, sessionId };
  return underLease(owner, now, (leased) => open({ ...deps, machine: { ...machine, now, newId }, sessionId }, leased));
}

/** A session whose clock and ids are known. */
interface Opening extends SessionDeps {
  readonly sessionId: string;
  readonly machine: Agent["session"]["machine"];
}

/** Puts the parts together, each from those above it. */
function open(deps: Opening, { transcript, lease }: Leased): Session {
  const { sessionId, machine, model: ofPerson, key: given, person, store, options = {} } = deps;
  const { root, home, temporary, openMcp, now, newId } = machine;
  const { cwd, gitBranch, workspaces } = deps.project;
  const { revision = "2026-02", isBypassAvailable = false } = options;
  const outputs = join(temporary, sessionId);
  const uid = process.getuid?.() ?? 0;
  const project = readProject({ ...deps.project, ...options, root, home, revision, isMember: deps.seat !== undefined });
  const { settings, servers, instructions, definition, skills } = project;
  const defined = mainDefinition(project, { ...options, key: given, root, project: cwd });
  const environment = agentEnvironment(machine.environment, settings.env);
  const gates = gatesOf(revision, environment, options.gates);
  const own = openOwn({ directory: machine.own, sessionId, environment, home, now, newId });
  const onEvent = own.watching(deps.onEvent, noted);
  const queue = createQueue({ newId });
  const closing = createAbort();
  const turns = sessionTurns();
  const interrupt = () => turns.abort("user_interrupt");
  const { show, ask } = screenOf({ person, queue, onEvent });
  const reports: HookReports = { show, stop: () => turns.abort("hook_stopped") };
  const identity = { sessionId, cwd, version: "troupe", ...(gitBranch && { gitBranch }) };
  const journal = openJournal({ path: transcript, identity, now, newId, lease });
  const model = mainModel({ ...options, journal, key: defined.key, isAsked: options.model !== undefined });
  const key = model.key();
  const mayBypass = isBypassAvailable && settings.permissions.disableBypassPermissionsMode === undefined;
  const seats = openSeats({
    ownTeam: deps.seat
      ? undefined
      : ownTeam({ options, store: deps.backends && store, sessionId, model: key.model, cwd, now, show }),
    journal,
    signal: closing.signal,
    onChange: (seat) => onEvent({ kind: "membership", team: seat?.team.name, name: seat?.self.name }),
    onSeen: ({ name }, seen) => onEvent({ kind: "teammate", name, seen }),
    onRecorded: (recorded) => onEvent({ kind: "recorded", recorded }),
    backends: deps.backends ?? [],
    workspaces,
    refusal: () => teamsRefusal({ ...machine.environment, ...project.settingsNow().env }),
    sessionId,
    queue,
    mayBypass,
    deliverAt: settings.deliverAt,
    plans: options.plans ?? settings.planApproval,
    keepAwake: () => keepAwake({ platform: machine.platform ?? process.platform, environment, home }),
    ask,
    now,
    newId,
    show,
  });
  const membership = () => seats.now()?.membership;
  const permissions = createPermissions({
    ...project.granted,
    cwd,
    home,
    newId,
    readable: [outputs, ...agentFiles({ root, cwd, sessionId, temporary, uid })],
    files: project.files,
    plans: layoutOf(root).plans,
    memory: defined.memory,
    isBypassAvailable: mayBypass,
    timeoutMs: askedMs,
    interrupt,
    ask: seats.ask,
  });
  const opened = openMcp?.({ servers: settings.mcpServers ?? {}, environment, cwd });
  const mcp = defined.servers(opened);
  const choose = person.choose ?? (async () => undefined);
  const ofMachine = { ...machine, environment, outputs, prelude: own.prelude };
  const builtIn = builtInTools<Agent>({ ...ofMachine, revision, skills, fetch, ask: choose, runForked: forkedSkill });
  const common = [...builtIn, ...(deps.tools ?? [])];
  const promptEnvironment = { cwd, platform: process.platform, date: now().toISOString().slice(0, 10), gitBranch };
  const surroundings = () => ({
    session_id: sessionId,
    transcript_path: transcript,
    cwd,
    permission_mode: permissions.mode(),
  });
  const inProject = { environment, ofStart: own.ofStart, projectDir: cwd, surroundings };
  const ofTools = { revision, servers };
  /** Looks at things for hooks: no hook, team or worktree stands in its way. */
  const judge = newAgent({
    kind: "main",
    cwd,
    key,
    permissions,
    mcp,
    hooks: createHooks({ ...inProject, sources: [] }),
    depth: 0,
    bounds: [],
    seen: createSeenFiles(),
    stop: reports.stop,
    session: {
      machine,
      project: cwd,
      uid,
      sessionId,
      revision,
      gitBranch,
      lease,
      queue,
      jobs: createJobs({ queue, revision, show, onChange: (job) => onEvent(newsOf(job)) }),
      skills,
      agents: defined.agents,
      instructions,
      promptEnvironment,
      show,
      membership,
      limits: options.limits ?? {},
      model: gated(ofPerson, { now: () => now().getTime() }),
      modelOverrides: options.modelOverrides,
      gates,
      resuming: new Map(),
      whyLacking,
      tools: sessionTools({ ...ofTools, common, ofMain: [] }),
      onAgentEvent: (of, event) => onEvent({ agent: of, ...event }),
    },
  });
  const hooks = ownHooks({
    ...inProject,
    sources: [...(settings.hooks ? [{ hooks: settings.hooks, origin: "settings" }] : []), ...defined.hooks],
    home,
    model: ofPerson,
    tools: common,
    mcp,
    judge,
  });
  const talk = toldOfPlans(personHooks({ hooks, queue, show }), { permissions, root, sessionId, store });
  const shell = typedShell({ queue, tools: builtIn, talk, newId, show });
  const board = taskBoard({ hooks, reports, revision, membership, now, store, sessionId });
  const ofSession = { sessionId, root, cwd, revision, permissions, store, seats, newId, now, interrupt };
  const tools = sessionTools({
    ...ofTools,
    toTeam: async (request) => membership()?.send(request),
    ...mainTools({ ...deps, ...ofSession, model: key.model, common, board }),
  });
  const { jobs } = judge.session;
  const main: Agent = {
    ...judge,
    bounds: defined.bounds,
    hooks,
    get key() {
      return model.key();
    },
    session: {
      ...judge.session,
      tools,
      workspaces: workspaces && withHooks(workspaces, hooks, reports, settings.worktree),
      spawnTeammate: deps.backends && seats.spawn,
      teammates: () => seats.now()?.teammates?.tasks,
      remote: deps.remote && remoteAgents(deps.remote, { queue, revision }),
    },
  };
  const {
    run: work,
    compact,
    ...agent
  } = openAgent(main, {
    journal,
    switchedTo: model.switchedTo,
    inputs: seats.inputs,
    limits: { ...memberLimits(deps.seat, definition, settings), ...options.limits },
    system: () =>
      mainPrompt({
        ...ofSession,
        role: deps.role,
        agent: definition,
        isPlanning: deps.seat?.planModeRequired === true,
        skills,
        instructions,
        environment: promptEnvironment,
        absentServers: absentServers(mcp),
        membership: membership(),
      }),
  });
  if (deps.seat) seats.take(deps.seat, permissions);

  /** Before the first turn of this process. */
  const begin = async (signal: AbortSignal): Promise<void> => {
    await defined.begin(mcp, signal);
    await seats.begin(permissions);
    await mcp?.missing(servers, signal);
    defined.prompt(talk, journal.state());
    for (const problem of serverProblems(mcp)) show(problem);
    await recoverAgents(main, closing.signal);
    await talk.began(journal.state().past ? "resume" : "startup", signal);
    await own.started(show);
  };
  const conversation = {
    ...agent,
    run(signal?: AbortSignal) {
      const typed = (until: AbortSignal) => shell.run(main, until);
      return turns.run({ agent: { run: work }, seat: seats.now, talk, begin, shell: typed, onEvent }, signal);
    },
  };
  const onState = async (state: "working" | "idle") => onEvent({ kind: "state", state });
  let closed: Promise<void> | undefined;
  return {
    ...conversation,
    id: sessionId,
    transcript,
    permissions,
    hooks,
    jobs,
    shells: main.shells,
    skills,
    agents: defined.agents,
    problems: [...project.problems, ...permissions.problems().map(({ path, message }) => `${path}: ${message}`)],
    model: () => model.key().model,
    switchModel: model.switchTo,
    membership,
    delegate: (isOn) => void permissions.setMode(isOn ? "delegate" : permissions.lends()),
    enter: (seat) => seats.take(seat, permissions),
    leave: seats.leave,
    mail: seats.mail,
    attendTeam: (signal) => seats.attend({ agent: conversation, onTasks: board, hooks, onState, signal }),
    // The signal of a turn that was interrupted would end the hooks unheard.
    submit: (text, signal = closing.signal) =>
      submitted(text, {
        skills,
        person: talk,
        run: (skill, prompt, until) => forkedSkill(skill, prompt, { call: newId(), agent: main, signal: until }),
        compact: (words, until) => turns.between((over) => compact(over, words), until),
        onEvent,
        signal,
      }),
    shell: shell.add,
    background: () =>
      mayLeave(callerOf(main), gates) ? [...main.shells.toBackground(), ...jobs.toBackground(undefined)] : [],
    close() {
      const parts = { turns, jobs, talk, closing, hooks, mcp: opened, seats, agent, own };
      closed ??= closeSession(parts).finally(lease.release);
      return closed;
    },
  };
}
