import { z } from "zod";
import type { Tool, ToolOutcome } from "../loop/tool.ts";
import { failed, maxCharacters, said } from "./outcome.ts";
import { type ShellDeps, startShell } from "./shell-run.ts";
import type { Shells } from "./shells.ts";
import { typedTool } from "./typed-tool.ts";

export interface BashDeps extends ShellDeps {
  readonly shells: Shells;
  readonly newId: () => string;
}

const usualMs = 120_000;
const maxMs = 600_000;

const Input = z.object({
  command: z.string().min(1).describe("What the shell is to do."),
  timeout: z
    .int()
    .min(1)
    .max(maxMs)
    .default(usualMs)
    .describe("After how many milliseconds it is ended; in the background there is no limit."),
  description: z.string().optional().describe("What it does, in a few words."),
  run_in_background: z.boolean().default(false).describe("Go on without waiting; you are told when it ends."),
});

/** Runs a command. */
export const bashTool = (deps: BashDeps): Tool =>
  typedTool({
    name: "Bash",
    description:
      "Runs a command in a new shell, in the working directory: a cd holds for this call alone. It has no terminal and nothing to read. Its output " +
      `is shown up to ${maxCharacters} characters, and what is longer lies in a file that is named. It is ended after ${usualMs / 1000} s ` +
      `unless timeout says otherwise (at most ${maxMs / 1000} s), with all it started. What it leaves running is ended with it too: for servers ` +
      "and other long work there is run_in_background.",
    input: Input,
    reaches: ({ command }) => [{ kind: "command", command }],
    run: async (input, { call, signal }) => {
      if (!input.run_in_background) return foreground(input, deps, signal);
      const { id, outputFile } = deps.shells.start({ ...input, call }, deps);
      return said(
        `It runs in the background as ${id}. What it says is in ${outputFile}. You are told when it ends; TaskStop ends it before.`,
      );
    },
  });

async function foreground(
  { command, timeout }: z.output<typeof Input>,
  deps: BashDeps,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  if (signal.aborted) return failed("It was interrupted before it began.");
  const { output, ended, end } = startShell(command, `bash-${deps.newId()}`, deps);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, timeout);
  signal.addEventListener("abort", end, { once: true });
  const how = await ended;
  clearTimeout(timer);
  signal.removeEventListener("abort", end);
  const text = output.excerpt().trimEnd();
  output.close();
  if (output.isShown()) output.remove();

  const wordsWith = (...notes: readonly string[]) => [text, ...notes].filter(Boolean).join("\n");
  if (how.fault !== undefined) return failed(how.fault);
  if (isLate) {
    const advice = "give it a longer timeout, or run_in_background";
    return failed(wordsWith(`It took longer than ${timeout} ms, and was ended with all it had started; ${advice}.`));
  }
  if (signal.aborted) return failed(wordsWith("It was interrupted, and ended with all it had started."));
  const left =
    how.left > 0 ? `It left ${how.left} processes running, which were ended; use run_in_background for such.` : "";
  if (how.code === 0) return said(wordsWith(left) || "It said nothing.");
  return failed(wordsWith(left, how.code === null ? `Ended by ${how.signal}` : `Exit code ${how.code}`));
}
