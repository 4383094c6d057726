import { tmpdir } from "node:os";
import { join } from "node:path";
import { BaseAnthropic } from "@anthropic-ai/sdk";
import { createWorktrees } from "@troupe/backends/worktree";
import {
  chooseModel,
  findConfinement,
  openSession,
  type Person,
  type Session,
  type SessionDeps,
  type Workspace,
} from "@troupe/runtime";
import { anthropicModel } from "@troupe/runtime/anthropic";
import { type McpDeps, openCredentials, openMcp } from "@troupe/runtime/mcp";
import { askNobody } from "@troupe/team";
import type { Call } from "../command.ts";
import { openStore, type StorePlace } from "../open.ts";
import { assertKey, setVariables } from "./environment.ts";
import type { GivenDefinitions } from "./given-definitions.ts";

/** Settings as the command line gives them: any keys, and lists of rules. */
export interface FlagSettings {
  readonly permissions?: Readonly<Record<string, unknown>> | undefined;
  readonly [key: string]: unknown;
}

/** What a command decides about the session it opens; the rest comes from this machine. */
export interface SessionWish
  extends Pick<SessionDeps, "role" | "sessionId" | "options" | "seat" | "backends" | "onEvent"> {
  /** Nobody, unless it is said. */
  readonly person?: Person | undefined;
  /** Settings of the command line. */
  readonly settings?: FlagSettings | undefined;
  /** Definitions of the command line. */
  readonly definitions?: GivenDefinitions | undefined;
  /** An alias or an id. */
  readonly model: string | undefined;
  /** Permission rules of the command line. */
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
}

/**
 * Opens a session with the real Messages API and this machine's files, worktrees, MCP servers and
 * confinement.
 */
export async function openRealSession(
  call: StorePlace & Pick<Call, "home" | "cwd" | "note">,
  { model, allowed, denied, settings, definitions, options, person, ...wish }: SessionWish,
): Promise<Session> {
  const { root, home, cwd, now, note } = call;
  const environment = setVariables(call);
  const temporary = environment["TMPDIR"] || tmpdir();
  const { confinement } = await findConfinement({ environment, temporary });
  return openSession({
    ...wish,
    machine: {
      root,
      home,
      temporary,
      environment,
      confinement,
      openMcp: withLogins(root),
      now,
      own: join(root, "troupe"),
    },
    project: {
      cwd,
      flagSettings: JSON.stringify(withRules(settings, allowed, denied)),
      definitions,
      workspaces: createWorktrees({ cwd, environment, warn: note }),
    },
    options: { ...options, model, modelOverrides: environment },
    model: anthropicModel({ client: clientOf(environment), now }),
    key: { model: chooseModel({ overrides: environment }), betas: [] },
    store: await openStore(call),
    person: person ?? { ask: askNobody, show: note },
  });
}

/** Opens a worktree of the repository, for a session that works in it. */
export const openWorktree = (
  { cwd, note, signal, ...call }: Pick<Call, "cwd" | "environment" | "note" | "signal">,
  name: string,
): Promise<Workspace> => createWorktrees({ cwd, environment: setVariables(call), warn: note }).open(name, signal);

/** MCP servers with the logins that a person has made by `troupe mcp login`. */
const withLogins = (root: string) => (deps: McpDeps) => openMcp({ ...deps, credentials: openCredentials(root) });

/**
 * Passes every setting, so that the SDK reads nothing from the environment. Its class without
 * resources is a third of the other, which every start would read.
 */
function clientOf(environment: Readonly<Record<string, string>>): BaseAnthropic {
  assertKey(environment);
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken, ANTHROPIC_BASE_URL: baseURL } = environment;
  return new BaseAnthropic({ apiKey: apiKey || null, authToken: authToken || null, baseURL: baseURL || null });
}

/** Rules of options stand beside those of the given settings. */
function withRules(settings: FlagSettings = {}, allowed: readonly string[], denied: readonly string[]): FlagSettings {
  const { permissions = {} } = settings;
  const { allow = [], deny = [] } = permissions as { readonly allow?: unknown[]; readonly deny?: unknown[] };
  return { ...settings, permissions: { ...permissions, allow: [...allow, ...allowed], deny: [...deny, ...denied] } };
}
