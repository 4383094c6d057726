import { join } from "node:path";
import { untestable } from "../fault.ts";
import { readFile } from "../reader/document.ts";
import { namesIn } from "../reader/root.ts";
import { isRecord } from "../record.ts";
import type { Params } from "../target.ts";
import type { Output } from "./target-file.ts";

type Result = Readonly<Record<string, unknown>>;

/** Under which name of a result what a command prints is its answer. */
const mainKeys: Readonly<Record<string, string>> = {
  "team.create": "team",
  "team.get": "config",
  "team.list": "teams",
  "member.add": "member",
  "task.create": "id",
  "task.get": "task",
  "task.list": "tasks",
  "task.claim": "task",
  "inbox.read": "messages",
};

/** The output that a command must print, since it writes nothing. */
const readers = ["team.get", "team.list", "task.get", "task.list", "inbox.read"];

/** The state on disk before a command, to compare with the state after it. */
export type Before = ReadonlySet<string>;

const taskFiles = (root: string, params: Params): readonly string[] =>
  namesIn(join(root, "tasks", String(params["team"]))).filter((name) => /^[0-9]+\.json$/.test(name));

export const before = (root: string, params: Params): Before => new Set(taskFiles(root, params));

/** The result of a method, from what its command printed or else from what it did to the disk. */
export function resultOf(
  method: string,
  params: Params,
  stdout: string,
  output: Output | undefined,
  root: string,
  then: Before,
): Result {
  const key = mainKeys[method];
  if (method === "validate") return { valid: true, problems: [] };
  if (key !== undefined && output) {
    const { problems } = output;
    const told = problems === undefined ? {} : { problems: pathIn(parsed(stdout, method), problems) };
    return withMarks(method, { [key]: answerIn(stdout, output, method), ...told });
  }
  if (readers.includes(method)) throw untestable(`target.yaml does not say where ${method} prints its answer`);
  return withMarks(method, fromDisk(method, params, root, then));
}

const withMarks = (method: string, result: Result): Result =>
  method === "task.claim" ? { claimed: true, ...result } : result;

function fromDisk(method: string, params: Params, root: string, then: Before): Result {
  const at = (...names: readonly string[]) => readFile(join(root, ...names))?.value;
  const team = String(params["team"]);
  if (method === "team.create") return { team };
  if (method === "task.create") {
    const made = taskFiles(root, params).find((name) => !then.has(name));
    return { id: (made ?? "").replace(/\.json$/, "") };
  }
  if (method === "member.add") {
    const config = at("teams", team, "config.json");
    const members = isRecord(config) && Array.isArray(config["members"]) ? (config["members"] as unknown[]) : [];
    return { member: members.find((one) => isRecord(one) && one["name"] === params["name"]) ?? {} };
  }
  if (method === "task.claim" && params["id"] !== undefined)
    return { task: at("tasks", team, `${params["id"]}.json`) ?? {} };
  return {};
}

function answerIn(stdout: string, { json, regex, each }: Output, method: string): unknown {
  if (regex !== undefined) {
    const found = new RegExp(regex, "mu").exec(stdout)?.[1];
    if (found === undefined)
      throw untestable(`what ${method} printed does not match ${regex}`, { actual: stdout.slice(0, 500) });
    return found;
  }
  const answer = pathIn(parsed(stdout, method), json ?? "$");
  if (each === undefined || !Array.isArray(answer)) return method === "task.create" ? String(answer) : answer;
  return answer.map((element: unknown) =>
    typeof each === "string"
      ? pathIn(element, each)
      : Object.fromEntries(Object.entries(each).map(([name, path]) => [name, pathIn(element, path)])),
  );
}

function parsed(stdout: string, method: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    throw untestable(`what ${method} printed is no JSON`, { actual: stdout.slice(0, 500) });
  }
}

/** The part of a value that a path like `$.tasks[0].id` names. */
const pathIn = (value: unknown, path: string): unknown =>
  [...path.matchAll(/\.([^.[\]]+)|\[([0-9]+)\]/g)].reduce<unknown>((part, [, name, index]) => {
    if (index !== undefined) return Array.isArray(part) ? part[Number(index)] : undefined;
    return isRecord(part) && name !== undefined && Object.hasOwn(part, name) ? part[name] : undefined;
  }, value);
