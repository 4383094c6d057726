// Runs `troupe` again and again in one thread, as a process of its own would, but for main.ts: the
// modules are loaded once. The caller waits for each run without a turn of its event loop.
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { workerData } from "node:worker_threads";

const { port, done, program: path } = workerData;
const { openProgram } = await import(path);

port.on("message", async ({ argv, env, cwd, input, until, isWaited }) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const stopping = new AbortController();
  const look = (text) => until !== undefined && text.includes(until) && stopping.abort();
  const [stdout, stderr] = [collecting(look), collecting()];
  const program = openProgram({
    argv,
    env,
    cwd,
    home: env.HOME,
    stdin: Readable.from(until === undefined ? [Buffer.from(input)] : untilStopped(input, stopping.signal)),
    stdout: stdout.stream,
    stderr: stderr.stream,
    signal: stopping.signal,
  });
  const status = await program.perform();
  port.postMessage({ status, stdout: stdout.text(), stderr: stderr.text() });
  // The end of a run that nobody waits for like this would pass for that of the next one.
  if (!isWaited) return;
  Atomics.store(done, 0, 1);
  Atomics.notify(done, 0);
});

/** An input that stays open, as that of a client does. */
async function* untilStopped(input, signal) {
  yield Buffer.from(input);
  if (!signal.aborted) await once(signal, "abort");
}

function collecting(look) {
  const chunks = [];
  const text = () => Buffer.concat(chunks).toString("utf8");
  const stream = new Writable({
    write(chunk, _, then) {
      chunks.push(chunk);
      look?.(text());
      then();
    },
  });
  return { stream, text };
}
