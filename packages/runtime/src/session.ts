import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { layoutOf, type PermissionMode, type Revision } from "@troupe/protocol";
import type { Agent, AgentDeps } from "./agent.ts";
import { type DefinitionPlaces, loadDefinitions } from "./agents/definitions.ts";
import type { LaunchDeps } from "./agents/launch.ts";
import type { Parent } from "./agents/parent.ts";
import { type AgentGates, usualGates } from "./agents/route.ts";
import { createSpawner } from "./agents/spawner.ts";
import { askModel } from "./hooks/ask-model.ts";
import { createHooks, type Hooks } from "./hooks/hooks.ts";
import { answerWithHooks, type HookReports } from "./hooks/judge.ts";
import { createJobs, type Jobs } from "./jobs/jobs.ts";
import { transcriptPath } from "./journal/place.ts";
import { type Abort, createAbort } from "./loop/abort.ts";
import type { Tool } from "./loop/tool.ts";
import type { Mcp, McpDeps } from "./mcp/mcp.ts";
import { chooseModel, type ModelOverrides } from "./model/choice.ts";
import type { Ask } from "./permissions/ask.ts";
import { grantedBy } from "./permissions/from-settings.ts";
import { createPermissions, type Permissions } from "./permissions/permissions.ts";
import { readInstructions } from "./prompt/instructions.ts";
import { type Environment, systemPrompt } from "./prompt/system.ts";
import { type CommandDraft, createQueue, textBlocks } from "./queue.ts";
import { type LoadedSettings, loadSettings } from "./settings/load.ts";
import { readSettings } from "./settings/source.ts";
import { openTrust } from "./settings/trust.ts";
import type { AskUser } from "./tools/ask-user-question.ts";
import { createSeenFiles } from "./tools/seen-files.ts";
import type { Skill } from "./tools/skill.ts";
import { type Household, openWorker } from "./worker.ts";

/** What a session needs of the world; nothing is looked up. */
export interface SessionDeps extends Pick<AgentDeps, "model" | "key" | "limits" | "now" | "newId"> {
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
  readonly skills?: readonly Skill[];
  /** Tools besides the built-in ones. */
  readonly tools?: readonly Tool[];
  readonly managedSettings?: string;
  readonly flagSettings?: string;
  readonly gitBranch?: string;
  readonly revision?: Revision;
  /** `openMcp` of `@troupe/runtime/mcp`; without it no servers are reached. */
  readonly openMcp?: (deps: McpDeps) => Mcp;
  /** Where agents are defined besides the project and the user's own directory. */
  readonly definitions?: Pick<DefinitionPlaces, "managed" | "flag" | "plugins" | "builtIns">;
  readonly gates?: Partial<AgentGates>;
  readonly modelOverrides?: ModelOverrides;
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
  /** A person's words, as the hooks of UserPromptSubmit leave them; returns why they were refused. */
  submit(text: string): Promise<string | undefined>;
  /** What is wrong with settings, rules and instructions, each with its file. */
  readonly problems: readonly string[];
  /** Ends what it started. */
  close(): Promise<void>;
}

/** A question that nobody answers for a day is answered with no. */
const askedMs = 24 * 60 * 60 * 1_000;

/** How long the hooks of SessionEnd may take, as in the reference client. */
const endMs = 1_500;

/** Opens a session in a folder, or goes on with one. Hooks and allowances of a project's own settings hold only in a trusted folder. */
export function openSession(deps: SessionDeps): Session {
  const { root, home, cwd, temporary, mode = "default", revision = "2026-02", show = () => {} } = deps;
  const { newId = randomUUID, now = () => new Date(), isBypassAvailable = false, skills = [], gitBranch } = deps;
  const sessionId = deps.sessionId ?? newId();
  const transcript = transcriptPath({ root, cwd, sessionId });
  const outputs = join(temporary, sessionId);
  const isTrusted = openTrust(root).isTrusted(cwd);
  const loaded = settingsOf(deps, isTrusted);
  const { settings } = loaded;
  const environment = { ...deps.environment, ...settings.env };
  const queue = createQueue({ newId });
  const notify = (draft: CommandDraft) => void queue.notify(draft);
  const closing = createAbort();
  let turn: Abort = createAbort();
  const reports: HookReports = { show, stop: () => turn.abort("hook_stopped") };
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
    runAgent: (question, signal) => spawner.judge(self)(question, signal),
    wake: (reason) =>
      notify({ mode: "task-notification", origin: { kind: "hook", event: "Stop" }, content: textBlocks(reason) }),
  });
  const permissions = createPermissions({
    ...grantedBy(loaded, { project: cwd, home, mode }),
    cwd,
    home,
    readable: [outputs],
    isBypassAvailable: isBypassAvailable && settings.permissions.disableBypassPermissionsMode === undefined,
    plans: layoutOf(root).plans,
    files: new Map([
      ["userSettings", join(root, "settings.json")],
      ["projectSettings", join(cwd, ".claude/settings.json")],
      ["localSettings", join(cwd, ".claude/settings.local.json")],
    ]),
    newId,
    timeoutMs: askedMs,
    interrupt: () => turn.abort("user_interrupt"),
    ask: async (question, signal) =>
      (await answerWithHooks(hooks, reports)(question, signal)) ?? deps.ask(question, signal),
  });
  const servers = Object.keys(settings.mcpServers ?? {});
  const mcp = deps.openMcp?.({ servers: settings.mcpServers ?? {}, environment, cwd, signal: closing.signal });
  const jobs = createJobs({ notify, revision });
  const household: Household = {
    ...{ root, home, project: cwd, environment, outputs, sessionId, revision, gitBranch, queue, jobs, skills },
    ...{ newId, now, show, model: deps.model, limits: deps.limits ?? {} },
  };
  const { instructions, problems } = readInstructions({ root, home, top: cwd, cwd });
  const { agents, problems: faults } = loadDefinitions({ ...deps.definitions, root, cwd, isTrusted, revision });
  const place: Environment = { cwd, platform: process.platform, date: now().toISOString().slice(0, 10), gitBranch };
  const gates: AgentGates = { ...usualGates(revision), ...deps.gates };
  const further = deps.tools ?? [];
  const spawner = createSpawner({
    ...{ household, gates, agents, servers, hooks, surroundings, further, instructions, environment: place },
    ...{ temporary, uid: process.getuid?.() ?? 0, modelOverrides: deps.modelOverrides },
    onEvent: deps.onAgentEvent ?? (() => {}),
  });
  const seen = createSeenFiles();
  const self: Parent = {
    ...{ caller: { kind: "main", depth: 0 }, cwd, key: deps.key, permissions, seen, mcp },
    forkPoint: () => {
      const line = agent.journal.state().answer?.id;
      return line === undefined ? undefined : { transcript, line };
    },
  };
  const contexts: string[] = [];
  let hasStarted = false;
  const agent = openWorker({
    ...{ household, transcript, cwd, key: deps.key, permissions, hooks, seen },
    further: () => [...further, ...(mcp?.tools() ?? []), spawner.toolFor(self)],
    askUser: deps.askUser ?? (async () => undefined),
    stop: reports.stop,
    system: () => systemPrompt({ role: deps.role, instructions, environment: place }),
  });

  return {
    ...agent,
    transcript,
    permissions,
    hooks,
    jobs,
    problems: [
      ...loaded.problems.map(({ file, path, message }) => `${file}${path}: ${message}`),
      ...permissions.problems().map(({ path, message }) => `${path}: ${message}`),
      ...problems.map(({ path, message }) => `${path}: ${message}`),
      ...faults.map(({ file, line, message }) => `${file}${line === undefined ? "" : `:${line}`}: ${message}`),
    ],
    async *run(signal) {
      turn = createAbort(signal);
      if (!hasStarted) {
        hasStarted = true;
        contexts.push(...(await sessionStart()));
        await mcp?.missing(servers, turn.signal);
      }
      if (queue.waiting().length > 0) for (const text of contexts.splice(0)) hear(text, "SessionStart");
      return yield* agent.run(turn.signal);
    },
    async submit(text) {
      // The signal of a turn that was interrupted would end the hooks unheard.
      const { block, stop, context } = await hooks.fire("UserPromptSubmit", { prompt: text }, closing.signal);
      const refusal = stop?.reason ?? block;
      if (refusal !== undefined) return refusal;
      agent.tell(text);
      for (const one of context) hear(one, "UserPromptSubmit");
      return undefined;
    },
    async close() {
      await jobs.close();
      await hooks.fire("SessionEnd", { reason: "other" }, AbortSignal.timeout(endMs));
      closing.abort("shutdown");
      await hooks.close();
      await mcp?.close();
      await agent.end();
    },
  };

  /** What hooks have to say when a session begins or goes on. */
  async function sessionStart(): Promise<readonly string[]> {
    const source = agent.journal.state().past ? "resume" : "startup";
    return (await hooks.fire("SessionStart", { source }, turn.signal)).context;
  }

  function hear(text: string, event: string): void {
    queue.enqueue({ mode: "prompt", origin: { kind: "hook", event }, content: textBlocks(text) });
  }
}

function settingsOf({ root, cwd, managedSettings, flagSettings }: SessionDeps, isTrusted: boolean): LoadedSettings {
  const texts = readSettings({
    root,
    project: cwd,
    ...(managedSettings === undefined ? {} : { managed: managedSettings }),
    ...(flagSettings === undefined ? {} : { flag: flagSettings }),
  });
  return loadSettings({ texts, isTrusted });
}
