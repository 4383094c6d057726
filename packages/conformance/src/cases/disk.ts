import { lstatSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { checkFailure } from "../fault.ts";
import { readFile } from "../reader/document.ts";
import { namesIn } from "../reader/root.ts";
import { isRecord } from "../record.ts";
import { differences, partAt } from "./match.ts";
import type { Step } from "./step.ts";

/** Holds a file against what a step says of it. */
export function assertDisk(path: string, step: Step): void {
  const at = `${step.disk}${step.at ? ` ${step.at}` : ""}`;
  const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  if (step.absent) {
    if (isThere) throw checkFailure(`${at} is there`, { at, expected: "nothing", actual: readable(path) });
    return;
  }
  if (!isThere) throw checkFailure(`${at} is not there`, { at, expected: "a file" });
  assertMode(path, at, step);
  if (!asksForContent(step)) return;
  const document = readFile(path);
  if (step.text !== undefined && !new RegExp(step.text, "u").test(document?.text ?? "")) {
    throw checkFailure(`the text of ${at} is other than expected`, { at, expected: step.text, actual: document?.text });
  }
  if (![step.has, step.lacks, step.keys, step.order, step.same].some((asked) => asked !== undefined)) return;
  if (!document || document.faults.length > 0) {
    throw checkFailure(`${at} is not right: ${document?.faults.join(", ")}`, { at, actual: document?.text });
  }
  const part = partAt(document.value, step.at ?? "");
  const found = [...(step.has === undefined ? [] : differences(step.has, part)), ...keyFaults(part, step)];
  if (found.length > 0) throw checkFailure(`${at}: ${found.join("; ")}`, { at, expected: asked(step), actual: part });
}

export function assertDirectory(path: string, { directory, names, contains }: Step): void {
  const found = namesIn(path);
  const faults = names === undefined ? [] : differences(names, found);
  if (faults.length > 0) throw checkFailure(`${directory}: ${faults.join("; ")}`, { expected: names, actual: found });
  if (contains === undefined) return;
  const aside = found.filter((name) => !name.endsWith(".json") && lstatSync(join(path, name)).isFile());
  if (aside.some((name) => readFile(join(path, name))?.text.includes(contains))) return;
  throw checkFailure(`no file of ${directory} beside the documents has ${contains}`, {
    expected: contains,
    actual: found,
  });
}

const asked = ({ has, lacks, keys, order, same }: Step) =>
  JSON.parse(JSON.stringify({ has, lacks, keys, order, same })) as object;

const asksForContent = ({ has, lacks, keys, order, same, text }: Step): boolean =>
  [has, lacks, keys, order, same, text].some((one) => one !== undefined);

function keyFaults(part: unknown, { lacks = [], keys, order, same = [] }: Step): readonly string[] {
  const found = isRecord(part) ? Object.keys(part) : [];
  const surplus = lacks.filter((key) => found.includes(key)).map((key) => `has ${key}`);
  const placed = order ? found.filter((key) => order.includes(key)) : [];
  const [first, ...others] = same.map((pointer) => partAt(part, pointer));
  return [
    ...surplus,
    ...(others.every((other) => isDeepStrictEqual(first, other)) ? [] : [`has not the same at ${same.join(" and ")}`]),
    ...(keys && keys.join() !== found.join() ? [`has the keys ${found.join(", ")}, expected ${keys.join(", ")}`] : []),
    ...(order && order.join() !== placed.join()
      ? [`has the order ${placed.join(", ")}, expected ${order.join(", ")}`]
      : []),
  ];
}

function assertMode(path: string, at: string, { withoutMode }: Step): void {
  if (withoutMode === undefined) return;
  const mode = lstatSync(path).mode & 0o777;
  if ((mode & Number.parseInt(withoutMode, 8)) === 0) return;
  throw checkFailure(`${at} has mode ${mode.toString(8)}`, { at, expected: `none of ${withoutMode}` });
}

const readable = (path: string): unknown => {
  const found = lstatSync(path);
  return found.isFile() ? readFile(path)?.text : "a directory";
};
