import { tmpdir } from "node:os";
import Anthropic from "@anthropic-ai/sdk";
import { createWorktrees } from "@troupe/backends/worktree";
import { TroupeError } from "@troupe/protocol";
import {
  chooseModel,
  findConfinement,
  openSession,
  type Person,
  type Session,
  type SessionDeps,
} from "@troupe/runtime";
import { anthropicModel } from "@troupe/runtime/anthropic";
import { openMcp } from "@troupe/runtime/mcp";
import { askNobody } from "@troupe/team";
import type { Call } from "../command.ts";
import { openStore } from "../open.ts";
import { setVariables } from "./environment.ts";

/** What a command decides about the session it opens; the rest comes from this machine. */
export interface SessionWish
  extends Pick<SessionDeps, "role" | "sessionId" | "options" | "seat" | "backends" | "onEvent"> {
  /** Nobody, unless it is said. */
  readonly person?: Person | undefined;
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
  call: Pick<Call, "root" | "home" | "cwd" | "environment" | "now" | "note">,
  { model, allowed, denied, options, person, ...wish }: SessionWish,
): Promise<Session> {
  const { root, home, cwd, now, note } = call;
  const environment = setVariables(call);
  const temporary = environment["TMPDIR"] || tmpdir();
  const { confinement } = await findConfinement({ environment, temporary });
  return openSession({
    ...wish,
    machine: { root, home, temporary, environment, confinement, openMcp, now },
    project: {
      cwd,
      flagSettings: JSON.stringify({ permissions: { allow: allowed, deny: denied } }),
      workspaces: createWorktrees({ cwd, environment, warn: note }),
    },
    options: { ...options, modelOverrides: environment },
    model: anthropicModel({ client: clientOf(environment), now }),
    key: { model: chooseModel({ asked: model, overrides: environment }), betas: [] },
    store: openStore({ root, now }),
    person: person ?? { ask: askNobody, show: note },
  });
}

/** Passes every setting, so that the SDK reads nothing from the environment. */
function clientOf(environment: Readonly<Record<string, string>>): Anthropic {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken, ANTHROPIC_BASE_URL: baseURL } = environment;
  if (!apiKey && !authToken)
    throw new TroupeError(
      "arguments_invalid",
      "there is no key for the Messages API: set ANTHROPIC_API_KEY in the environment",
    );
  return new Anthropic({ apiKey: apiKey || null, authToken: authToken || null, baseURL: baseURL || null });
}
