import { isObject } from "@troupe/protocol";
import { counted, type Printed, type Span } from "../paint.ts";
import { diffLines } from "./diff.ts";
import { markdown } from "./markdown.ts";
import type { SeenCall } from "./talk.ts";

/** The field of its input that says best what a call of a tool does. */
const telling: Readonly<Record<string, string>> = {
  Agent: "description",
  Bash: "command",
  Edit: "file_path",
  ExitPlanMode: "",
  Glob: "pattern",
  Grep: "pattern",
  NotebookEdit: "notebook_path",
  Read: "file_path",
  SendMessage: "to",
  Skill: "skill",
  TaskCreate: "subject",
  TaskOutput: "task_id",
  TaskStop: "task_id",
  TeamCreate: "team_name",
  WebFetch: "url",
  Write: "file_path",
};

/** A field of the input of a call as text. */
export const fieldOf = (input: unknown, name: string): string | undefined => {
  const value = isObject(input) && Object.hasOwn(input, name) ? input[name] : undefined;
  return typeof value === "string" ? value : undefined;
};

/** Which task is looked at or changed, and what it is to become. */
function aboutTask(input: unknown): string {
  const ids = (name: string) => {
    const value = isObject(input) ? input[name] : undefined;
    return Array.isArray(value) ? value.map((id) => `#${id}`).join(", ") : "";
  };
  const [owner, after, before] = [fieldOf(input, "owner") ?? "", ids("addBlockedBy"), ids("addBlocks")];
  const parts = [
    `#${fieldOf(input, "taskId") ?? "?"}`,
    fieldOf(input, "status")?.replace("_", " ") ?? "",
    owner && `for ${owner}`,
    after && `after ${after}`,
    before && `before ${before}`,
  ];
  return parts.filter(Boolean).join("  ");
}

/** What a call does, in one line. */
export function aboutCall({ name, input }: Pick<SeenCall, "name" | "input">): string {
  if (name === "TaskGet" || name === "TaskUpdate") return aboutTask(input);
  const field = Object.hasOwn(telling, name) ? telling[name] : undefined;
  const text =
    field === undefined
      ? Object.values(isObject(input) ? input : {}).find((one) => typeof one === "string")
      : fieldOf(input, field);
  const [line = "", ...more] = String(text ?? "")
    .trim()
    .split("\n");
  return more.length > 0 ? `${line} …` : line;
}

/** What a call would change, as a diff, or what it hands in, as far as it is to be looked at. */
export function changeOf({ name, input }: Pick<SeenCall, "name" | "input">, indent: string): readonly Printed[] {
  if (name === "Edit") return diffLines(fieldOf(input, "old_string") ?? "", fieldOf(input, "new_string") ?? "", indent);
  if (name === "Write") return diffLines("", fieldOf(input, "content") ?? "", indent);
  if (name === "ExitPlanMode") return markdown(fieldOf(input, "plan") ?? "", indent);
  return [];
}

const folded = { output: 3, change: 12 };

/** What a person is told of a result that is meant for the model. */
const briefs: Readonly<Record<string, (text: string) => string>> = {
  Agent: (text) => {
    const [, mate] = /^agent_id: \S+\nname: (\S+)/.exec(text) ?? [];
    return mate === undefined ? (text.split(/^(?:agentId|route): /m)[0] ?? "") : `${mate} is at work`;
  },
  Bash: (text) => (/^[^\n]* in the background as \w+\. Its output is in /.test(text) ? "in the background" : text),
  EnterPlanMode: () => "",
  ExitPlanMode: (text) => (text.startsWith("User has approved") ? "approved" : text),
  Read: (text) => counted(text.trimEnd().split("\n").length, "line"),
  SendMessage: () => "",
  TaskCreate: (text) => /#\d+/.exec(text)?.[0] ?? "",
  TaskUpdate: () => "",
  TeamCreate: () => "",
  Write: () => "",
};

/** How calls are shown. */
export interface CallLook {
  /** With all they gave. */
  readonly isUnfolded: boolean;
  /** For a screen reader: words where others see signs. */
  readonly isSpoken: boolean;
  /** Leaves out of a text what every path here begins with. */
  readonly shorten: (text: string) => string;
}

/** A call and what it gave: folded to a few lines, or all of it. */
export function callLines(call: SeenCall, { isUnfolded, isSpoken, shorten }: CallLook): readonly Printed[] {
  const { result } = call;
  const sign: Span = isSpoken
    ? `${result?.isError ? "Failed tool" : "Tool"} `
    : { text: "● ", style: result === undefined ? "yellow" : result.isError ? "red" : "green" };
  const about = shorten(aboutCall(call));
  const title: Printed = {
    hang: 4,
    spans: [sign, { text: call.name, style: "bold" }, ...(about === "" ? [] : [`  ${about}`])],
  };
  if (!result) return [title];
  const change = result.isError || isOfPlan(call) ? [] : changeOf(call, "    ");
  if (change.length > 0) return [title, ...cut(change, isUnfolded ? Infinity : folded.change)];
  const brief = isUnfolded || result.isError || !Object.hasOwn(briefs, call.name) ? undefined : briefs[call.name];
  const told = result.text.replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "");
  const text = (brief ? brief(told) : told).trimEnd();
  if (text === "") return [title];
  const lines = text.split("\n");
  const shown = isUnfolded ? lines : lines.slice(0, folded.output);
  const style = result.isError ? "red" : "dim";
  return [
    title,
    ...shown.map((line, at): Printed => {
      const text = line.replaceAll("\t", "  ");
      return {
        hang: 4,
        spans: [
          { text: at > 0 ? "    " : isSpoken ? "    Result: " : "  └ ", style: "dim" },
          { text: isUnfolded ? text : text.slice(0, 300), style },
        ],
      };
    }),
    ...(lines.length > shown.length ? [more(lines.length - shown.length)] : []),
  ];
}

/** A plan is shown when it is handed in. */
const isOfPlan = ({ name, input }: SeenCall): boolean =>
  name === "ExitPlanMode" || /\/plans\/[a-z]+-[a-z]+-[a-z]+\.md$/.test(fieldOf(input, "file_path") ?? "");

/** The first lines, and how many are not shown. */
const cut = (lines: readonly Printed[], most: number): readonly Printed[] =>
  lines.length <= most ? lines : [...lines.slice(0, most - 1), more(lines.length - most + 1)];

const more = (count: number): Printed => ({ text: `    … ${counted(count, "more line")} (ctrl+o)`, style: "dim" });
