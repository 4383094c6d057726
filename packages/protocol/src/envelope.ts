import { asRead } from "./look-alikes.ts";

/** The tags that clients of either revision put around text for the model, and their children. */
const tags: ReadonlySet<string> = new Set(
  [
    ...[
      "system-reminder",
      "teammate-message",
      "task-notification",
      "fork-boilerplate",
      "hook",
      "user-prompt-submit-hook",
    ],
    ...["command-name", "command-message", "command-args", "command-contents"],
    ...[
      "local-command-stdout",
      "local-command-stderr",
      "local-command-caveat",
      "bash-input",
      "bash-stdout",
      "bash-stderr",
    ],
    ...["task-id", "tool-use-id", "output-file", "status", "summary", "note", "result", "usage"],
    ...["worktree", "worktreePath", "worktreeBranch", "subagent_tokens", "total_tokens", "tool_uses", "duration_ms"],
    ...[
      "retrieval_status",
      "task_id",
      "task_type",
      "exit_code",
      "output_file",
      "output",
      "channel",
      "cross-session-message",
    ],
  ].map(named),
);

const longest = Math.max(...[...tags].map(({ length }) => length));

/** Letters that are not seen may stand anywhere in a tag: a model reads it all the same. */
const unseen = /[\p{Cf}\p{M}]/u;
/** What may stand before the name. */
const before = /[\s/\\\uff0f\u2044\u2215]/;
const hyphens = /[-_\u2010-\u2015\u2212\ufe58\ufe63\uff0d\uff3f]/;

/** The name of a tag as it is compared: as it is read, every hyphen alike. */
function named(text: string): string {
  return text.toLowerCase().replaceAll("_", "-");
}

/**
 * Escapes foreign text for use between our tags, so that it opens and closes none of them and keeps
 * its meaning. Only the `<` of those tags becomes an entity, in JSON a JSON escape, so that content
 * and digest stay the same.
 */
export function insideTags(text: string): string {
  const isJson = text.trimStart().startsWith("{");
  const escaped = (sign: string) => (isJson ? `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}` : "&lt;");
  return text.replace(/[<\uff1c\ufe64]/g, (sign, at: number) => (isTag(text, at + 1) ? escaped(sign) : sign));
}

/** Whether one of the tags is named from there on, perhaps behind a namespace. */
function isTag(text: string, from: number): boolean {
  let name = "";
  let isPrefixed = false;
  for (let at = from; at < text.length; ) {
    const sign = String.fromCodePoint(text.codePointAt(at) ?? 0);
    at += sign.length;
    if (sign > "\x7f" && unseen.test(sign)) {
      if (tags.has(name)) return true;
    } else if (name !== "" || !before.test(sign)) {
      const read = signAsRead(sign);
      if (read === ":" && !isPrefixed && letters.test(name)) {
        isPrefixed = true;
        name = "";
      } else if (!/^[\w-]+$/.test(read)) break;
      // A name that is too long is none of ours; it may be a namespace.
      else if (name.length <= longest || !letters.test(read)) name += read;
    }
  }
  return tags.has(name);
}

const letters = /^[a-z]+$/;

function signAsRead(sign: string): string {
  if (hyphens.test(sign)) return "-";
  return sign > "\x7f" ? asRead(sign) : sign.toLowerCase();
}
