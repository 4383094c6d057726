import { EventEmitter, once } from "node:events";
import type { Backend, Observation, Spawned, TeamRef } from "../backend.ts";
import type { BackendEngine } from "./backend-laws.ts";

/** Teammates that run in no process at all, on a machine of its own that outlives its lead. */
export interface BackendDouble extends BackendEngine {
  open(): Promise<Backend>;
}

/** What its prompt says never becomes ready. */
const failing = { prompt: "never become ready" };

/** A backend for tests; what it is asked to start is whatever runs under that name from then on. */
export function backendDouble(name = "double"): BackendDouble {
  const machine = new Map<string, Spawned & TeamRef>();
  const ended = new EventEmitter();
  const placeOf = ({ team, name: member }: Pick<Spawned, "team" | "name">) => JSON.stringify([team, member]);
  const of = (team: string) => [...machine.values()].filter((one) => one.team === team);
  const isRunning = (one: Spawned) => machine.get(placeOf(one)) === one;
  const end = (one: Spawned, reason: "shutdown" | "lost") => {
    if (!isRunning(one)) return;
    machine.delete(placeOf(one));
    ended.emit(placeOf(one), reason);
  };

  async function* observe(one: Spawned, signal: AbortSignal): AsyncGenerator<Observation> {
    const over = isRunning(one) ? once(ended, placeOf(one), { signal }) : Promise.resolve(["exit"]);
    const reason = over.then(
      ([last]) => last,
      () => undefined,
    );
    if (isRunning(one)) yield { kind: "ready" };
    const last = await reason;
    if (last !== undefined) yield { kind: "ended", reason: last, detail: `${one.name} runs no more` };
  }

  const backend: Backend = {
    name,
    async spawn({ team, teamCreatedAt, name: member, prompt }, signal) {
      signal.throwIfAborted();
      const pane = name === "tmux" ? `%${machine.size}` : undefined;
      const one = { backend: name, team, teamCreatedAt, name: member, pane };
      if (machine.has(placeOf(one))) throw new Error(`${member} runs already`);
      machine.set(placeOf(one), one);
      if (prompt !== failing.prompt) return one;
      end(one, "lost");
      throw new Error(`${member} did not become ready`);
    },
    observe,
    stop: async (one) => end(one, "shutdown"),
    list: async (ref) => of(ref.team).filter((one) => one.teamCreatedAt === ref.teamCreatedAt),
    async recover(ref, members) {
      const adopted = (await backend.list(ref)).filter((one) => members.has(one.name));
      const removed = of(ref.team).filter((one) => !adopted.includes(one));
      for (const one of removed) end(one, "shutdown");
      return { adopted, removed };
    },
  };

  return {
    open: async () => backend,
    running: async (team) => of(team).map((one) => one.name),
    async crash(team, member) {
      for (const one of of(team)) if (one.name === member) end(one, "lost");
    },
    failing,
    close: async () => {},
  };
}
