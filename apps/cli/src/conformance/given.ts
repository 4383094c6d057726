import { accessSync, constants, readFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { type ReportLine, readReport } from "@troupe/conformance";
import { TroupeError } from "@troupe/protocol";

/** What is read from a file that somebody names: a fault in it is a fault of the file, and its reason is told in one line. */
export function fromFile<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error) || "syscall" in error) throw error;
    throw new TroupeError("document_invalid", `${file}: ${error.message.split(/:?\n/, 1)[0]}`);
  }
}

/** The lines of one report. */
export function reportIn(file: string): readonly ReportLine[] {
  const lines = fromFile(file, () => readReport(readFileSync(file, "utf8")));
  const headers = lines.filter(({ kind }) => kind === "header").length;
  if (headers === 1) return lines;
  const found = headers === 0 ? "it has no header, so nobody knows what was judged" : `it holds ${headers} reports`;
  throw new TroupeError("document_invalid", `${file}: ${found}; name a report.ndjson as conformance run writes it`);
}

export interface ProgramDeps {
  readonly cwd: string;
  readonly path: string;
}

/** A command line as a shell would split it, without any of its other powers. Throws where there is no such program. */
export function wordsOf(line: string, { cwd, path }: ProgramDeps): readonly string[] {
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );
  const [first = ""] = words;
  const places = first.includes("/")
    ? [resolve(cwd, first)]
    : path.split(delimiter).map((folder) => join(folder, first));
  if (first !== "" && places.some(isExecutable)) return words;
  throw new TroupeError("arguments_invalid", `there is no program ${JSON.stringify(first)}: name one in --target`);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
