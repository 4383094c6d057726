import type { OpenAgent } from "../agent/open.ts";
import type { Hooks } from "../hooks/hooks.ts";
import type { PersonHooks } from "../hooks/person-hooks.ts";
import type { Jobs } from "../jobs/jobs.ts";
import type { Abort } from "../loop/abort.ts";
import type { Mcp } from "../mcp/mcp.ts";
import type { Own } from "../own/own.ts";
import type { Seats } from "./seats.ts";
import type { Turns } from "./turns.ts";

/** How long the end of a session waits for a turn that goes on. */
const graceMs = 3_000;

export interface ClosingDeps {
  readonly turns: Turns;
  readonly jobs: Jobs;
  readonly talk: PersonHooks;
  readonly closing: Abort;
  readonly hooks: Hooks;
  readonly mcp: Mcp | undefined;
  readonly seats: Seats;
  readonly agent: Pick<OpenAgent, "end">;
  readonly own: Own;
}

/** Ends what a session started: what may still speak first, where it is written down last. */
export async function closeSession(deps: ClosingDeps): Promise<void> {
  const { turns, jobs, talk, closing, hooks, mcp, seats, agent, own } = deps;
  turns.abort("shutdown");
  await turns.ended(graceMs);
  await jobs.close();
  await talk.ended();
  closing.abort("shutdown");
  await hooks.close();
  await mcp?.close();
  await seats.close();
  await agent.end();
  await own.close();
}
