import { z } from "zod";
import type { Agent } from "../agent/agent.ts";
import type { ShellDeps } from "../agent/shell-run.ts";
import type { BackgroundTask } from "../jobs/background-task.ts";
import { failed, maxCharacters, said } from "../loop/outcome.ts";
import type { Tool, ToolContext, ToolOutcome } from "../loop/tool.ts";
import { typedTool } from "../loop/typed-tool.ts";

export interface BashDeps extends Omit<ShellDeps, "cwd" | "prelude"> {
  /** Asked before each command: what stands before it. */
  readonly prelude?: (() => Promise<string>) | undefined;
}

type Shelled = Pick<Agent, "cwd" | "shells">;

const usualMs = 120_000;
const maxMs = 600_000;

const Input = z.object({
  command: z.string().min(1).describe("The command to run."),
  timeout: z
    .int()
    .min(1)
    .max(maxMs)
    .default(usualMs)
    .describe("The timeout in milliseconds; it does not apply in the background."),
  description: z.string().optional().describe("What the command does, in a few words."),
  run_in_background: z
    .boolean()
    .default(false)
    .describe("Run in the background: the call returns at once, and you are notified when the command ends."),
});

/** The tool Bash: runs a command in the foreground or background. */
export const bashTool = (deps: BashDeps): Tool<Shelled> =>
  typedTool({
    name: "Bash",
    description:
      "Runs a command in a new shell in the working directory; cd affects this call only. There is no terminal and no input. At most " +
      `${maxCharacters} characters of output are shown; longer output is kept in a file that the result names. After ${usualMs / 1000} s, or the ` +
      `given timeout (at most ${maxMs / 1000} s), the command and every process it started are killed. Processes that it leaves running are killed ` +
      "too: use run_in_background for servers and other long work.",
    input: Input,
    reaches: ({ command }) => [{ kind: "command", command }],
    run: async (input, context) => {
      const { call, bounds, agent } = context;
      const place = { ...deps, cwd: agent.cwd, prelude: await deps.prelude?.() };
      if (!input.run_in_background) return foreground(input, place, context);
      return said(`Running ${inBackground(agent.shells.start({ ...input, call, bounds }, place))}`);
    },
  });

const inBackground = ({ id, outputFile }: BackgroundTask): string =>
  `in the background as ${id}. Its output is in ${outputFile}. You are notified when it ends; TaskStop stops it earlier.`;

async function foreground(
  { timeout, ...input }: z.output<typeof Input>,
  place: ShellDeps,
  { call, signal, bounds, agent: { shells } }: ToolContext<Shelled>,
): Promise<ToolOutcome> {
  if (signal.aborted) return failed("Interrupted before it started.");
  const { output, ended, end, left: leaving, over } = shells.wait({ ...input, call, bounds }, place);
  let isLate = false;
  // What is being killed goes nowhere.
  const kill = () => {
    over();
    end();
  };
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, timeout);
  signal.addEventListener("abort", kill, { once: true });
  const how = await Promise.race([ended, leaving]);
  over();
  clearTimeout(timer);
  signal.removeEventListener("abort", kill);
  if ("id" in how) return said(`The user sent the command away: it goes on ${inBackground(how)}`);
  const text = output.excerpt().trimEnd();
  output.close();
  if (output.isShown()) output.remove();

  const wordsWith = (...notes: readonly string[]) => [text, ...notes].filter(Boolean).join("\n");
  if (how.fault !== undefined) return failed(how.fault);
  if (isLate) {
    const advice = "give a longer timeout, or use run_in_background";
    return failed(
      wordsWith(`Timed out after ${timeout} ms; the command and every process it started were killed: ${advice}.`),
    );
  }
  if (signal.aborted) return failed(wordsWith("Interrupted; the command and every process it started were killed."));
  const left =
    how.left > 0
      ? `Processes that it left running were killed (${how.left}); use run_in_background for such work.`
      : "";
  if (how.code === 0) return said(wordsWith(left) || "(no output)");
  return failed(wordsWith(left, how.note, how.code === null ? `Killed by ${how.signal}` : `Exit code ${how.code}`));
}
