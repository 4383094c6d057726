import { accessSync, constants, statSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { type ReportLine, readReport } from "@troupe/conformance";
import { isTroupeError, TroupeError } from "@troupe/protocol";
import { readNamedFile } from "@troupe/store/files";

/** Reads a file that the user names; an error in it is reported as the file's, in one line. */
export function fromFile<T>(file: string, read: (text: string) => T): T {
  try {
    return read(Buffer.from(readNamedFile(file)).toString());
  } catch (error) {
    if (!(error instanceof Error) || "syscall" in error || isTroupeError(error)) throw error;
    throw new TroupeError("document_invalid", `${file}: ${error.message.split(/:?\n/, 1)[0]}`);
  }
}

/** Reads the lines of one report. */
export function reportIn(file: string): readonly ReportLine[] {
  const lines = fromFile(file, readReport);
  const headers = lines.filter(({ kind }) => kind === "header").length;
  if (headers === 1) return lines;
  const found = headers === 0 ? "it has no header that says what was tested" : `it holds ${headers} reports`;
  throw new TroupeError("document_invalid", `${file}: ${found}; name a report.ndjson as conformance run writes it`);
}

/** Writes a file that the user names; refuses a pipe, which would block without a reader. */
export function writeTo(file: string, text: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found && !found.isFile() && !found.isDirectory())
    throw new TroupeError("document_unwritable", `${file} is a pipe, a socket or a device: name a file to write`, {
      file,
    });
  writeFileSync(file, text);
}

export interface ProgramDeps {
  readonly cwd: string;
  readonly path: string;
}

/**
 * Splits a command line as a shell would, without expansions. Throws if the program does not exist.
 */
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
