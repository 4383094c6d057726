import { z } from "zod";
import { type Problem, problemsOf } from "./problems.ts";

const common = {
  uuid: z.string().optional().describe("The line's own id."),
  parentUuid: z.string().nullish().describe("The line this one follows; null for the first."),
  sessionId: z.string().optional().describe("The session."),
  timestamp: z.string().optional().describe("When it was written, ISO 8601."),
  cwd: z.string().optional().describe("The working directory."),
  version: z.string().optional().describe("The version of the client that wrote it."),
  gitBranch: z.string().optional().describe("The branch checked out."),
  isSidechain: z.boolean().optional().describe("True in the transcript of a subagent."),
  agentId: z.string().optional().describe("The subagent's run id, in its transcript."),
  userType: z.string().optional().describe("The kind of user, such as `external`."),
};

const contentBlock = z.looseObject({ type: z.string().describe("Such as `text`, `tool_use` or `tool_result`.") });
const content = z.union([z.string(), z.array(contentBlock)]).describe("Text, or content blocks of the Messages API.");

/** What was sent to the model: a prompt, or the results of its tool calls. */
export const UserLine = z
  .looseObject({
    type: z.literal("user").describe("The kind of line."),
    ...common,
    message: z.looseObject({ role: z.string().describe("`user`."), content }).describe("The message as it was sent."),
  })
  .meta({
    title: "Transcript line, user",
    description: "What was sent to the model: a prompt, or the results of its tool calls.",
    examples: [{ type: "user", uuid: "u1", parentUuid: null, message: { role: "user", content: "Review the parser" } }],
  });
export type UserLine = z.infer<typeof UserLine>;

/** An answer of the model; one with several blocks can be several lines. */
export const AssistantLine = z
  .looseObject({
    type: z.literal("assistant").describe("The kind of line."),
    ...common,
    message: z
      .looseObject({ role: z.string().describe("`assistant`."), content })
      .describe("The message as the Messages API returned it."),
  })
  .meta({
    title: "Transcript line, assistant",
    description: "What the model answered; an answer of several blocks can be several lines.",
    examples: [
      {
        type: "assistant",
        uuid: "u2",
        parentUuid: "u1",
        message: { role: "assistant", content: [{ type: "text", text: "…" }] },
      },
    ],
  });
export type AssistantLine = z.infer<typeof AssistantLine>;

/** A note by the client. */
export const SystemLine = z
  .looseObject({
    type: z.literal("system").describe("The kind of line."),
    ...common,
    subtype: z.string().optional().describe("The event; `compact_boundary`: everything above was summarised."),
    compactMetadata: z
      .looseObject({
        trigger: z.string().optional().describe("`manual` or `auto`."),
        preTokens: z.number().optional().describe("Tokens of the conversation before."),
      })
      .optional()
      .describe("With `compact_boundary`: how it was triggered."),
  })
  .meta({
    title: "Transcript line, system",
    description: "A note by the client, such as where the conversation was replaced by its summary.",
    examples: [
      { type: "system", subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens: 155000 } },
    ],
  });
export type SystemLine = z.infer<typeof SystemLine>;

/** A title for the conversation that ends in `leafUuid`. */
export const SummaryLine = z
  .looseObject({
    type: z.literal("summary").describe("The kind of line."),
    summary: z.string().describe("A title for the conversation."),
    leafUuid: z.string().optional().describe("The last line of the conversation."),
  })
  .meta({
    title: "Transcript line, summary",
    description: "A title for a conversation.",
    examples: [{ type: "summary", summary: "Parser review", leafUuid: "u2" }],
  });
export type SummaryLine = z.infer<typeof SummaryLine>;

/** A line of any kind; kinds that are not known, `troupe` among them, are kept as they are. */
export interface TranscriptLine {
  readonly type: string;
  readonly [field: string]: unknown;
}

const schemas = { user: UserLine, assistant: AssistantLine, system: SystemLine, summary: SummaryLine };
type Lines = { [Kind in keyof typeof schemas]: z.infer<(typeof schemas)[Kind]> };
const schemaOf = new Map<string, z.ZodType>(Object.entries(schemas));
const OtherLine = z.looseObject({ type: z.string() });

/** Whether a line, as `parseTranscript` returns it, is of this kind. */
export const isLine = <Kind extends keyof Lines>(
  line: TranscriptLine,
  kind: Kind,
): line is Lines[Kind] & TranscriptLine => line.type === kind;

/** A transcript as it was found. */
export interface ReadTranscript {
  readonly lines: readonly TranscriptLine[];
  /** The path of each begins with the number of the line, from 1. */
  readonly problems: readonly Problem[];
}

/**
 * Reads JSONL: blank lines are skipped, bad ones reported; a torn last line spoils nothing else.
 */
export function parseTranscript(text: string): ReadTranscript {
  const lines: TranscriptLine[] = [];
  const problems: Problem[] = [];
  for (const { line, problems: found = [] } of readTranscript(text)) {
    if (line) lines.push(line);
    problems.push(...found);
  }
  return { lines, problems };
}

/** The same one by one, for a transcript that is large: what was looked at need not be kept. */
export function* readTranscript(text: string): Generator<{ line?: TranscriptLine; problems?: readonly Problem[] }> {
  let start = text.startsWith("\uFEFF") ? 1 : 0;
  for (let number = 1; start < text.length; number += 1) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? undefined : end);
    start = end < 0 ? text.length : end + 1;
    if (line.trim() === "") continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      yield { problems: [notJson(number, end < 0)] };
      continue;
    }
    const { type } = (value ?? {}) as Partial<TranscriptLine>;
    const schema = schemaOf.get(type ?? "");
    // A kind that is not known has nothing to be checked but that it has one.
    const parsed =
      schema || typeof type !== "string" ? (schema ?? OtherLine).safeParse(value) : { success: true as const };
    if (parsed.success) yield { line: value as TranscriptLine };
    else yield { problems: problemsOf(parsed.error, value, [number]) };
  }
}

const notJson = (number: number, isLast: boolean): Problem => ({
  path: `/${number}`,
  code: isLast ? "document_torn" : "document_malformed",
  message: isLast ? `line ${number} breaks off` : `line ${number} is not JSON`,
  fix: "remove the line",
});

/**
 * The directory name of a project below `projects/`: every character but ASCII letters and digits
 * becomes `-`. The seeds only mention `/`; real clients also replace `.`, `_` and spaces, so two
 * paths can share a directory.
 */
export const escapeProjectPath = (path: string): string => path.replace(/[^A-Za-z0-9]/g, "-");
