import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Terminal } from "../src/journal/entry.ts";
import { conversationOf } from "../src/journal/state.ts";
import type { Model } from "../src/model/model.ts";
import { type Line, scriptedModel } from "../src/model/scripted.ts";
import type { Question } from "../src/permissions/ask.ts";
import type { FrozenRequest } from "../src/prompt/frozen.ts";
import { openSession, type Session, type SessionDeps } from "../src/session.ts";
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
  readonly asked: Question[];
  readonly requests: FrozenRequest[];
  /** Those of one agent of the cast. */
  requestsOf(word: string): readonly FrozenRequest[];
  /** Definitions by name: front matter and body. */
  define(name: string, frontMatter: object, body?: string): void;
  trust(): void;
}

/** A project of its own with these settings, and a cast that plays in it. */
export function stage(
  cast: Cast,
  { settings = {}, ...over }: Partial<SessionDeps> & { settings?: object } = {},
): Stage {
  const home = scratch();
  const cwd = join(home, "project");
  mkdirSync(join(cwd, ".claude/agents"), { recursive: true });
  writeFileSync(join(cwd, ".claude/settings.json"), JSON.stringify(settings));
  const asked: Question[] = [];
  const requests: FrozenRequest[] = [];
  const actors = Object.entries(cast).map(([word, lines]) => ({ word, model: scriptedModel(lines) }));
  const actorOf = (request: FrozenRequest) =>
    actors.find(({ word }) => word !== "" && isTold(request, word)) ?? actors.find(({ word }) => word === "");
  const model: Model = (request, signal) => {
    requests.push(request);
    return (actorOf(request)?.model ?? scriptedModel([]))(request, signal);
  };
  const root = join(home, ".claude");
  const deps: SessionDeps = {
    root,
    home,
    cwd,
    environment: { PATH: String(process.env["PATH"]), HOME: home },
    temporary: join(home, "tmp"),
    role: "You are careful.",
    model,
    key: { model: "m", betas: [] },
    ask: async (question) => {
      asked.push(question);
      return { behavior: "deny", message: "the user said no" };
    },
    ...over,
  };
  return {
    ...{ home, cwd, deps, asked, requests },
    requestsOf: (word) => requests.filter((request) => actorOf(request)?.word === word),
    define: (name, frontMatter, body = `You are ${name}.`) =>
      writeFileSync(
        join(cwd, ".claude/agents", `${name}.md`),
        `---\n${JSON.stringify({ name, description: `does ${name}`, ...frontMatter })}\n---\n${body}\n`,
      ),
    trust: () => openTrust(root).trust(cwd),
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

/** The last answer of a script. */
export const done = [words("done")];
