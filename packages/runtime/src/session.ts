import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { layoutOf, type PermissionMode, type Revision } from "@troupe/protocol";
import { type Agent, type AgentDeps, openAgent } from "./agent.ts";
import { askModel } from "./hooks/ask-model.ts";
import { createHooks, type Hooks } from "./hooks/hooks.ts";
import { answerWithHooks, type HookReports, judgeWithHooks, mayStopWithHooks } from "./hooks/judge.ts";
import { transcriptPath } from "./journal/place.ts";
import { type Abort, createAbort } from "./loop/abort.ts";
import type { Tool } from "./loop/tool.ts";
import { chooseModel } from "./model/choice.ts";
import type { Ask } from "./permissions/ask.ts";
import { grantedBy } from "./permissions/from-settings.ts";
import { createPermissions, type Permissions } from "./permissions/permissions.ts";
import { readInstructions } from "./prompt/instructions.ts";
import { systemPrompt } from "./prompt/system.ts";
import { createQueue, textBlocks } from "./queue.ts";
import { type LoadedSettings, loadSettings } from "./settings/load.ts";
import { readSettings } from "./settings/source.ts";
import { openTrust } from "./settings/trust.ts";
import type { AskUser } from "./tools/ask-user-question.ts";
import { builtInTools } from "./tools/index.ts";
import { createSeenFiles } from "./tools/seen-files.ts";
import { createShells } from "./tools/shells.ts";
import type { Skill } from "./tools/skill.ts";

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
  /** Shows the user what hooks have to say. */
  readonly show?: (message: string) => void;
}

/** An agent with hands: it reads, writes and runs what its settings, its hooks and whoever is asked let it. */
export interface Session extends Omit<Agent, "close"> {
  readonly transcript: string;
  readonly permissions: Permissions;
  readonly hooks: Hooks;
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
  const { root, home, cwd, environment, temporary, mode = "default", revision = "2026-02", show = () => {} } = deps;
  const { newId = randomUUID, now = () => new Date(), isBypassAvailable = false } = deps;
  const sessionId = deps.sessionId ?? newId();
  const transcript = transcriptPath({ root, cwd, sessionId });
  const outputs = join(temporary, sessionId);
  const loaded = settingsOf(deps);
  const queue = createQueue({ newId });
  const closing = createAbort();
  let turn: Abort = createAbort();
  const reports: HookReports = { show, stop: () => turn.abort("hook_stopped") };
  const hooks = createHooks({
    sources: loaded.settings.hooks ? [{ hooks: loaded.settings.hooks, origin: "settings" }] : [],
    surroundings: () => ({
      session_id: sessionId,
      transcript_path: transcript,
      cwd,
      permission_mode: permissions.mode(),
    }),
    environment,
    projectDir: cwd,
    ask: askModel({ model: deps.model, idOf: (asked = "haiku") => chooseModel({ asked, parent: deps.key.model }) }),
    wake: (reason) =>
      void queue.notify({
        mode: "task-notification",
        origin: { kind: "hook", event: "Stop" },
        content: textBlocks(reason),
      }),
  });
  const permissions = createPermissions({
    ...grantedBy(loaded, { project: cwd, home, mode }),
    cwd,
    home,
    readable: [outputs],
    isBypassAvailable: isBypassAvailable && loaded.settings.permissions.disableBypassPermissionsMode === undefined,
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
  const shells = createShells({ newId, notify: (draft) => void queue.notify(draft), revision });
  const tools = builtInTools({
    cwd,
    home,
    environment,
    outputs,
    seen: createSeenFiles(),
    newId,
    shells,
    tasks: shells,
    fetch,
    revision,
    skills: deps.skills ?? [],
    maySee: (path) => isReadable(path),
    ask: deps.askUser ?? (async () => undefined),
  });
  /** What must not be read must not be found by a search either. */
  const isReadable = (path: string): boolean =>
    tools
      .filter(({ definition }) => definition.name === "Read")
      .every((tool) => permissions.judge({ tool, input: { file_path: path } }).behavior !== "deny");
  const { instructions, problems } = readInstructions({ root, home, top: cwd, cwd });
  const contexts: string[] = [];
  let hasStarted = false;
  const agent = openAgent({
    transcript,
    model: deps.model,
    key: deps.key,
    queue,
    now,
    newId,
    tools: [...tools, ...(deps.tools ?? [])],
    ...(deps.limits ? { limits: deps.limits } : {}),
    identity: { sessionId, cwd, ...(deps.gitBranch ? { gitBranch: deps.gitBranch } : {}) },
    system: () =>
      systemPrompt({
        role: deps.role,
        instructions,
        environment: {
          cwd,
          platform: process.platform,
          date: now().toISOString().slice(0, 10),
          gitBranch: deps.gitBranch,
        },
      }),
    judge: judgeWithHooks({ hooks, permit: permissions.permit, ...reports }),
    mayStop: mayStopWithHooks(hooks, reports, transcript),
  });
  return {
    ...agent,
    transcript,
    permissions,
    hooks,
    problems: [
      ...loaded.problems.map(({ file, path, message }) => `${file}${path}: ${message}`),
      ...permissions.problems().map(({ path, message }) => `${path}: ${message}`),
      ...problems.map(({ path, message }) => `${path}: ${message}`),
    ],
    async *run(signal) {
      turn = createAbort(signal);
      if (!hasStarted) contexts.push(...(await sessionStart()));
      hasStarted = true;
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
      closing.abort("shutdown");
      await hooks.fire("SessionEnd", { reason: "other" }, AbortSignal.timeout(endMs));
      await hooks.close();
      await shells.close();
      agent.close();
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

function settingsOf({ root, cwd, managedSettings, flagSettings }: SessionDeps): LoadedSettings {
  const texts = readSettings({
    root,
    project: cwd,
    ...(managedSettings === undefined ? {} : { managed: managedSettings }),
    ...(flagSettings === undefined ? {} : { flag: flagSettings }),
  });
  return loadSettings({ texts, isTrusted: openTrust(root).isTrusted(cwd) });
}
