import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";

/** What ran of one built file: its place below `packages`, and how many of its lines. */
export interface Ran {
  readonly file: string;
  readonly lines: number;
}

/** Follows which files of the packages run, by the coverage that V8 counts. */
export interface Coverage {
  /** Forgets what ran until now. */
  reset(): Promise<void>;
  /** What ran since. */
  ran(): Promise<readonly Ran[]>;
  close(): void;
}

export async function openCoverage(): Promise<Coverage> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const taken = async () => (await session.post("Profiler.takePreciseCoverage")).result;
  return {
    reset: async () => void (await taken()),
    async ran() {
      return (await taken()).flatMap(({ url, functions }) => {
        const file = /\/packages\/(.+)\.js$/.exec(url)?.[1]?.replace("/dist/", "/");
        const ranges = functions.flatMap((one) => one.ranges);
        if (file === undefined || !ranges.some(({ count }) => count > 0)) return [];
        return [{ file, lines: linesRun(readFileSync(fileURLToPath(url), "utf8"), ranges) }];
      });
    },
    close: () => session.disconnect(),
  };
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** Lines with words of their own of which V8 says that something ran. */
function linesRun(source: string, ranges: readonly Range[]): number {
  const inward = [...ranges].sort((one, other) => sizeOf(other) - sizeOf(one));
  const didRun = (offset: number) =>
    (inward.filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset).at(-1)?.count ?? 0) > 0;
  let end = -1;
  return source.split("\n").filter((line) => {
    const start = end + 1;
    end = start + line.length;
    if (!/\w/.test(line) || /^\s*(?:\/?\*|\/\/)/.test(line)) return false;
    const within = ranges.map(({ startOffset }) => startOffset).filter((offset) => start <= offset && offset < end);
    return [start + line.search(/\S/), ...within].some(didRun);
  }).length;
}

const sizeOf = ({ startOffset, endOffset }: Range): number => endOffset - startOffset;
