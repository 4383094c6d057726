import { resolve } from "node:path";
import { agentPresets } from "@troupe/backends/acp";
import { type LeadSeat, type TakenSeat, takeSeat } from "@troupe/mcp";
import { TroupeError } from "@troupe/protocol";
import { thisProcess } from "@troupe/store/files";
import type { Call } from "../command.ts";
import { runningLead } from "../team/liveness.ts";
import { type CrewBounds, openCrew } from "./crew.ts";
import { ledConfig, type Told, withLedger } from "./seat.ts";
import type { ServeOptions } from "./serve.ts";

/** How many teammates a lead has at most, unless it is said. */
const usualMost = 8;

/**
 * The seat of the lead, with the teammates that an earlier process of it left. They run on when it
 * is closed. Throws `session_leading` while a session leads the team.
 */
export async function openLeadSeat(
  call: Call,
  { store, team }: Told,
  bounds: CrewBounds,
): Promise<TakenSeat & LeadSeat> {
  const { config, lead } = await ledConfig(team);
  const leader = runningLead(call.root, config);
  if (leader) {
    const message = `a session leads ${team.name} (process ${leader.pid}): end that first, or look on with --observe`;
    throw new TroupeError("session_leading", message, { team: team.name, pid: leader.pid });
  }
  return withLedger(call, { team, config, name: lead }, async (ledger) => {
    // Teammates end by themselves where the process that is written down has ended.
    if (config.leadProcess) await team.claim({ ...thisProcess(), claimedAt: call.now().getTime() });
    const self = await team.as(lead);
    const { spawner, supervise } = openCrew(call, { team, self, config, bounds });
    const seat = await takeSeat({ store, team, self, lead, ledger, spawner, now: call.now, show: call.note });
    const { crew, leave } = await supervise(seat.membership);
    return { ...seat, crew, close: () => leave().finally(seat.close) };
  });
}

/** Throws `arguments_invalid`. */
export function boundsFrom({ options, cwd }: Pick<Call<object, ServeOptions>, "options" | "cwd">): CrewBounds {
  const { backend: [first = "process", ...others] = [], most = String(usualMost) } = options;
  if (!/^\d{1,3}$/.test(most)) throw wrong(`--most takes a number of teammates, not ${JSON.stringify(most)}`);
  const known = ["process", "tmux", ...Object.keys(agentPresets).map((name) => `acp-${name}`)];
  for (const name of [first, ...others])
    if (!known.includes(name)) throw wrong(`--backend ${name}: choose one of ${known.join(", ")}`);
  return {
    backends: [first, ...others],
    mode: options["permission-mode"],
    planModeRequired: options["plan-mode-required"],
    cwd: resolve(cwd, options.cwd ?? "."),
    most: Number(most),
  };
}

const wrong = (message: string): TroupeError => new TroupeError("arguments_invalid", message);
