import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  adapterTarget,
  allChecks,
  commandTarget,
  openIsolation,
  type ReportLine,
  type Revision,
  readBaseline,
  revisions,
  runSuite,
} from "@troupe/conformance";
import { TroupeError } from "@troupe/protocol";
import type { Answer, Call } from "../command.ts";
import { fromFile, wordsOf } from "./given.ts";
import { answerOf, openReport, type RevisionReport } from "./report-files.ts";

interface Options {
  readonly target?: string;
  readonly revision?: Revision;
  readonly full?: boolean;
  readonly seed?: string;
  readonly only?: readonly string[];
  readonly baseline?: string;
  readonly network?: boolean;
  readonly out?: string;
}

/** How often it is said how far the suite is. */
const toldMs = 5_000;

export const run = (call: Call<object, Options>): Promise<Answer> => call.quietly(judge(call));

async function judge(call: Call<object, Options>): Promise<Answer> {
  const { options, cwd, now, version } = call;
  if (!options.target)
    throw wrong('say what to test: --target "python3 adapter.py", --target target.yaml or --target self');
  const path = call.environment["PATH"] ?? "";
  const isolation = openIsolation({ path, isCutOff: !options.network });
  const file = resolve(cwd, options.target);
  const target = /\.ya?ml$/.test(options.target)
    ? fromFile(file, (text) => commandTarget({ file, text, isolation }))
    : adapterTarget({
        argv: options.target === "self" ? self() : wordsOf(options.target, { cwd, path }),
        cwd,
        isolation,
      });
  const seed = options.seed === undefined ? Math.floor(now().getTime() % 1_000_000) : Number(options.seed);
  if (!Number.isSafeInteger(seed)) throw wrong(`--seed takes a whole number, not ${options.seed}`);
  const known = options.baseline === undefined ? undefined : resolve(cwd, options.baseline);
  const baseline = known && fromFile(known, readBaseline);
  // An unwritable directory must fail before minutes of work.
  const out = options.out && resolve(cwd, options.out);
  if (out) mkdirSync(out, { recursive: true });
  const judged: RevisionReport[] = [];
  let toldAt = now().getTime();
  for (const revision of options.revision ? [options.revision] : revisions) {
    const lines: ReportLine[] = [];
    let keep: ((line: ReportLine) => void) | undefined;
    const form = options.full ? "full" : "quick";
    const asked = {
      target,
      isolation,
      checks: allChecks(),
      revision,
      seed,
      form,
      version,
      directory: tmpdir(),
      now,
    } as const;
    const suite = runSuite({ ...asked, ...(baseline && { baseline }), ...(options.only && { only: options.only }) });
    for await (const line of suite) {
      // A revision that the target does not declare is not tested.
      if (line.kind === "header" && !options.revision && line.declaration?.revisions.includes(revision) === false)
        break;
      if (lines.length === 0 && out) keep = openReport(out, revision);
      keep?.(line);
      lines.push(line);
      if (call.isJson || now().getTime() - toldAt < toldMs) continue;
      call.note(`${lines.length - 1} checks of revision ${revision} are done`);
      toldAt = now().getTime();
    }
    if (lines.length > 0) judged.push({ revision, lines });
  }
  if (judged.length === 0) throw wrong("the target declares neither revision 2026-02 nor 2026-11 in its hello");
  return answerOf(judged, out);
}

const self = (): readonly string[] => [
  process.execPath,
  fileURLToPath(new URL("main.js", import.meta.url)),
  "conformance",
  "adapter",
];

const wrong = (message: string): TroupeError => new TroupeError("arguments_invalid", message);
