import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CallQuestion } from "@troupe/team";
import { onTestFinished } from "vitest";
import { awaited } from "../../../scripts/awaited.ts";
import type { Machine } from "../src/agent/machine.ts";
import type { Terminal } from "../src/journal/entry.ts";
import { conversationOf } from "../src/journal/state.ts";
import type { FrozenRequest } from "../src/model/frozen.ts";
import type { Model } from "../src/model/model.ts";
import { type Line, scriptedModel } from "../src/model/scripted.ts";
import type { ProjectSources } from "../src/project/project.ts";
import { openSession } from "../src/session/open.ts";
import type { Person, Session, SessionDeps, SessionOptions } from "../src/session/session.ts";
import { openTrust } from "../src/settings/trust.ts";
import { words } from "./entries.ts";
import { talkOf } from "./rehearsal.ts";
import { scratch } from "./scratch.ts";

/** What each agent says, by a word that stands in its task; the main conversation's is under "". */
export type Cast = Readonly<Record<string, readonly Line[] | ((request: FrozenRequest, nth: number) => Line)>>;

export interface Stage {
  readonly home: string;
  readonly cwd: string;
  readonly deps: SessionDeps;
  /** What was asked, by whom. */
  readonly asked: CallQuestion[];
  readonly requests: FrozenRequest[];
  /** Those of one agent of the cast. */
  requestsOf(word: string): readonly FrozenRequest[];
  /** Definitions by name: front matter and body. */
  define(name: string, frontMatter: object, body?: string): void;
  trust(): void;
}

const ofMachine = [
  "platform",
  "root",
  "home",
  "temporary",
  "environment",
  "confinement",
  "openMcp",
  "now",
  "newId",
] as const;
const ofProject = [
  "cwd",
  "gitBranch",
  "managedSettings",
  "flagSettings",
  "definitions",
  "managedSkills",
  "skills",
  "workspaces",
] as const;
const ofOptions = ["revision", "mode", "isBypassAvailable", "gates", "limits", "modelOverrides"] as const;
const ofPerson = ["ask", "choose", "show"] as const;

/**
 * What a test says of its session, its machine, its project and its person, where that is not as
 * usual.
 */
export type Wishes = Partial<Omit<SessionDeps, "machine" | "project" | "options" | "person">> &
  Partial<Pick<Machine, (typeof ofMachine)[number]>> &
  Partial<Pick<ProjectSources, (typeof ofProject)[number]>> &
  Partial<Pick<SessionOptions, (typeof ofOptions)[number]>> &
  Partial<Pick<Person, (typeof ofPerson)[number]>>;

/** A session like another, but for these wishes. */
export function changed(deps: SessionDeps, wishes: Wishes): SessionDeps {
  const rest = new Map(Object.entries(wishes));
  const those = (keys: readonly string[]) =>
    Object.fromEntries(
      keys.flatMap((key) => {
        const wish = rest.get(key);
        rest.delete(key);
        return wish === undefined ? [] : [[key, wish]];
      }),
    );
  return {
    ...deps,
    machine: { ...deps.machine, ...those(ofMachine) },
    project: { ...deps.project, ...those(ofProject) },
    options: { ...deps.options, ...those(ofOptions) },
    person: { ...deps.person, ...those(ofPerson) },
    ...Object.fromEntries(rest),
  };
}

export type StageDeps = Wishes & { settings?: object };

/** A project of its own with these settings, and a cast that plays in it. */
export function stage(cast: Cast, { settings = {}, ...wishes }: StageDeps = {}): Stage {
  const home = scratch();
  const cwd = join(home, "project");
  mkdirSync(join(cwd, ".claude/agents"), { recursive: true });
  writeFileSync(join(cwd, ".claude/settings.json"), JSON.stringify(settings));
  const asked: CallQuestion[] = [];
  const requests: FrozenRequest[] = [];
  const actors = Object.entries(cast).map(([word, lines]) => ({ word, model: scriptedModel(lines) }));
  const actorOf = (request: FrozenRequest) =>
    actors.find(({ word }) => word !== "" && isTold(request, word)) ?? actors.find(({ word }) => word === "");
  const model: Model = (request, signal) => {
    requests.push(request);
    return (actorOf(request)?.model ?? scriptedModel([]))(request, signal);
  };
  const usual: SessionDeps = {
    machine: {
      root: join(home, ".claude"),
      home,
      temporary: join(home, "tmp"),
      environment: { PATH: String(process.env["PATH"]), HOME: home },
    },
    project: { cwd },
    role: "You are careful.",
    model,
    key: { model: "m", betas: [] },
    person: {
      async ask(question) {
        asked.push(question);
        return { behavior: "deny", message: "the user said no" };
      },
    },
  };
  const deps = changed(usual, wishes);
  return {
    home,
    cwd,
    deps,
    asked,
    requests,
    requestsOf: (word) => requests.filter((request) => actorOf(request)?.word === word),
    define: (name, frontMatter, body = `You are ${name}.`) =>
      writeFileSync(
        join(cwd, ".claude/agents", `${name}.md`),
        `---\n${JSON.stringify({ name, description: `does ${name}`, ...frontMatter })}\n---\n${body}\n`,
      ),
    trust: () => openTrust(deps.machine.root).trust(cwd),
  };
}

const isTold = ({ messages }: FrozenRequest, word: string): boolean =>
  messages.some(({ role, blocks }) => role === "user" && blocks.some((block) => block.includes(word)));

/** A session that is closed when the test is over. */
export function opened(deps: SessionDeps): Session {
  const session = openSession(deps);
  onTestFinished(() => session.close());
  return session;
}

/** One turn of a session, and what its conversation is afterwards. */
export async function turn(
  session: Session,
  prompt?: string,
): Promise<{ terminal: Terminal | undefined; talk: string[] }> {
  if (prompt !== undefined) await session.submit(prompt);
  const run = session.run();
  for (let step = await run.next(); ; step = await run.next()) {
    if (!step.done) continue;
    return { terminal: step.value, talk: talkIn(session) };
  }
}

export const talkIn = (session: Session): string[] =>
  talkOf(conversationOf(session.journal.state())).map(({ content }) => JSON.stringify(content));

/** Resolves once all agents of the session have ended, and those that wait were told. */
export const settled = ({ jobs }: Pick<Session, "jobs">) =>
  awaited(`the ends of ${jobs.all().map(({ id }) => id)}`, Promise.all(jobs.all().map((job) => job.settled)));

/** The last answer of a script. */
export const done = [words("done")];
