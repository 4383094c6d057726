import { resolve } from "node:path";
import { inspectTeam, type Problem, readJson, type TeamConfig } from "@troupe/protocol";
import { problemsWith, type Revision } from "@troupe/protocol/published";
import { readNamedFile } from "@troupe/store/files";
import { type Answer, type Call, exits } from "../command.ts";
import type { Printed } from "../paint.ts";
import { schemasOf } from "./kinds.ts";
import { positionOf } from "./position.ts";

interface Verdict {
  readonly revision: Revision;
  readonly isRight: boolean;
  readonly problems: readonly (Problem & { readonly line: number; readonly column: number })[];
}

export async function run(call: Call<{ kind: string; file: string }, { revision?: Revision }>): Promise<Answer> {
  const { kind, file } = call.args;
  const schemas = schemasOf(kind, call.options.revision);
  const bytes = file === "-" ? new TextEncoder().encode(await call.read()) : readNamedFile(resolve(call.cwd, file));
  const text = new TextDecoder().decode(bytes);
  const { value, problems: found } = readJson(bytes);
  const verdicts = schemas.map(({ revision, schema }): Verdict => {
    const faults = value === undefined ? [] : problemsWith(schema, value);
    const isSound = value !== undefined && faults.length === 0;
    const doubts = isSound && kind === "team-config" ? inspectTeam(value as TeamConfig) : [];
    const problems = [...found, ...faults, ...doubts].map((problem) => ({
      ...problem,
      ...positionOf(text, problem.path),
    }));
    return { revision, isRight: problems.length === 0, problems };
  });
  return {
    document: { kind, file, verdicts },
    text: verdicts.flatMap((verdict) => verdictText(file, kind, verdict)),
    exit: verdicts.some(({ isRight }) => isRight) ? exits.done : exits.failed,
  };
}

const verdictText = (file: string, kind: string, { revision, isRight, problems }: Verdict): Printed[] => [
  [{ text: isRight ? "right" : "wrong", style: isRight ? "green" : "red" }, `  ${file} as ${kind} of ${revision}`],
  ...problems.flatMap(({ line, column, message, fix }) => [
    `  ${file}:${line}:${column}: ${message}`,
    `    fix: ${fix}`,
  ]),
];
