import { runProcess } from "@troupe/process";
import { exitMeaning, type HookInputCommon, type KnownHook, renderHookInput } from "@troupe/protocol/hooks";
import type { HookReply } from "./outcome.ts";
import { readReply } from "./reply.ts";

export type CommandHook = Extract<KnownHook, { type: "command" }>;

/** Where a command hook runs, and what its environment adds to the caller's. */
export interface CommandPlace {
  readonly environment: Readonly<Record<string, string>>;
  readonly projectDir: string;
  /** The directory of the plugin that brought the hook. */
  readonly pluginRoot: string | undefined;
}

/** How much of each output is kept. */
const keptBytes = 1 << 20;

/**
 * Runs a command hook. The shell expands the two directories from the environment, so a path with a
 * blank or a `;` in it stays a path; the form with `args` has no shell, so there they are put in as
 * they are.
 */
export async function runCommandHook(
  { command, args }: CommandHook,
  input: HookInputCommon,
  { environment, projectDir, pluginRoot }: CommandPlace,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<HookReply> {
  const directories = {
    CLAUDE_PROJECT_DIR: projectDir,
    ...(pluginRoot === undefined ? {} : { CLAUDE_PLUGIN_ROOT: pluginRoot }),
  };
  const expanded = (text: string) =>
    Object.entries(directories).reduce((done, [name, value]) => done.replaceAll(`\${${name}}`, () => value), text);
  const { code, stdout, stderr, failure } = await runProcess(
    {
      ...(args
        ? { program: expanded(command), args: args.map(expanded) }
        : { program: "/bin/sh", args: ["-c", command] }),
      cwd: input.cwd,
      environment: { ...environment, ...directories },
      input: renderHookInput(input),
      timeoutMs,
      keptBytes,
    },
    signal,
  );
  const meaning = exitMeaning(input.hook_event_name, code);
  const reply = readReply(stdout);
  if (meaning === "pass") return reply;
  const why = failure ?? `exited with ${code}${stderr.trim() ? `: ${stderr.trim()}` : ""}`;
  return { ...reply, meaning, reason: meaning === "block" && failure === undefined ? stderr.trim() : why };
}
