import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { troupeTeammate } from "@troupe/backends";
import { inProcessBackend } from "@troupe/backends/in-process";
import { processBackend } from "@troupe/backends/process";
import { tmuxBackend } from "@troupe/backends/tmux";
import { type MessagesRequest, startFakeAnthropic, toolUse } from "@troupe/fake-anthropic";
import { openSession, seatOf } from "@troupe/runtime";
import { anthropicModel } from "@troupe/runtime/anthropic";
import { openFileStore } from "@troupe/store/files";
import { type Backend, createSpawner, isAnyAtWork, readDoings, type Spawned, untilReady } from "@troupe/team";
import { expect, onTestFinished, test } from "vitest";
import { awaited, untilSeen } from "../../scripts/awaited.ts";
import { main, openTroupe } from "../command-line.ts";
import { describeWith } from "../require.ts";

const { home } = openTroupe();
const { signal } = new AbortController();

const names = ["ann", "bob", "cid"] as const;
const everybody = ["team-lead", ...names];
/** Of each member and of the lead: `npm run test:kills` lets them say a thousand together. */
const quota = Number(process.env["TROUPE_MESSAGES"] ?? 200) / 4;
const atOnce = 10;

/** The message that a member of this name sends at this place. */
const messageOf = (from: string, n: number) => {
  const others = everybody.filter((one) => one !== from);
  return { to: others[n % others.length] as string, text: `${from} says ${n}.` };
};

/** Moments by name: a wait for one that has come is over at once. */
function createMoments() {
  const moments = new Map<string, { readonly come: () => void; readonly coming: Promise<void> }>();
  return (name: string) => {
    let come = () => {};
    const coming = new Promise<void>((resolve) => {
      come = resolve;
    });
    const moment = moments.get(name) ?? { come, coming };
    moments.set(name, moment);
    return moment;
  };
}

/**
 * A model that sends its quota, some messages at a time, whatever it hears: it begins when all are
 * there to be written to, and has the last of them left to send when it is killed.
 */
const ruleOf = (moment: ReturnType<typeof createMoments>) => async (request: MessagesRequest) => {
  const self = nameIn(request);
  const { length } = blocksIn(request, "tool_use");
  await moment("all are there").coming;
  if (length > quota / 5) moment(`${self} sends`).come();
  if (length >= quota - atOnce) await moment(`${self} was killed`).coming;
  if (length < quota)
    return Array.from({ length: Math.min(atOnce, quota - length) }, (_, at) => {
      const { to, text } = messageOf(self, length + at);
      return toolUse("SendMessage", { to, message: text, summary: "s" });
    });
  moment(`${self} has said it all`).come();
  return "I have said it all.";
};

const nameIn = ({ system }: MessagesRequest): string =>
  /You are (\w+) in the team/.exec(JSON.stringify(system))?.[1] ?? "";
const blocksIn = ({ messages }: MessagesRequest, type: string) =>
  messages.flatMap(({ content }) => (typeof content === "string" ? [] : content.filter((one) => one.type === type)));

async function play() {
  const place = mkdtempSync(join(home, "team-"));
  const root = join(place, ".claude");
  const moment = createMoments();
  const fake = await startFakeAnthropic({ rule: ruleOf(moment) });
  onTestFinished(() => fake.close());
  const store = openFileStore({ root });
  const at = { cwd: place, createdAt: Date.now() };
  const team = await store.createTeam({ name: "crew", leadSessionId: "s", leadModel: "m", ...at });
  const lead = await team.as("team-lead");
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TMPDIR: place,
    ANTHROPIC_API_KEY: "of-no-use",
    ANTHROPIC_BASE_URL: fake.url,
  };
  const records = join(root, "troupe/backends");
  const launch = (spec: Parameters<ReturnType<typeof troupeTeammate>>[0]) =>
    troupeTeammate({
      command: [process.execPath, main],
      environment,
      root,
      more: { rest: ["--session-id", `session-${spec.name}`] },
    })(spec);
  const common = {
    launch,
    records,
    readyMs: 60_000,
    warn: () => {},
    ready: (spec: { readonly name: string }, over: AbortSignal) => untilReady(team, spec.name, over),
  };
  const backends: Readonly<Record<(typeof names)[number], Backend>> = {
    ann: inProcessBackend({
      root,
      records,
      warn: () => {},
      async open({ prompt }) {
        const session = openSession({
          sessionId: "session-ann",
          machine: { root, home: place, temporary: join(place, "tmp"), environment: {} },
          project: { cwd: place },
          role: "You write to others.",
          model: anthropicModel({
            client: new Anthropic({ baseURL: fake.url, apiKey: "none" }),
            now: () => new Date(),
          }),
          key: { model: "claude-haiku-5-5", betas: [] },
          person: { ask: async () => ({ behavior: "deny", message: "nobody is here" }) },
          store,
          seat: { ...(await seatOf(team, "ann")), isSpawned: true },
        });
        const { past, said, waiting } = session.journal.state();
        if (!past && said.length === 0 && waiting.length === 0) session.tell(prompt);
        return session;
      },
    }),
    bob: processBackend(common),
    cid: tmuxBackend({ ...common, environment: { ...environment, TMUX_TMPDIR: place } }),
  };
  const spawner = createSpawner({
    team,
    self: lead,
    backends: Object.values(backends),
    now: () => new Date(),
    graceMs: 5_000,
  });
  const specOf = (name: string) => ({
    name,
    revision: "2026-02" as const,
    leadSessionId: "s",
    agentType: "general-purpose",
    model: "haiku",
    prompt: "Say it all.",
    mode: "default" as const,
    planModeRequired: false,
    cwd: place,
    environment: {},
  });
  const living = new Map<string, Spawned>();
  for (const name of names) {
    const { one } = await spawner.spawn(specOf(name), backends[name].name, signal);
    living.set(name, one);
  }
  onTestFinished(async () => {
    for (const [name, one] of living) await backends[name as "ann"].stop(one, 5_000);
  });

  /**
   * Ends a member in the middle of what it does, and begins it again where its journal ends; a turn
   * that was stopped is over, so one that shares this process is told to go on.
   */
  async function killed(name: (typeof names)[number]): Promise<void> {
    const one = living.get(name) as Spawned;
    const { pid } = one.process ?? {};
    if (name === "ann" || pid === undefined) await backends[name].stop(one, 10_000);
    else process.kill(pid, "SIGKILL");
    for await (const seen of backends[name].observe(one, signal)) if (seen.kind === "ended") break;
    moment(`${name} was killed`).come();
    living.set(
      name,
      await backends[name].spawn({ ...specOf(name), team: "crew", teamCreatedAt: at.createdAt, color: "blue" }, signal),
    );
    if (name === "ann") await lead.send(name, { text: "Go on." });
  }

  moment("all are there").come();
  const speaking = (async () => {
    for (let n = 0; n < quota; n += 1) {
      const { to, text } = messageOf("team-lead", n);
      await lead.send(to, { text });
    }
  })();
  for (const name of names) {
    await awaited(`what ${name} sends`, moment(`${name} sends`).coming);
    await killed(name);
  }
  await speaking;
  for (const name of names) await awaited(`all that ${name} says`, moment(`${name} has said it all`).coming);
  const read = readDoings(team);
  const seen = new Map(names.map((name) => [name, true]));
  await untilSeen("all that is heard", async () => !(await isAnyAtWork(team, seen, read)));
  const { value = [] } = await team.mail("team-lead").page();
  const heard = new Map([["team-lead", value.map(({ entry }) => entry.text)]]);
  for (const name of names) heard.set(name, inputsOf(root, `session-${name}`));
  return { heard, requests: fake.requests.map(({ json }) => json as MessagesRequest) };
}

/** What was told to a session, in all of its processes. */
function inputsOf(root: string, sessionId: string): string[] {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" });
  const file = files.find((path) => path.endsWith(`${sessionId}.jsonl`));
  const lines = readFileSync(join(root, file ?? sessionId), "utf8").split("\n");
  return lines.filter((line) => line.includes('"kind":"input"'));
}

/**
 * Of what a member sent, the calls that were answered as done: others were cut off, and may have
 * been heard or not.
 */
function acknowledged(requests: readonly MessagesRequest[], from: string): ReadonlySet<number> {
  if (from === "team-lead") return new Set(Array.from({ length: quota }, (_, n) => n));
  const last = requests.findLast((one) => nameIn(one) === from);
  const results = last ? blocksIn(last, "tool_result") : [];
  return new Set(results.flatMap(({ is_error }, n) => (is_error === true ? [] : [n])));
}

describeWith("tmux", "a team with a member of every backend", () => {
  test(`${quota * 4} messages in all directions are heard exactly once and in the order of their sender, while members are killed and go on`, async () => {
    const { heard, requests } = await play();
    for (const [to, texts] of heard) {
      for (const from of everybody.filter((one) => one !== to)) {
        const said = new RegExp(`${from} says (\\d+)\\.`, "g");
        const found = texts.flatMap((text) => [...text.matchAll(said)].map(([, n]) => Number(n)));
        const sure = acknowledged(requests, from);
        expect(found, `${from} to ${to}`).toEqual([...new Set(found)].sort((a, b) => a - b));
        const wanted = Array.from({ length: quota }, (_, n) => n).filter((n) => messageOf(from, n).to === to);
        expect(found).toEqual(expect.arrayContaining(wanted.filter((n) => sure.has(n))));
        expect(wanted).toEqual(expect.arrayContaining(found));
        expect(sure.size).toBeGreaterThanOrEqual(quota - 2 * atOnce);
      }
    }
  });
});
