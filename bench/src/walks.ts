import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Block,
  type Model,
  openSession,
  type Session,
  type SessionDeps,
  seatOf,
  type Tool,
} from "@troupe/runtime";
import type { Team } from "@troupe/store";
import { openFileStore } from "@troupe/store/files";
import type { Coverage, Ran } from "./coverage.ts";

/** One walk through the packages, from its first to its last moment. */
export type Walk = (coverage: Coverage) => Promise<readonly Ran[]>;

/** From the answer that calls SendMessage until a teammate that is idle asks its model. */
export const sendMessage: Walk = (coverage) =>
  inScratch(async (root) => {
    const team = await crewIn(root);
    const seen = settling<readonly Ran[]>();
    const hold = settling<Line>();
    const call = (nth: number) => [use(`c${nth}`, "SendMessage", { to: "ann", message: `word ${nth}`, summary: "w" })];
    // The first message is not measured: a teammate that has worked waits for its next.
    const lead = await seated(root, team, "team-lead", async (nth) => {
      if (nth === 2) await coverage.reset();
      if (nth === 0 || nth === 2) return call(nth);
      return nth === 1 ? said : hold.promise;
    });
    const isIdle = settling<void>();
    const ann = await seated(
      root,
      team,
      "ann",
      async (nth) => {
        if (nth === 1) seen.resolve(await coverage.ran());
        return said;
      },
      { onEvent: (event) => event.kind === "state" && event.state === "idle" && heard(ann) && isIdle.resolve() },
    );
    const ending = new AbortController();
    const attending = drained(ann.attendTeam(ending.signal));
    await drained(turn(lead, "first"));
    await isIdle.promise;
    const second = drained(turn(lead, "second"));
    const ran = await seen.promise;
    hold.resolve(said);
    await second;
    ending.abort();
    await attending;
    await Promise.all([ann.close(), lead.close()]);
    return ran;
  });

/** From the answer that calls Agent until the request with the notice of the agent's end. */
export const agentCall: Walk = (coverage) =>
  inScratch(async (root) => {
    const seen = settling<readonly Ran[]>();
    const session = opened(root, "alone", async (nth, request) => {
      if (request.includes("Look at it.") && !request.includes("Begin.")) return said;
      if (nth === 0) {
        await coverage.reset();
        return [use("c", "Agent", { description: "look", prompt: "Look at it.", subagent_type: "general-purpose" })];
      }
      if (request.includes("<task-notification>")) seen.resolve(await coverage.ran());
      else await Promise.all(session.jobs.all().map(({ settled }) => settled));
      return said;
    });
    await drained(turn(session, "Begin."));
    const ran = await seen.promise;
    await session.close();
    return ran;
  });

/** From a teammate's call that is about to be judged, and needs its lead's word, until it runs. */
export const permissionQuestion =
  (isKept: boolean): Walk =>
  (coverage) =>
    inScratch(async (root) => {
      const team = await crewIn(root);
      const seen = settling<readonly Ran[]>();
      const tool = (name: string, judged: () => void, run: () => Promise<void>): Tool => ({
        definition: { name, description: name, input_schema: { type: "object" } },
        isReplayable: false,
        isConcurrent: () => false,
        faultOf: () => void judged(),
        run: () => run().then(() => ({ content: said })),
      });
      let isBegun = false;
      const begin = () => {
        if (!isBegun) void coverage.reset();
        isBegun = true;
      };
      // The first question is not measured: with it the lead opens its mail.
      const build = tool(
        "Build",
        () => {},
        async () => {},
      );
      const deploy = tool("Deploy", begin, async () => seen.resolve(await coverage.ran()));
      const lead = await seated(root, team, "team-lead", async () => said, {
        person: {
          ask: async ({ suggestions }) => ({
            behavior: "allow",
            updates: isKept ? suggestions.map((one) => ({ ...one, destination: "localSettings" })) : [],
          }),
        },
      });
      const calls = [build, deploy].map(({ definition: { name } }) => [use(name, name, {})]);
      const ann = await seated(root, team, "ann", async (nth) => calls[nth] ?? said, { tools: [build, deploy] });
      await drained(turn(ann, "Deploy."));
      const ran = await seen.promise;
      await Promise.all([ann.close(), lead.close()]);
      return ran;
    });

type Line = readonly Block[];

const said: Line = [{ type: "text", text: "Well." }];

const use = (id: string, name: string, input: object): Block => ({ type: "tool_use", id, name, input });

async function inScratch<T>(work: (root: string) => Promise<T>): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), "troupe-paths-"));
  try {
    return await work(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function crewIn(root: string): Promise<Team> {
  const at = { createdAt: Date.now(), cwd: root };
  const store = openFileStore({ root });
  const draft = { ...at, name: "crew", leadSessionId: "lead", leadModel: "m", revision: "2026-11" } as const;
  const team = await store.createTeam(draft);
  await team.join({ name: "ann", agentType: "worker", model: "m", prompt: "p", joinedAt: at.createdAt, cwd: root });
  return team;
}

/** What the model answers, by how often it was asked and what it is asked. */
type Answering = (nth: number, request: string) => Promise<Line>;

const modelOf = (answering: Answering): Model => {
  let asked = 0;
  return async function* (request) {
    yield { kind: "begun" };
    const content = await answering(asked++, JSON.stringify(request.messages));
    const stopReason = content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
    const usage = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 };
    yield { kind: "answered", answer: { id: "a", model: "m", content, stopReason, usage } };
  };
};

const opened = (root: string, sessionId: string, answering: Answering, more: Partial<SessionDeps> = {}): Session =>
  openSession({
    sessionId,
    machine: { root, home: root, temporary: join(root, "tmp"), environment: {} },
    project: { cwd: root },
    role: "You are thorough.",
    model: modelOf(answering),
    key: { model: "m", betas: [] },
    person: { ask: async () => ({ behavior: "deny", message: "nobody is here" }) },
    options: { revision: "2026-11", gates: { isInteractive: true } },
    ...more,
  });

const seated = async (root: string, team: Team, name: string, answering: Answering, more: Partial<SessionDeps> = {}) =>
  opened(root, name, answering, { store: openFileStore({ root }), seat: await seatOf(team, name), ...more });

const heard = (session: Session): boolean => session.journal.state().ended !== undefined;

async function* turn(session: Session, prompt: string) {
  await session.submit(prompt);
  yield* session.run();
}

async function drained(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}

function settling<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
