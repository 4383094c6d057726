import { TroupeError } from "@troupe/protocol";
import { isUnavailable, timeLimit } from "@troupe/store";
import type { Backend, Observation, Spawned, TeamRef } from "@troupe/team";
import { createGit } from "../worktree/git.ts";
import { type Asked, type Hints, type HostedSpec, isOf, labelsFor, reasonOf, workOf } from "./asked.ts";
import { codeHere } from "./code-here.ts";
import { persistently } from "./persistently.ts";

/** What a lead asks of hosts; that of a store on PostgreSQL fits. */
export interface Spawns {
  /** The same words for the same member are the same request. */
  ask(asked: Pick<Asked, "team" | "member" | "spec"> & { readonly wanted: readonly string[] }): Promise<string>;
  look(id: string): Promise<Asked | undefined>;
  open(team: string): Promise<readonly Asked[]>;
  stop(id: string, graceMs: number): Promise<void>;
  giveUp(id: string, why: string): Promise<void>;
  listen(): Hints;
}

export interface HostBackendDeps {
  /** By which it is chosen: `host`, or `host:` with labels. */
  readonly name: string;
  readonly spawns: () => Promise<Spawns>;
  /** Labels that the host of a new teammate has to have. */
  readonly labels: readonly string[];
  /** How long a request may wait until a host takes it; later, it is given up. */
  readonly takenMs: number;
  /** Variables for git. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly warn: (message: string) => void;
}

/** So long a host may take to end a teammate, besides the time that the teammate is given. */
const endingMs = 60_000;
const gitMs = 60_000;

/** Teammates on other machines: what they run on is asked for, and tells what becomes of them. */
export function hostBackend({
  name: backendName,
  spawns,
  labels,
  takenMs,
  environment,
  warn,
}: HostBackendDeps): Backend {
  const git = createGit({ environment, timeoutMs: gitMs });

  /**
   * What it looks like at each look, until the signal fires; undefined where there is none. A
   * database that is away is asked at the next look.
   */
  async function* looks(id: string, signal: AbortSignal): AsyncGenerator<Asked | undefined> {
    const all = await spawns();
    const hints = all.listen();
    try {
      while (await hints.next(signal)) {
        const found = await all.look(id).then((asked) => ({ asked }), unlessAway);
        if (!found) continue;
        yield found.asked;
        if (!found.asked || found.asked.state === "ended") return;
      }
    } finally {
      hints.end();
    }
  }

  async function untilRunning(id: string, wanted: readonly string[], signal: AbortSignal): Promise<void> {
    const late = new AbortController();
    const wait = () => setTimeout(() => late.abort(), takenMs);
    let waiting: ReturnType<typeof wait> | undefined = wait();
    let asked: Asked | undefined;
    for await (asked of looks(id, AbortSignal.any([signal, late.signal]))) {
      if (asked?.state === "running") break;
      // While a host has it, how long that may take is the host's matter.
      if (asked?.state === "taken" && asked.isHeard === true) {
        clearTimeout(waiting);
        waiting = undefined;
      } else waiting ??= wait();
    }
    clearTimeout(waiting);
    if (asked?.state === "running") return;
    signal.throwIfAborted();
    if (asked?.state === "ended") throw new Error(asked.detail ?? "its host says no more");
    const which = wanted.length > 0 ? ` with ${wanted.join(", ")}` : "";
    throw new Error(
      `no host${which} has taken it within ${takenMs / 1_000} s: troupe host list shows those that there are, with slots and labels`,
    );
  }

  const placeOf = ({ id, team, member }: Pick<Asked, "id" | "team" | "member">): Spawned => ({
    backend: backendName,
    team,
    name: member,
    request: id,
  });

  async function spawned(ref: TeamRef): Promise<readonly Asked[]> {
    return (await (await spawns()).open(ref.team)).filter((asked) => asked.starts > 0 && isOf(ref)(asked));
  }

  const backend: Backend = {
    name: backendName,
    tellsPrompt: true,
    isElsewhere: true,

    async spawn({ environment: _, worktree: __, ...spec }, signal) {
      signal.throwIfAborted();
      const { team, name } = spec;
      const code = await codeHere(git, spec.cwd, warn, signal);
      const hosted: HostedSpec = { ...spec, ...(code && { code }) };
      const all = await spawns();
      const request = { team, member: name, spec: hosted, wanted: labelsFor(hosted, labels) };
      const id = await persistently(() => all.ask(request), timeLimit(takenMs));
      try {
        await untilRunning(id, request.wanted, signal);
      } catch (error) {
        const why = error instanceof Error ? error.message : "it was cancelled";
        await persistently(() => all.giveUp(id, why), timeLimit(takenMs));
        signal.throwIfAborted();
        throw new TroupeError("teammate_failed", `${name} of ${team} did not become ready: ${why}`, { team, name });
      }
      return placeOf({ id, team, member: name });
    },

    async *observe({ request, name }, signal) {
      const lost = (detail: string): Observation => ({ kind: "ended", reason: "lost", detail });
      if (request === undefined) return yield lost(`${name} runs no more`);
      let known: Asked | undefined;
      let isAway = false;
      for await (const asked of looks(request, signal)) {
        if (!asked) return yield lost(`nothing is known of ${name} any more`);
        if (asked.state === "ended") return yield endOf(asked);
        if (asked.state === "running" && asked.isHeard === true) {
          const isNews = isAway || (known !== undefined && known.epoch !== asked.epoch);
          if (isNews) yield { kind: "back", detail: backWords(asked, known ?? asked) };
          else if (!known) yield { kind: "ready" };
          known = asked;
          isAway = false;
        } else if (!isAway && (known || asked.starts > 1 || isForsaken(asked))) {
          yield { kind: "away", detail: awayWords(asked, known) };
          isAway = true;
        }
      }
    },

    async stop({ request, name }, graceMs) {
      if (request === undefined) return;
      const all = await spawns();
      await all.stop(request, graceMs);
      const late = timeLimit(graceMs + endingMs);
      for await (const asked of looks(request, late)) {
        if (!asked || asked.state === "ended") return;
        // Nobody can look whether it runs: what it writes is refused from then on.
        if (asked.isHeard === false)
          await all.giveUp(request, `its host ${asked.host} was not heard of, and it was stopped`);
      }
      const message = `the host of ${name} has not ended it: troupe host list shows where it runs`;
      throw new TroupeError("team_active", message, { name });
    },

    list: async (ref) => (await spawned(ref)).map(placeOf),

    async recover(ref, members) {
      const all = await spawns();
      const open = (await all.open(ref.team)).filter((asked) => asked.team === ref.team);
      const isLeft = (asked: Asked) => isOf(ref)(asked) && asked.starts > 0 && members.has(asked.member);
      const removed = open.filter((asked) => !isLeft(asked));
      for (const asked of removed) await backend.stop(placeOf(asked), 0);
      return { adopted: open.filter(isLeft).map(placeOf), removed: removed.map(placeOf) };
    },
  };
  return backend;
}

const unlessAway = (error: unknown): undefined => {
  if (!isUnavailable(error)) throw error;
};

/** No host that is heard of has it. */
const isForsaken = ({ state, isHeard }: Asked): boolean => state === "wanted" || isHeard === false;

function endOf(asked: Asked): Observation {
  const work = workOf(asked);
  const detail = [asked.host === null ? "" : `on ${asked.host}: `, asked.detail ?? "it ended"].join("");
  const result =
    work && `The work of ${asked.member} is the branch ${work.branch} of ${work.repository}, at ${work.commit}.`;
  return { kind: "ended", reason: reasonOf(asked), detail, ...(result !== undefined && { result }) };
}

function awayWords(asked: Asked, known: Asked | undefined): string {
  const { host, heardMs, member, epoch, state } = asked;
  const before = `${member} may not run any more: `;
  if (state !== "wanted" && known && known.epoch !== epoch)
    return `${before}its host ${known.host} was not heard of, and ${host} starts it again`;
  if (!known && !isForsaken(asked)) return `${before}${host} starts it again`;
  if (host === null) return `${before}its host has given it back, and the next one that fits starts it again`;
  const since = Math.round((heardMs ?? 0) / 1_000);
  return `${before}its host ${host} is not heard of since ${since} s, and the next one that fits starts it again`;
}

const backWords = (asked: Asked, known: Asked): string =>
  asked.epoch === known.epoch
    ? `${asked.member} goes on: its host ${asked.host} is heard of again`
    : `${asked.member} was started again on ${asked.host}, and knows no more than its first instruction${workOf(asked) ? " and what it had committed" : ""}. Its earlier start on ${known.host} writes nothing any more`;
