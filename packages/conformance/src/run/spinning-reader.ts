import { Worker } from "node:worker_threads";

/** The observations of a reader without locks. */
interface Sightings {
  readonly reads: number;
  /** The first hundred reads of documents that were torn, empty or gone after having been whole. */
  readonly torn: readonly { readonly path: string; readonly length: number; readonly end: string }[];
}

export interface SpinningReader {
  /** Resolves when it has read every file once. */
  readonly ready: Promise<void>;
  /** May be asked again: the answer stays. */
  stop(): Promise<Sightings>;
}

/** Reads these files in a loop in its own thread, without any lock, as another program would. */
export function openSpinningReader(paths: readonly string[]): SpinningReader {
  const stopping = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(spin, { eval: true, workerData: { paths, stopping } });
  const { promise: ready, resolve: isReady } = withResolvers<void>();
  const { promise: sightings, resolve, reject } = withResolvers<Sightings>();
  worker.on("message", (message: Sightings | "ready") => (message === "ready" ? isReady() : resolve(message)));
  worker.on("error", reject);
  return {
    ready,
    stop() {
      Atomics.store(stopping, 0, 1);
      return sightings;
    },
  };
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Stands here as text so that it runs the same from sources and from what is built. */
const spin = `
const { readFileSync } = require("node:fs");
const { parentPort, workerData: { paths, stopping } } = require("node:worker_threads");
const torn = [];
const whole = new Set();
let reads = 0;
for (let round = 0; Atomics.load(stopping, 0) === 0; round += 1) {
  for (const path of paths) {
    let text;
    try {
      text = readFileSync(path, "utf8");
      JSON.parse(text);
      whole.add(path);
    } catch {
      if (whole.has(path) && torn.length < 100) torn.push({ path, length: text?.length ?? -1, end: (text ?? "").slice(-60) });
    }
    reads += 1;
  }
  if (round === 0) parentPort.postMessage("ready");
}
parentPort.postMessage({ reads, torn });
`;
