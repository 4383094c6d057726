import { isObject } from "@troupe/protocol";
import type { Block, State as Conversation } from "@troupe/runtime";
import { emptyTalk, type Item, itemsOf, type SeenCall, type Talk, textOf } from "./talk.ts";

/**
 * What was said before, as a person sees it who goes on with it; also what the model was not sent
 * any more, since the session ended first.
 */
export function replayed({ past, calls: last, said }: Pick<Conversation, "past" | "calls" | "said">): Talk {
  const unsent = [...last.flatMap(({ result }) => result ?? []), ...said];
  const messages: { readonly role: string; readonly blocks: readonly string[] }[] = [{ role: "user", blocks: unsent }];
  for (let chain = past; chain; chain = chain.before) messages.push(chain.message);
  const calls = new Map<string, SeenCall>();
  const items = messages
    .reverse()
    .flatMap(({ role, blocks }) =>
      blocks.map((block) => JSON.parse(block) as Block).flatMap((block) => itemsIn(block, role, calls)),
    );
  const answered = new Set(items.flatMap((item) => (item.kind === "call" ? [item.call.id] : [])));
  const open = [...calls.values()].filter(({ id }) => !answered.has(id));
  return { ...emptyTalk, items: [...items, ...open.map((call) => ({ kind: "call", call: cutOff(call) }) as const)] };
}

/** The session ended, or was killed, before the call did. */
const cutOff = (call: SeenCall): SeenCall => ({
  ...call,
  result: { text: "It was cut off: nobody knows how far it came.", isError: true },
});

function itemsIn(block: Block, role: string, calls: Map<string, SeenCall>): readonly Item[] {
  const { type, id, name, input } = block;
  if (type === "tool_use") {
    calls.set(String(id), { id: String(id), name: String(name), input, hasBegun: true });
    return [];
  }
  if (type === "tool_result") {
    const call = calls.get(String(block["tool_use_id"]));
    const content = (Array.isArray(block["content"]) ? block["content"] : []).filter(
      isObject,
    ) as unknown as readonly Block[];
    return call
      ? [{ kind: "call", call: { ...call, result: { text: textOf(content), isError: block["is_error"] === true } } }]
      : [];
  }
  if (type !== "text") return [];
  const text = String(block["text"]);
  if (role === "assistant") return text.trim() === "" ? [] : [{ kind: "words", text }];
  const [, from] = /^<teammate-message teammate_id="([^"]*)"/.exec(text) ?? [];
  if (from !== undefined) return itemsOf([block], { kind: "teammate", name: from });
  return itemsOf(
    [block],
    /^<task-notification>/.test(text) ? { kind: "task-notification", task: "" } : { kind: "human" },
  );
}

/** What the person said, for the history of the prompt. */
export const saidIn = ({ items }: Talk): readonly string[] =>
  items.flatMap((item) => (item.kind === "person" ? [item.text] : []));
