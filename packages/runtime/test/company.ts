import { type MessagesRequest, type Reply, toolUse } from "@troupe/fake-anthropic";
import { openFileStore } from "@troupe/store/files";
import type { Ask, Backend, Spawned, TeammateSpec } from "@troupe/team";
import { onTestFinished } from "vitest";
import { seatOf } from "../src/session/seats.ts";
import type { Session, SessionEvent } from "../src/session/session.ts";
import { faked } from "./faked.ts";
import { changed, opened, type Wishes } from "./sessions.ts";

/** What a member answers: told what it was told last, and how often it was asked before. */
export type Says = (said: string, nth: number, request: MessagesRequest) => Reply | Promise<Reply> | undefined;

/** A call of the Agent tool that adds a teammate. */
export const add = (name: string, more: object = {}) =>
  toolUse("Agent", { name, description: `the part of ${name}`, prompt: `do the part of ${name}`, ...more });

/**
 * A lead whose teammates are sessions beside it, all of them on one fake API; "" are the words of
 * the lead, and members who are not in the cast say that they are done.
 */
export async function company(
  cast: Readonly<Record<string, Says>>,
  {
    of,
    bridge,
    defined = {},
    ...wishes
  }: Wishes & {
    readonly settings?: object;
    readonly of?: (spec: TeammateSpec) => Wishes;
    /** The lead's screen, where teammates ask. */
    readonly bridge?: Ask;
    readonly defined?: Readonly<Record<string, object>>;
  } = {},
) {
  const times = new Map<string, number>();
  const requests: { readonly who: string; readonly request: MessagesRequest }[] = [];
  const stage = await faked({
    rule: async (request) => {
      const [, who = ""] = /You are (\w+) in the team/.exec(JSON.stringify(request.system)) ?? [];
      requests.push({ who, request });
      const nth = times.get(who) ?? 0;
      times.set(who, nth + 1);
      return (await cast[who]?.(JSON.stringify(request.messages.at(-1)?.content), nth, request)) ?? "Done.";
    },
  });
  for (const [name, frontMatter] of Object.entries(defined)) stage.define(name, frontMatter);
  stage.trust();
  const store = openFileStore({ root: stage.deps.machine.root });
  const deps = changed(stage.deps, { store, ...wishes });
  const sessions = new Map<string, Session>();
  const specs: TeammateSpec[] = [];
  const events: SessionEvent[] = [];

  /** Teammates as sessions, without what a real backend has besides. */
  function beside(): Backend {
    const running = new Map<Spawned, { readonly stop: AbortController; readonly over: Promise<void> }>();
    return {
      name: "in-process",
      tellsPrompt: true,
      async spawn(spec) {
        specs.push(spec);
        const { name, team: teamName, color, revision, mode, planModeRequired, agentType } = spec;
        const team = await store.openTeam(teamName);
        if (!team) throw new Error(`there is no team ${teamName}`);
        const seat = {
          ...(await seatOf(team, name)),
          isSpawned: true,
          color,
          planModeRequired,
          ...(bridge && { bridge }),
        };
        const session = opened({
          ...changed(deps, { seat, ...of?.(spec) }),
          sessionId: undefined,
          options: {
            ...deps.options,
            revision,
            model: spec.model,
            mode: planModeRequired ? "plan" : mode,
            agentType: agentType === "general-purpose" ? undefined : agentType,
          },
        });
        sessions.set(name, session);
        session.tell(spec.prompt, { origin: { kind: "teammate", name: seat.lead } });
        const stop = new AbortController();
        const work = async () => {
          for await (const _ of session.attendTeam(stop.signal));
          await session.close();
        };
        const one: Spawned = { backend: "in-process", team: teamName, name };
        running.set(one, { stop, over: work().finally(() => running.delete(one)) });
        return one;
      },
      async *observe(one) {
        yield { kind: "ready" };
        await running.get(one)?.over;
        yield { kind: "ended", reason: "shutdown", detail: `${one.name} has ended` };
      },
      async stop(one) {
        const found = running.get(one);
        found?.stop.abort("shutdown");
        await found?.over;
      },
      list: async ({ team }) => [...running.keys()].filter((one) => one.team === team),
      recover: async () => ({ adopted: [], removed: [] }),
    };
  }

  const lead = opened({ ...deps, backends: [beside()], onEvent: (event) => void events.push(event) });
  return {
    ...stage,
    store,
    lead,
    sessions,
    specs,
    events,
    /** The requests of a member, the lead's under "". */
    requestsOf: (who: string) => requests.filter((one) => one.who === who).map(({ request }) => request),
    /** Turns of the lead over its mail until this holds. */
    async leads(until: () => boolean | Promise<boolean>): Promise<void> {
      const ending = new AbortController();
      onTestFinished(() => ending.abort());
      while (!(await until())) {
        await lead.mail(ending.signal);
        for await (const _ of lead.run());
      }
    },
  };
}
