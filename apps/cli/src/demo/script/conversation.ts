import type { MessagesRequest } from "@troupe/fake-anthropic";

/** A call that a conversation made, with its result as text. */
interface Made {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly result: string;
}

/** A request as the script looks at it. */
export interface Conversation {
  /** The member that asks; undefined for the lead and its agents. */
  readonly member: string | undefined;
  /** The directory in which it works. */
  readonly cwd: string;
  /** All that it was told, and what it was told last. */
  readonly told: string;
  readonly first: string;
  readonly last: string;
  /** The last message brings news, and not only results. */
  readonly isWoken: boolean;
  readonly calls: readonly Made[];
  /** The last call of this tool whose input has these words. */
  made(name: string, words?: string): Made | undefined;
}

const isText = ({ type }: { readonly type: string }) => type === "text";

export function conversationOf({ system, messages }: MessagesRequest): Conversation {
  const role = system.map(({ text }) => String(text)).join("\n");
  const users = messages.filter((message) => message.role === "user");
  const results = new Map(
    users.flatMap(({ content }) =>
      content.flatMap((block) =>
        block.type === "tool_result" ? [[String(block["tool_use_id"]), textOf(block["content"])] as const] : [],
      ),
    ),
  );
  const calls = messages.flatMap(({ role, content }) =>
    role !== "assistant"
      ? []
      : content.flatMap((block) => {
          if (block.type !== "tool_use") return [];
          const result = results.get(String(block["id"])) ?? "";
          return [{ name: String(block["name"]), input: block["input"] as Made["input"], result }];
        }),
  );
  const wordsOf = ({ content }: (typeof users)[number]) => content.filter(isText).map(({ text }) => String(text));
  const last = users.at(-1)?.content ?? [];
  return {
    member: /You are (\w+) in the team/.exec(role)?.[1],
    cwd: /[Ww]orking directory: (.+)/.exec(role)?.[1] ?? "",
    told: users.flatMap(wordsOf).join("\n"),
    first: users.slice(0, 1).flatMap(wordsOf).join("\n"),
    last: users.slice(-1).flatMap(wordsOf).join("\n"),
    isWoken: last.some(isText),
    calls,
    made: (name, words = "") =>
      calls.findLast((call) => call.name === name && JSON.stringify(call.input).includes(words)),
  };
}

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content.map(({ text }: { readonly text?: unknown }) => String(text ?? "")).join("\n")
      : "";
