import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { type FakeAnthropicOptions, type MessagesRequest, startFakeAnthropic } from "@troupe/fake-anthropic";
import { onTestFinished } from "vitest";
import { awaited } from "../scripts/awaited.ts";
import { ended, expectSchema, openTroupe } from "./command-line.ts";

/** `troupe` in projects of its own, each with a Messages API on this machine. */
export function openProjects() {
  const troupe = openTroupe();
  const { home, begin, troupeBeside } = troupe;

  /**
   * The command in its own project, with these answers: `run` in a warm thread, `start` as a
   * process.
   */
  async function projectWith(options: FakeAnthropicOptions) {
    const fake = await startFakeAnthropic(options);
    onTestFinished(() => fake.close());
    const cwd = mkdtempSync(join(home, "project-"));
    const temporary = mkdtempSync(join(home, "temporary-"));
    const usual = { ANTHROPIC_API_KEY: "of-no-use", ANTHROPIC_BASE_URL: fake.url, TMPDIR: temporary };
    /** A process whose input stays open. */
    const open = (args: readonly string[]) => {
      const child = begin(args, usual, cwd);
      return { child, over: awaited("the end of troupe", ended(child)) };
    };
    return {
      fake,
      cwd,
      temporary,
      open,
      start(args: readonly string[]) {
        const started = open(args);
        started.child.stdin.end();
        return started;
      },
      run: (args: readonly string[], env: Readonly<Record<string, string>> = {}, input = "") =>
        troupeBeside(args, { env: { ...usual, ...env }, input, cwd }),
      sent: (nth: number) => fake.requests[nth]?.json as MessagesRequest,
    };
  }

  return { ...troupe, projectWith };
}

export interface Message {
  readonly type: string;
  readonly subtype?: string;
  readonly [field: string]: unknown;
}

/** The messages of --output-format, each of which satisfies the schema. */
export function messagesIn(stdout: string): readonly Message[] {
  const messages = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const message of messages) expectSchema("stream", message);
  return messages;
}
