import { TroupeError } from "./errors.ts";
import { type NotificationUsage, TaskNotification } from "./notification.ts";
import { type Problem, problemsOf } from "./problems.ts";
import type { Revision } from "./revisions/revision.ts";

/** A notification as it was found in a text. */
export interface ReadTaskNotification {
  /** Undefined when the text holds no notification that can be read. */
  readonly notification: TaskNotification | undefined;
  readonly problems: readonly Problem[];
}

const envelope = "task-notification";

const textChildren = [
  ["task-id", "taskId"],
  ["tool-use-id", "toolUseId"],
  ["output-file", "outputFile"],
  ["status", "status"],
  ["summary", "summary"],
  ["note", "note"],
  ["result", "result"],
] as const;
const fieldOf = new Map<string, (typeof textChildren)[number][1]>(textChildren);
const known = new Set([envelope, "usage", "worktree", ...fieldOf.keys()]);

/** In 2026-02 the seven children named by the seeds come first, and all others after them. */
const order: Readonly<Record<Revision, readonly string[]>> = {
  "2026-02": ["task-id", "tool-use-id", "output-file", "status", "summary", "result", "usage", "note", "worktree"],
  "2026-11": ["task-id", "tool-use-id", "output-file", "status", "summary", "note", "result", "usage", "worktree"],
};

/** Both names are read in either revision. */
const tokensTag: Readonly<Record<Revision, string>> = { "2026-02": "total_tokens", "2026-11": "subagent_tokens" };
const usageFieldOf = new Map<string, string>([
  ["subagent_tokens", "subagentTokens"],
  ["total_tokens", "subagentTokens"],
  ["tool_uses", "toolUses"],
  ["duration_ms", "durationMs"],
]);

const tagName = /^[A-Za-z_][A-Za-z0-9_.-]*$/;

/**
 * The text for the model. `&`, `<` and `>` in every child become entities, so that no text can open
 * a sibling or close the envelope, and `parseTaskNotification` returns exactly what was rendered.
 */
export function renderTaskNotification(notification: TaskNotification, revision: Revision): string {
  const { usage, worktree, further = [] } = notification;
  const bodies = new Map<string, string>();
  for (const [tag, field] of textChildren) {
    const text = notification[field];
    if (text !== undefined) bodies.set(tag, withEntities(text));
  }
  if (usage !== undefined) bodies.set("usage", renderUsage(usage, revision));
  if (worktree !== undefined) {
    const branch = worktree.worktreeBranch;
    const path = element("worktreePath", withEntities(worktree.worktreePath));
    bodies.set("worktree", branch === undefined ? path : path + element("worktreeBranch", withEntities(branch)));
  }
  for (const { name } of further) {
    if (tagName.test(name) && !known.has(name)) continue;
    throw new TroupeError("arguments_invalid", `${JSON.stringify(name)} cannot name a further child`, { name });
  }
  const children = order[revision].flatMap((tag) => {
    const body = bodies.get(tag);
    return body === undefined ? [] : [element(tag, body)];
  });
  children.push(...further.map(({ name, text }) => element(name, withEntities(text))));
  return [`<${envelope}>`, ...children, `</${envelope}>`].join("\n");
}

const element = (name: string, body: string): string => `<${name}>${body}</${name}>`;

function renderUsage(usage: NotificationUsage, revision: Revision): string {
  const { subagentTokens, toolUses, durationMs, ...others } = usage;
  return [
    [tokensTag[revision], subagentTokens],
    ["tool_uses", toolUses],
    ["duration_ms", durationMs],
    ...Object.entries(others).filter(([name]) => tagName.test(name)),
  ]
    .map(([name, value]) => (typeof value === "number" ? element(String(name), String(value)) : ""))
    .join("");
}

/**
 * Parses one notification, with children in any order and text around it. The envelope, and the
 * result, reach from the first opening to the last closing tag; every other child ends at its first
 * closing tag, and the first of a name counts. For a writer that escapes, this is unambiguous. For
 * one that does not, as early real clients, the long text stays whole and cannot add children
 * before it.
 */
export function parseTaskNotification(text: string): ReadTaskNotification {
  const problems: Problem[] = [];
  const report = (path: string, code: Problem["code"], message: string, fix: string) =>
    problems.push({ path, code, message, fix });

  const opening = text.indexOf(`<${envelope}>`);
  if (opening < 0) {
    report("", "document_malformed", `there is no <${envelope}> in the text`, "pass the text of a notification");
    return { notification: undefined, problems };
  }
  const start = opening + envelope.length + 2;
  const closing = text.lastIndexOf(`</${envelope}>`);
  const isTorn = closing < start;
  if (isTorn) report("", "document_torn", `</${envelope}> is missing`, "write the whole notification");
  const body = text.slice(start, isTorn ? undefined : closing);
  if (body.includes(`<${envelope}>`)) {
    report("", "document_malformed", `another <${envelope}> opens inside`, "pass one notification at a time");
  }
  const children = childrenOf(body);
  if (children.hasStrayText) report("", "document_malformed", "there is text between the children", "remove it");

  const fields = new Map<string, unknown>();
  const further: { name: string; text: string }[] = [];
  for (const { name, body, isClosed } of children.found) {
    if (!isClosed) report(`/${fieldOf.get(name) ?? name}`, "document_torn", `</${name}> is missing`, `add </${name}>`);
    const field = fieldOf.get(name) ?? name;
    if (!known.has(name)) further.push({ name, text: withoutEntities(body) });
    else if (fields.has(field)) report(`/${field}`, "key_duplicated", `<${name}> stands there twice`, "keep the first");
    else if (name === "usage") fields.set(field, readUsage(body));
    else if (name === "worktree") fields.set(field, readWorktree(body));
    else if (name !== envelope) fields.set(field, withoutEntities(body));
  }
  if (further.length > 0) fields.set("further", further);

  const value: unknown = Object.fromEntries(fields);
  const parsed = TaskNotification.safeParse(value);
  if (!parsed.success) problems.push(...problemsOf(parsed.error, value));
  // The value that was read, since zod's copy lacks a key called `__proto__`.
  return { notification: parsed.success ? (value as TaskNotification) : undefined, problems };
}

interface Child {
  readonly name: string;
  readonly body: string;
  readonly isClosed: boolean;
}

/**
 * Linear in the text: one pass finds the last closing tag of every name, so no search is repeated.
 */
function childrenOf(text: string): { found: Child[]; hasStrayText: boolean } {
  const lastClosing = new Map<string, number>();
  for (const match of text.matchAll(/<\/([A-Za-z_][A-Za-z0-9_.-]*)>/g)) lastClosing.set(match[1] ?? "", match.index);

  const found: Child[] = [];
  let hasStrayText = false;
  let end = 0;
  const opening = /<([A-Za-z_][A-Za-z0-9_.-]*)>/g;
  for (;;) {
    opening.lastIndex = end;
    const match = opening.exec(text);
    if (text.slice(end, match?.index).trim() !== "") hasStrayText = true;
    const name = match?.[1];
    if (name === undefined) return { found, hasStrayText };
    const from = opening.lastIndex;
    const last = lastClosing.get(name) ?? -1;
    if (last >= from) {
      const to = name === "result" ? last : text.indexOf(`</${name}>`, from);
      found.push({ name, body: text.slice(from, to), isClosed: true });
      end = to + name.length + 3;
    } else if (known.has(name)) {
      found.push({ name, body: text.slice(from), isClosed: false });
      return { found, hasStrayText };
    } else {
      hasStrayText = true;
      end = from;
    }
  }
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const characters = new Map(Object.entries(entities).map(([character, entity]) => [entity, character]));

const withEntities = (text: string): string => text.replace(/[&<>]/g, (character) => entities[character] ?? character);

/** A bare `&`, `<` or `>` shows a writer that does not escape: its text is taken as it stands. */
const withoutEntities = (text: string): string =>
  /[<>]|&(?!(?:amp|lt|gt);)/.test(text)
    ? text
    : text.replace(/&(?:amp|lt|gt);/g, (entity) => characters.get(entity) ?? entity);

/** Numbers by name, as elements or, from other writers, as `name: number` in plain text. */
function readUsage(body: string): NotificationUsage {
  const { found } = childrenOf(body);
  const pairs = found.map(({ name, body }): [string, string] => [name, body.trim()]);
  if (pairs.length === 0) {
    for (const match of body.matchAll(/\b([A-Za-z_]+)\s?[:=]\s?([0-9]+)/g))
      pairs.push([match[1] ?? "", match[2] ?? ""]);
  }
  return Object.fromEntries(
    pairs
      .filter(([, digits]) => /^[0-9]+$/.test(digits) && Number.isSafeInteger(Number(digits)))
      .map(([name, digits]) => [usageFieldOf.get(name) ?? name, Number(digits)]),
  );
}

const readWorktree = (body: string): unknown =>
  Object.fromEntries(childrenOf(body).found.map(({ name, body }) => [name, withoutEntities(body)]));
