import type { ContentBlock, RequestMessage } from "./request.ts";

/** Messages of one role that follow each other are one. */
function turnsOf(messages: readonly RequestMessage[]): readonly (RequestMessage & { readonly at: number })[] {
  const turns: { role: RequestMessage["role"]; content: ContentBlock[]; at: number }[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content: [...content], at });
  }
  return turns;
}

const idsOf = (content: readonly ContentBlock[], type: string, field: string): readonly unknown[] =>
  content.filter((block) => block.type === type).map((block) => block[field]);

const repeated = (ids: readonly unknown[]) => ids.find((id, n) => ids.indexOf(id) !== n);

/** Every call is answered in the next message, once, and before any other content. */
export function brokenToolResults(messages: readonly RequestMessage[]): string | undefined {
  const turns = turnsOf(messages);
  const double = repeated(turns.flatMap(({ content }) => idsOf(content, "tool_use", "id")));
  if (double !== undefined) return `messages: \`tool_use\` ids must be unique, found ${double} twice`;
  for (const [n, { at, content }] of turns.entries()) {
    const calls = idsOf(content, "tool_use", "id");
    const asked = idsOf(turns[n - 1]?.content ?? [], "tool_use", "id");
    const answers = idsOf(content, "tool_result", "tool_use_id");
    const stray = answers.find((id) => !asked.includes(id));
    if (stray !== undefined) {
      return `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    }
    const twice = repeated(answers);
    if (twice !== undefined) return `messages.${at}: each tool_use must have a single result, found two for ${twice}`;
    const firstOther = content.findIndex(({ type }) => type !== "tool_result");
    if (firstOther !== -1 && content.slice(firstOther).some(({ type }) => type === "tool_result")) {
      return `messages.${at}: \`tool_result\` blocks must come before any other content`;
    }
    const next = idsOf(turns[n + 1]?.content ?? [], "tool_result", "tool_use_id");
    const missing = calls.filter((id) => !next.includes(id));
    if (missing.length > 0) {
      return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    }
  }
  return undefined;
}
