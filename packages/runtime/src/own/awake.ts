import { programIn, type Running, startProcess } from "@troupe/process";

export interface AwakeDeps {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string>>;
  readonly home: string;
}

/** Three days; a program that ends at once is not started for ever. */
const mostTimes = 1_000;

/**
 * Keeps a Mac from sleeping, as the reference client does, until what it returns is called: for
 * five minutes at a time, so that nothing holds for long behind a process that was killed.
 */
export function keepAwake({ platform, environment, home }: AwakeDeps): () => Promise<void> {
  const program = platform === "darwin" ? programIn("caffeinate", environment["PATH"]) : undefined;
  if (program === undefined) return async () => {};
  let running: Running | undefined;
  let isOver = false;
  const awake = async (start: string): Promise<void> => {
    for (let times = 0; times < mostTimes && !isOver; times += 1) {
      running = startProcess({ program: start, args: ["-i", "-t", "300"], cwd: home, environment });
      for (const stream of [running.output, running.errors]) stream.resume();
      const { code } = await running.ended;
      if (code !== 0) return;
    }
  };
  const over = awake(program);
  return async () => {
    isOver = true;
    await running?.end();
    await over;
  };
}
