import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { type FakeAnthropic, type FakeAnthropicOptions, startFakeAnthropic } from "@troupe/fake-anthropic";
import { type Machine, openSession, openTrust, type RunEvent, type Session, type SessionDeps } from "@troupe/runtime";
import { anthropicModel } from "@troupe/runtime/anthropic";
import { onTestFinished } from "vitest";

export interface Project {
  readonly home: string;
  readonly cwd: string;
  readonly fake: FakeAnthropic;
  /** Writes a file by its path from the home directory; the project is `project`. */
  write(path: string, text: string): void;
  /** A session in the project, which is trusted. */
  open(deps?: Partial<SessionDeps>, clock?: Pick<Machine, "now">): Session;
}

/**
 * A project whose sessions ask a Messages API on this machine, through the SDK; all of it is gone
 * after the test.
 */
export async function projectBeside(options: FakeAnthropicOptions): Promise<Project> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-agents-")));
  const cwd = join(home, "project");
  mkdirSync(cwd);
  const fake = await startFakeAnthropic(options);
  const client = new Anthropic({ baseURL: fake.url, apiKey: "none" });
  const sessions: Session[] = [];
  onTestFinished(async () => {
    for (const session of sessions) await session.close();
    await fake.close();
    rmSync(home, { recursive: true });
  });
  const root = join(home, ".claude");
  openTrust(root).trust(cwd);
  return {
    home,
    cwd,
    fake,
    write(path, text) {
      const file = join(home, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    open(deps = {}, clock = {}) {
      const session = openSession({
        machine: {
          root,
          home,
          temporary: join(home, "tmp"),
          environment: { PATH: String(process.env["PATH"]), HOME: home },
          ...clock,
        },
        project: { cwd },
        role: "You lead.",
        model: anthropicModel({ client, now: () => new Date() }),
        key: { model: "claude-opus-5-5", betas: [] },
        person: { ask: async () => ({ behavior: "deny", message: "nobody is here" }) },
        ...deps,
      });
      sessions.push(session);
      return session;
    },
  };
}

/** One turn over these words, or over what waits. */
export async function turn(
  session: Session,
  words?: string,
  watch: (event: RunEvent) => void = () => {},
): Promise<void> {
  if (words !== undefined) await session.submit(words);
  for await (const event of session.run()) watch(event);
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: readonly Block[];
}

/** The parts of a request, without the cache marks. */
export interface Sent {
  readonly model: string;
  readonly tools: readonly { readonly name: string }[];
  readonly system: readonly string[];
  readonly messages: readonly { readonly role: string; readonly said: readonly string[] }[];
}

export const sentIn = ({ requests }: FakeAnthropic): readonly Sent[] =>
  requests.map(({ json }) => {
    const { model, tools, system, messages } = json as {
      model: string;
      tools: { name: string }[];
      system: Block[];
      messages: { role: string; content: Block[] }[];
    };
    const wordsOf = ({ type, text, content }: Block): string => text ?? content?.map(wordsOf).join("\n") ?? `(${type})`;
    return {
      model,
      tools,
      system: system.map(wordsOf),
      messages: messages.map(({ role, content }) => ({ role, said: content.map(wordsOf) })),
    };
  });
