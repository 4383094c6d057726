import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { startFakeAnthropic } from "@troupe/fake-anthropic";
import { programIn } from "@troupe/process";
import type { SessionEvent, Terminal } from "@troupe/runtime";
import { timeLimit } from "@troupe/store";
import { type Ask, type Backend, eventIn } from "@troupe/team";
import type { Answer, Call } from "../command.ts";
import { filesIn } from "../open.ts";
import { attended } from "../session/attended.ts";
import { backendsOf } from "../session/backends.ts";
import { openRealSession } from "../session/compose.ts";
import { codingRole } from "../session/role.ts";
import { createTeammateWatch } from "../session/teammate-watch.ts";
import { briefFor } from "./brief.ts";
import { createFanOut } from "./fan-out.ts";
import { lastWords } from "./last-words.ts";
import { answer } from "./person.ts";
import { judgeProject, makeProject } from "./project.ts";
import { rule } from "./script/script.ts";
import { createStory } from "./story.ts";

/** What the team is called. */
const team = "demo";
/** The teammate that is killed once it has written something, and its tools that write. */
const victim = "bob";
const writers: ReadonlySet<string> = new Set(["Write", "Edit"]);

/** The script needs a third of it; a model on the network may think. */
const limits = { scripted: 55_000, real: 15 * 60_000 };

/** Lets a lead and three teammates work on a small repository in a temporary directory. */
export async function run(call: Call<object, { keep?: boolean }>): Promise<Answer | undefined> {
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url } = call.environment;
  const home = mkdtempSync(join(tmpdir(), "troupe-demo-"));
  const isScripted = !key;
  const fake = isScripted ? await startFakeAnthropic({ rule, timeToFirstToken: 100 }) : undefined;
  try {
    const api = fake ? { key: "none", url: fake.url } : { key, url };
    return await play({ ...filesIn(call, join(home, ".claude")), home, cwd: join(home, "words") }, api, isScripted);
  } finally {
    await fake?.close();
    if (!call.options.keep) rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

type Api = { readonly key: string | undefined; readonly url: string | undefined };

async function play(given: Call<object, { keep?: boolean }>, api: Api, isScripted: boolean) {
  const environment = surroundings(given, api);
  const { root, home, cwd } = given;
  const isKept = given.options.keep === true;
  await makeProject(cwd, environment);
  const mode = programIn("tmux", given.environment["PATH"]) ? "tmux" : "process";
  const story = createStory(given);
  const call = { ...given, environment, note: (text: string) => story.say({ event: "note", text }, "", text) };
  const begun = { event: "begun", home, root, project: cwd, backend: mode, isScripted };
  const model = isScripted ? "played by a script" : "the real one, which costs money";
  story.say(begun, "", `a lead and three teammates (${mode}) in ${cwd}; the model is ${model}`);
  const ask: Ask = async (question, signal) => {
    const reply = await answer(question, signal);
    story.answered(question, reply);
    return reply;
  };
  const teammates = createTeammateWatch();
  const fanOut = createFanOut();
  const kill = killing(story);
  const tasks = new Map<string, string>();
  const onEvent = (event: SessionEvent) => {
    teammates.add(event);
    fanOut.add(event);
    story.entry(event);
    if (event.kind !== "recorded") return;
    story.recorded(event.recorded);
    kill.after(event.recorded);
    const known = eventIn(event.recorded);
    if (known?.kind === "task") tasks.set(known.id, known.status);
  };
  const session = await openRealSession(call, {
    model: "sonnet",
    allowed: [],
    denied: [],
    role: codingRole,
    person: { ask, show: call.note },
    options: { revision: "2026-02", mode: "acceptEdits", gates: { isForkEnabled: true, isInteractive: true } },
    backends: kill.watching(backendsOf({ call, revision: "2026-02", mode, ask, onEvent })),
    onEvent,
  });
  const limit = timeLimit(isScripted ? limits.scripted : limits.real);
  let terminal: Terminal | undefined;
  try {
    await session.submit(briefFor(isKept), call.signal);
    terminal = await attended({ session, teammates, signal: AbortSignal.any([call.signal, limit]) });
  } finally {
    await session.close();
    await story.told();
  }
  if (call.signal.aborted) return undefined;
  const verdict = await judgeProject(cwd, environment);
  const left = [join(root, "teams"), join(root, "troupe/backends")].flatMap((at) =>
    existsSync(at) ? readdirSync(at).filter((name) => !name.startsWith(".") && !(isKept && name === team)) : [],
  );
  return lastWords({ call, terminal, verdict, costs: fanOut.costs(), tasks, left, isLate: limit.aborted });
}

/** What would bring settings, models, repositories, panes or colours of the person along. */
const ofThePerson = /^(ANTHROPIC|CLAUDE|GIT|TMUX)(_|$)|^FORCE_COLOR$/;

/** A home of its own, and this Node before any other. */
function surroundings({ environment, home }: Call, { key, url }: Api): Readonly<Record<string, string>> {
  const others = Object.entries(environment).filter(([name]) => !ofThePerson.test(name));
  const own = {
    PATH: `${dirname(process.execPath)}${delimiter}${environment["PATH"] ?? ""}`,
    HOME: home,
    TMUX_TMPDIR: home,
    TMPDIR: home,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: url,
  };
  const all: readonly (readonly [string, string | undefined])[] = [...others, ...Object.entries(own)];
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Kills the first process of the victim as soon as it has written a file. */
function killing(story: ReturnType<typeof createStory>) {
  let pid: number | undefined;
  let isKilled = false;
  const calls = new Set<string>();
  return {
    watching: (backends: readonly Backend[]): Backend[] =>
      backends.map((backend) => ({
        ...backend,
        async spawn(spec, signal) {
          const one = await backend.spawn(spec, signal);
          if (one.name === victim) pid = one.process?.pid;
          return one;
        },
      })),
    after(recorded: Parameters<typeof eventIn>[0] & { readonly by: string }): void {
      const event = eventIn(recorded);
      if (recorded.by !== victim || event?.kind !== "tool" || isKilled) return;
      if (event.phase === "began" && writers.has(event.tool)) calls.add(event.call);
      if (event.phase === "began" || !calls.has(event.call) || pid === undefined) return;
      isKilled = true;
      process.kill(pid, "SIGKILL");
      const words = `${victim} is killed in the middle (process ${pid})`;
      story.say({ event: "killed", member: victim, pid }, "", { text: words, style: "red" });
    },
  };
}
