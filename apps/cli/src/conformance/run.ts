import { existsSync, readFileSync } from "node:fs";
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
import { answerOf, type Judged } from "./reports.ts";

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

export async function run(call: Call<object, Options>): Promise<Answer> {
  const { options, cwd, now, version } = call;
  if (!options.target)
    throw wrong('say what to test: --target "python3 adapter.py", --target target.yaml or --target self');
  const isolation = openIsolation({ path: call.environment["PATH"] ?? "", isCutOff: !options.network });
  const file = resolve(cwd, options.target);
  const target = /\.ya?ml$/.test(options.target)
    ? commandTarget({ file, isolation })
    : adapterTarget({ argv: wordsOf(options.target), cwd, isolation });
  const seed = options.seed === undefined ? Math.floor(now().getTime() % 1_000_000) : Number(options.seed);
  if (!Number.isSafeInteger(seed)) throw wrong(`--seed takes a whole number, not ${options.seed}`);
  const baseline = options.baseline && readBaseline(readFileSync(resolve(cwd, options.baseline), "utf8"));
  const judged: Judged[] = [];
  for (const revision of options.revision ? [options.revision] : revisions) {
    const lines: ReportLine[] = [];
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
      // What a target does not claim to speak is not held against it.
      if (line.kind === "header" && !options.revision && line.declaration?.revisions.includes(revision) === false)
        break;
      lines.push(line);
    }
    if (lines.length > 0) judged.push({ revision, lines });
  }
  if (judged.length === 0) throw wrong("the target speaks neither 2026-02 nor 2026-11: see its hello");
  return answerOf(judged, options.out && resolve(cwd, options.out));
}

/** A command line as a shell would split it, without any of its other powers. */
function wordsOf(target: string): readonly string[] {
  if (target === "self")
    return [process.execPath, fileURLToPath(new URL("../main.js", import.meta.url)), "conformance", "adapter"];
  const words = [...target.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
  const [first = ""] = words;
  if (first === "" || (first.includes("/") && !existsSync(resolve(first)))) throw wrong(`there is no program ${first}`);
  return words;
}

const wrong = (message: string): TroupeError => new TroupeError("arguments_invalid", message);
