import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Runs a worker once for each of these arguments, all from the moment at which the last is ready;
 * what each printed at its end.
 */
export async function allAtOnce<T>(worker: string, contenders: readonly (readonly string[])[]): Promise<T[]> {
  const running = contenders.map((args) => {
    const child = spawn(process.execPath, [worker, ...args], { stdio: ["pipe", "pipe", "inherit"] });
    const ended = once(child, "close");
    let text = "";
    const ready = new Promise<void>((resolve, reject) => {
      child.stdout.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
        if (text.startsWith(readyLine)) resolve();
      });
      ended.then(() => reject(new Error(`${worker} ended before it was ready`)), reject);
    });
    const result = async () => {
      await ended;
      return JSON.parse(text.slice(readyLine.length)) as T;
    };
    return { ready, begin: () => child.stdin.end("begin\n"), result };
  });
  await Promise.all(running.map(({ ready }) => ready));
  for (const { begin } of running) begin();
  return Promise.all(running.map(({ result }) => result()));
}

const readyLine = "ready\n";

/** In a worker: says that it is ready, and waits until all are. */
export async function untilAllAreReady(): Promise<void> {
  process.stdout.write(readyLine);
  await once(process.stdin, "data");
}
