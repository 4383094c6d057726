import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { messageOf } from "@troupe/protocol";
import { isWithin, realOf } from "../real-path.ts";
import { importsIn } from "./imports.ts";

/** Scopes of a file of instructions, from the most general to the most particular. */
export type InstructionScope = "managed" | "user" | "project" | "local";

/** A file of instructions. */
export interface Instruction {
  readonly path: string;
  readonly scope: InstructionScope;
  readonly text: string;
}

/** Why a file that is there is not among the instructions, and what would change that. */
export interface InstructionProblem {
  readonly path: string;
  readonly message: string;
}

/** Where instructions are looked for. */
export interface InstructionSources {
  /** The administrator's file. */
  readonly managed?: string;
  /** Where the user's own documents lie, CLAUDE.md among them. */
  readonly root: string;
  /** The directory that `~` stands for in an import. */
  readonly home: string;
  /**
   * The top of the project's repository; where the agent works outside it, its own directory is the
   * project.
   */
  readonly top: string;
  readonly cwd: string;
  /**
   * May files of the project bring in what lies outside it? The user's to say: a repository could
   * name any file of theirs.
   */
  readonly mayLeaveProject?: boolean;
  /** False for what a rule forbids to read. */
  readonly mayRead?: (path: string) => boolean;
}

/**
 * Bounds of the reading: bytes, imports followed in all, and how deep they go. The rest is left out
 * with a problem.
 */
export const instructionLimits = { fileBytes: 256 * 1024, totalBytes: 1024 * 1024, maxImports: 1_000, depth: 5 };
const { fileBytes, totalBytes, maxImports, depth } = instructionLimits;

/**
 * The CLAUDE.md files, the most general first: the administrator's, the user's, then those of every
 * directory from the top of the project down to where the agent works. A file is followed by those
 * it imports; a file that is reached twice stands where it was reached first.
 */
export function readInstructions(sources: InstructionSources): {
  readonly instructions: readonly Instruction[];
  readonly problems: readonly InstructionProblem[];
} {
  const { managed, root, home, mayLeaveProject = false, mayRead = () => true } = sources;
  const cwd = realOf(sources.cwd) ?? resolve(sources.cwd);
  const givenTop = realOf(sources.top) ?? resolve(sources.top);
  const top = isWithin(cwd, givenTop) ? givenTop : cwd;
  const instructions: Instruction[] = [];
  const problems: InstructionProblem[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  let imports = 0;

  const add = (path: string, scope: InstructionScope, importers: readonly string[] = []): void => {
    let reason: string | undefined;
    try {
      reason = include(path, scope, importers);
    } catch (error) {
      reason = messageOf(error);
    }
    const from = importers.length > 0 ? `, imported by ${importers.at(-1)},` : "";
    if (reason !== undefined) problems.push({ path, message: `${path}${from} is left out: ${reason}` });
  };

  /** Takes up a file and what it imports, or says why not. */
  const include = (path: string, scope: InstructionScope, importers: readonly string[]): string | undefined => {
    const real = realOf(path);
    if (real === undefined || seen.has(real)) return undefined;
    if (![path, real].every(mayRead)) return "a deny rule forbids reading it";
    const isForeign = (scope === "project" || scope === "local") && !isWithin(real, top);
    if (isForeign && !mayLeaveProject) return "it lies outside the project; approve such files or move it inside";
    if (importers.length > depth) return `imports go ${depth} files deep; import it from a file further up`;
    seen.add(real);
    const found = readText(real, totalBytes - bytes);
    if (typeof found === "string") return found;
    const { text, size } = found;
    if (text.trim() === "") return undefined;
    bytes += size;
    instructions.push({ path, scope, text });
    for (const written of importsIn(text)) {
      imports += 1;
      if (imports > maxImports) {
        const message = `what ${path} imports further on is left out: ${maxImports} imports are followed in all`;
        problems.push({ path, message });
        return undefined;
      }
      const target = written.startsWith("~/") ? join(home, written.slice(2)) : resolve(dirname(path), written);
      add(target, scope, [...importers, path]);
    }
    return undefined;
  };

  if (managed !== undefined) add(resolve(managed), "managed");
  add(join(resolve(root), "CLAUDE.md"), "user");
  for (const directory of directoriesDownTo(cwd, top)) {
    add(join(directory, "CLAUDE.md"), "project");
    add(join(directory, ".claude", "CLAUDE.md"), "project");
    add(join(directory, "CLAUDE.local.md"), "local");
  }
  return { instructions, problems };
}

/**
 * The text of a file, or why it has none. A pipe is not even opened: that would let a program go on
 * that waits for its reader.
 */
function readText(path: string, left: number): { readonly text: string; readonly size: number } | string {
  if (!statSync(path).isFile()) return "it is not a regular file; name a text file";
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const { size } = fstatSync(file);
    if (size > fileBytes) return `it has ${size} bytes, more than the ${fileBytes} of one file; shorten it`;
    if (size > left) return `all instructions together have more than ${totalBytes} bytes; shorten them`;
    const text = decode(readFileSync(file));
    return text === undefined ? "it is not UTF-8 text; name a text file" : { text, size };
  } finally {
    closeSync(file);
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Every directory from the top of the project down to where the agent works. */
function directoriesDownTo(cwd: string, top: string): readonly string[] {
  const names = relative(top, cwd).split(sep).filter(Boolean);
  return [top, ...names.map((_, at) => join(top, ...names.slice(0, at + 1)))];
}
