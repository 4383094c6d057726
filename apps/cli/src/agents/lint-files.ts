import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { AgentProblem } from "@troupe/protocol/agent";
import { definitionFiles } from "@troupe/runtime";
import { complaintOf } from "../complaint.ts";
import { definitionsFrom, textOf } from "./definitions.ts";
import { otherRole } from "./role.ts";

/** A file to check; without a text if it cannot be read. */
export interface LintFile {
  readonly file: string;
  readonly text?: string;
  readonly problems: readonly AgentProblem[];
  /** What else the file looks like; it is checked because it was named. */
  readonly role?: string;
}

/** A file among definitions that is not a definition. */
export interface PassedOver {
  readonly file: string;
  readonly role: string;
}

/**
 * Returns the files to check: named files, files in named directories, or every definition usable
 * here.
 */
export function filesToLint(
  paths: readonly string[],
  { root, cwd }: { readonly root: string; readonly cwd: string },
): { readonly files: readonly LintFile[]; readonly passedOver: readonly PassedOver[] } {
  const found: readonly NamedFile[] =
    paths.length > 0 ? paths.flatMap((path) => filesAt(resolve(cwd, path))) : definitionsFrom({ root, cwd });
  const judged = found.map((one) => {
    const role = one.text === undefined ? undefined : otherRole(one.file, one.text);
    return { ...one, ...(role && { role }) };
  });
  return {
    files: judged.filter(({ role, isNamed }) => role === undefined || isNamed),
    passedOver: judged.flatMap(({ file, role, isNamed }) => (role && !isNamed ? [{ file, role }] : [])),
  };
}

type NamedFile = LintFile & { readonly isNamed?: boolean };

/** Expands a path; an unreadable file throws, an unreadable entry of a directory hides no other. */
function filesAt(path: string): readonly NamedFile[] {
  if (!statSync(path).isDirectory()) return [{ file: path, text: textOf(path), problems: [], isNamed: true }];
  const { files, unreadable } = definitionFiles(path);
  return [...files.map(readOrTold), ...unreadable.map(({ file, fault }) => told(file, fault))];
}

function readOrTold(file: string): NamedFile {
  try {
    return { file, text: textOf(file), problems: [] };
  } catch (error) {
    return told(file, complaintOf(error).message);
  }
}

function told(file: string, fault: string): NamedFile {
  const message = `the definition cannot be read: ${fault}`;
  return { file, problems: [{ code: "document_malformed", path: "", message, fix: "fix or remove the file" }] };
}
