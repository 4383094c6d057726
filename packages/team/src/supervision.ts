import { isTroupeError, messageOf } from "@troupe/protocol";
import type { RecordedEvent, Team } from "@troupe/store";
import { addedFromNow, type Spawning } from "./added-elsewhere.ts";
import type { Backend, Observation, Spawned } from "./backend.ts";
import { begun, foldDoings, momentOf, stateOf } from "./doing.ts";
import type { TeamEvent } from "./events.ts";
import { type Added, markTasks, removeMember, type Spawner } from "./spawner.ts";

/** Gives back what a teammate worked in; it tells itself what went wrong. */
export type GiveBack = () => Promise<void>;

export interface SupervisionDeps {
  /** The team that is led. */
  readonly team: Team;
  /** The name of the lead. */
  readonly self: string;
  readonly spawner: Spawner;
  /** All in which a teammate of this lead may run. */
  readonly backends: readonly Backend[];
  /** Hears the mail that waits: a teammate that has ended may have said so. */
  readonly hear: () => Promise<unknown>;
  /** Tells the lead of a teammate that ended without a word. */
  readonly tell: (name: string, words: string) => void;
  /** Told of each teammate once it runs, with what resolves when its end was dealt with. */
  readonly onWatched?: (one: Spawned, over: Promise<void>) => void;
  /** Told what is seen of a teammate from outside. */
  readonly onSeen?: (one: Spawned, seen: Observation) => void;
  /** Told what stands in the team's history from the first teammate on. */
  readonly onRecorded?: (recorded: RecordedEvent) => void;
  /** What is to be given back of a teammate that an earlier process of the lead has started. */
  readonly heldBy?: (name: string, cwd: string | undefined, signal: AbortSignal) => Promise<GiveBack | undefined>;
  /** Writes to the team's history. */
  readonly record: (event: TeamEvent) => void;
  /** Shows the user what went wrong. */
  readonly show: (message: string) => void;
}

/** What a lead does with its teammates while they run. */
export interface Supervision {
  /** Before any is added: goes on with those that an earlier process of this lead left. */
  recover(): Promise<void>;
  add(...how: [...Parameters<Spawner["spawn"]>, giveBack?: GiveBack | undefined]): Promise<Added>;
  /** What it does, until it has ended. */
  stateOf(one: Spawned): ReturnType<typeof stateOf> | undefined;
  /** Looks at them no more; they run on, and the next process of the lead goes on with them. */
  leave(): Promise<void>;
  /** Ends all of them; the roster stays as it is. */
  close(): Promise<void>;
}

/** Notices how teammates end that were started in the lead's name, and takes them out then. */
export function superviseTeammates(deps: SupervisionDeps): Supervision {
  const { team, self, spawner, backends, hear, tell, onWatched, onSeen, onRecorded, heldBy, record, show } = deps;
  const closing = new AbortController();
  const watches = new Map<string, Promise<void>>();
  /** Those whose end was not told, with the time of their roster entries. */
  const unended = new Map<Spawned, { readonly joinedAt: number; last?: Observation["kind"] }>();
  const doings = foldDoings();
  /** Names that this process is adding. */
  const adding = new Set<string>();
  let listening: Promise<void> | undefined;
  let recovering: Promise<void> | undefined;

  function see(one: Spawned, seen: Observation): void {
    const known = unended.get(one);
    if (!known || known.last === seen.kind || (known.last && seen.kind === "ready")) return;
    known.last = seen.kind;
    if (seen.kind === "ended") unended.delete(one);
    onSeen?.(one, seen);
  }

  function seeDoing(one: Spawned, joinedAt: number): void {
    const doing = doings.of({ name: one.name, joinedAt });
    if (doing) see(one, { kind: stateOf(doing) });
  }

  function watch({ one, joinedAt }: Added, giveBack: GiveBack = async () => {}): void {
    unended.set(one, { joinedAt });
    see(one, { kind: "ready" });
    // It may have recorded something before it was told here that it runs.
    seeDoing(one, joinedAt);
    listening ??= listen(momentOf(joinedAt)).catch((error: unknown) =>
      show(`teammates are not heard any more: ${messageOf(error)}`),
    );
    const over = follow(one)
      .catch((error: unknown) => show(`${one.name} is not watched any more: ${messageOf(error)}`))
      .then(giveBack)
      .then(() => void watches.delete(one.name));
    watches.set(one.name, over);
    onWatched?.(one, over);
  }

  async function follow(one: Spawned): Promise<void> {
    const backend = backends.find(({ name }) => name === one.backend);
    if (!backend) return;
    for await (const seen of backend.observe(one, closing.signal)) {
      if (seen.kind === "away" || seen.kind === "back") await passOn(one.name, seen);
      if (seen.kind !== "ended") {
        see(one, seen);
        continue;
      }
      // Who waits for its end finds the lead told of it.
      await letGo(one.name, unended.get(one)?.joinedAt, seen).finally(() => see(one, seen));
      return;
    }
  }

  /** Its tasks in progress stay its own, since what they did may be half done. */
  async function passOn(
    name: string,
    { kind, detail }: Extract<Observation, { kind: "away" | "back" }>,
  ): Promise<void> {
    record({ kind, name, detail });
    const marked = await markTasks(team, name, kind === "away" ? detail : null);
    const told = marked.map(({ id, subject }) => `#${id} ${subject}`).join(", ");
    const left = `Still in progress, perhaps half done, and not given back: ${told}.`;
    tell(name, [detail.replace(/\.?$/, "."), ...(told === "" ? [] : [left])].join(" "));
  }

  async function letGo(
    name: string,
    joinedAt: number | undefined,
    { detail, result = "" }: Pick<Extract<Observation, { kind: "ended" }>, "detail" | "result">,
  ): Promise<void> {
    // A team that was removed meanwhile has no mail, no roster and no history.
    if (!(await hasHeard(name))) return;
    // One that has agreed to end was taken out when its agreement was heard.
    const hasLeft = !(await isMember(name, joinedAt));
    record({ kind: hasLeft ? "stopped" : "died", name, detail });
    if (hasLeft && result !== "") tell(name, result);
    if (hasLeft) return;
    const words = await removeMember(team, name, undefined, show);
    tell(
      name,
      [`${name} has ended without a word: ${detail}.`, result, words].filter((line) => line !== "").join("\n"),
    );
  }

  /** Whether the one that joined at this time is in the team. */
  async function isMember(name: string, joinedAt: number | undefined): Promise<boolean> {
    const { value } = await team.config();
    return value?.members?.some((member) => member.name === name && member.joinedAt === joinedAt) === true;
  }

  /** False where the mail cannot be heard since the team is gone. */
  async function hasHeard(name: string): Promise<boolean> {
    try {
      await hear();
      return true;
    } catch (error) {
      const absence: unknown = await team.as(name).catch((reason: unknown) => reason);
      if (isTroupeError(absence) && absence.code === "team_unknown") return false;
      throw error;
    }
  }

  /** Teammates record whether they work, and what they wait for. */
  async function listen(from: string): Promise<void> {
    let hasBegun = false;
    for await (const recorded of team.history(undefined, closing.signal)) {
      // A clock may go back behind it.
      hasBegun ||= recorded.at >= from;
      if (hasBegun) onRecorded?.(recorded);
      doings.take(recorded);
      for (const [one, { joinedAt }] of unended) if (one.name === recorded.by) seeDoing(one, joinedAt);
    }
  }

  /** One that agreed to end in the meantime has said so by mail, which is heard first. */
  async function takeOver(): Promise<void> {
    await hear().catch((error: unknown) => show(messageOf(error)));
    const places = new Map((await team.config()).value?.members.map(({ name, cwd }) => [name, cwd]));
    const { adopted, gone } = await spawner.recover();
    const heldIn = (name: string) => heldBy?.(name, places.get(name), closing.signal);
    for (const added of adopted) watch(added, await heldIn(added.one.name));
    for (const { name } of gone) await (await heldIn(name))?.();
    for (const { name, words } of gone) tell(name, `${name} has ended while nobody led the team.\n${words}`);
  }

  /** Goes on with teammates that a person adds from another terminal in the lead's name. */
  async function adopt(added: AsyncIterable<Spawning>): Promise<void> {
    for await (const { name, joinedAt, backend } of added) {
      if (adding.has(name) || watches.has(name)) continue;
      const one = await spawner.find(name);
      if (one) watch({ one, joinedAt });
      else if (await isMember(name, joinedAt)) {
        await spawner.sweep(backend);
        await letGo(name, joinedAt, { detail: "it had ended before its lead could go on with it" });
      }
    }
  }

  async function leave(): Promise<void> {
    await recovering;
    closing.abort();
    await Promise.all(watches.values());
    await listening;
  }

  return {
    recover() {
      recovering ??= (async () => {
        const added = await addedFromNow(team, self, closing.signal);
        await takeOver();
        void adopt(added).catch((error: unknown) => show(messageOf(error)));
      })().catch((error: unknown) =>
        show(`what an earlier process started for ${team.name} could not be taken over: ${messageOf(error)}`),
      );
      return recovering;
    },

    async add(spec, backend, signal, giveBack) {
      adding.add(spec.name);
      try {
        const added = await spawner.spawn(spec, backend, signal);
        watch(added, giveBack);
        return added;
      } finally {
        adding.delete(spec.name);
      }
    },

    stateOf(one) {
      const known = unended.get(one);
      return known && stateOf(doings.of({ name: one.name, joinedAt: known.joinedAt }) ?? begun);
    },

    leave,

    async close() {
      await recovering;
      closing.abort();
      const ends = await Promise.allSettled([...unended.keys()].map(spawner.end));
      for (const end of ends) if (end.status === "rejected") show(messageOf(end.reason));
      await Promise.all(watches.values());
      // To watch ends before they do.
      for (const one of unended.keys()) {
        const detail = `${one.name} was ended`;
        record({ kind: "stopped", name: one.name, detail });
        see(one, { kind: "ended", reason: "shutdown", detail });
      }
      await listening;
    },
  };
}
