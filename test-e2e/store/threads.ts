import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll } from "vitest";
import { programAt } from "../program.ts";
import type { Call, Scene } from "./scenes.ts";

const program = programAt(join(import.meta.dirname, "fault-thread.mjs"));

/** Where an operation meets its end, or stops: before a call, or in the middle of a write. */
export interface Fault {
  /** The number among the calls that change the disk. */
  readonly kill?: number;
  readonly half?: number;
  /** The number among all calls. */
  readonly stop?: number;
}

interface Done {
  /** How it ended, as `endOf` says it; undefined where its fault ended it. */
  readonly end?: string;
  readonly called: readonly Call[];
}

/** An operation that stands still before a call, until it is let go on. */
interface Stopped {
  goOn(): Promise<Done>;
}

export interface Threads {
  run(scene: Scene, fault?: Fault): Promise<Done>;
  stop(scene: Scene, at: number): Promise<Stopped>;
}

/** Opens threads for the tests of a file, each of which does one operation at a time. */
export function openThreads(count: number): Threads {
  const idle = Array.from({ length: count }, () => {
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const workerData = { gate: gate.buffer };
    return { gate, worker: new Worker(program, { execArgv: [], workerData }) };
  });
  const all = [...idle];
  const waiting: (() => void)[] = [];
  afterAll(() => Promise.all(all.map(({ worker }) => worker.terminate())));

  async function begin(scene: Scene, fault: Fault) {
    while (idle.length === 0) await new Promise<void>((free) => void waiting.push(free));
    const thread = idle.pop() as (typeof idle)[number];
    const next = async () => (await once(thread.worker, "message"))[0];
    const done = (message: Done): Done => {
      idle.push(thread);
      waiting.shift()?.();
      return message;
    };
    const first = next();
    thread.worker.postMessage({ scene, fault });
    return { thread, message: await first, next, done };
  }

  return {
    async run(scene, fault = {}) {
      const { message, done } = await begin(scene, fault);
      return done(message);
    },
    async stop(scene, at) {
      const { thread, message, next, done } = await begin(scene, { stop: at });
      if (!message.isStopped) throw new Error(`not stopped at ${at}: ${JSON.stringify(done(message))}`);
      return {
        async goOn() {
          const last = next();
          Atomics.store(thread.gate, 0, 1);
          Atomics.notify(thread.gate, 0);
          return done(await last);
        },
      };
    },
  };
}
