import { isLine, leadName, parseShutdownId, type TranscriptLine } from "@troupe/protocol";
import { isLedgerEntry } from "@troupe/team";
import { z } from "zod";
import type { Answer, Block, WrittenInput } from "../model/model.ts";
import { readUsage, writeUsage } from "../model/wire-usage.ts";
import type { CompactTrigger, Entry, Stored } from "./entry.ts";

/** Fields of the session in every line, as the reference client writes them. */
export interface Identity {
  readonly sessionId: string;
  /** The run's id, in the transcript of a subagent. */
  readonly agentId?: string;
  readonly cwd: string;
  readonly version: string;
  readonly gitBranch?: string;
}

/**
 * The line of an entry: a message is a line that other programs read, the rest is of the type
 * `troupe`.
 */
export function lineOf({ id, at, ...entry }: Stored, parentUuid: string | undefined, identity: Identity): string {
  const { agentId, cwd, sessionId, version, gitBranch } = identity;
  const common = {
    parentUuid: parentUuid ?? null,
    isSidechain: agentId !== undefined,
    userType: "external",
    cwd,
    sessionId,
    ...(agentId === undefined ? {} : { agentId }),
    version,
    ...(gitBranch === undefined ? {} : { gitBranch }),
  };
  const message = messageOf(entry);
  const line = message ? { ...common, ...message } : { type: "troupe", sessionId, ...entry };
  return `${JSON.stringify({ ...line, uuid: id, timestamp: at })}\n`;
}

function messageOf(entry: Entry): object | undefined {
  switch (entry.kind) {
    case "said":
      return {
        type: "user",
        ...(entry.inputs.length > 0 ? { inputs: entry.inputs } : { isMeta: true }),
        message: { role: "user", content: entry.content },
      };
    case "result": {
      const { call, content, isError, tells } = entry;
      const block = { type: "tool_result", tool_use_id: call, content, ...(isError ? { is_error: true } : {}) };
      return { type: "user", ...(tells !== undefined && { tells }), message: { role: "user", content: [block] } };
    }
    case "answered": {
      const { id, model, content, cut, written, stopReason, usage } = entry.answer;
      const words = { id, type: "message", role: "assistant", model, content };
      const end = { stop_reason: stopReason, stop_sequence: null, usage: writeUsage(usage) };
      return { type: "assistant", ...(cut && { cut }), ...(written && { written }), message: { ...words, ...end } };
    }
    case "compacted": {
      const { summary, trigger, preTokens, usage } = entry;
      const compactMetadata = { trigger, preTokens };
      return {
        type: "system",
        subtype: "compact_boundary",
        content: "Conversation compacted",
        compactMetadata,
        summary,
        usage: writeUsage(usage),
      };
    }
    default:
      return undefined;
  }
}

/**
 * The entries of a line, also of one that the reference client wrote; none for a line that is not
 * part of the conversation.
 */
export function entriesOf(line: TranscriptLine): readonly Stored[] {
  const stamp = { id: String(line["uuid"] ?? ""), at: String(line["timestamp"] ?? "") };
  const stored = (entry: Entry): Stored => ({ ...entry, ...stamp });
  if (isLine(line, "user")) return userEntries(line.message.content, line["tells"], inputsOf(line)).map(stored);
  if (line["isApiErrorMessage"] === true) return [];
  if (isLine(line, "assistant")) {
    const { cut } = line;
    const answer = answerOf(line.message);
    const written = writtenOf(line["written"], answer.content);
    const more = { ...(Array.isArray(cut) && { cut: cut.map(String) }), ...(written.length > 0 && { written }) };
    return [stored({ kind: "answered", answer: { ...answer, ...more } })];
  }
  if (isLine(line, "system") && line.subtype === "compact_boundary") {
    const { trigger, preTokens = 0 } = line.compactMetadata ?? {};
    const summary = typeof line["summary"] === "string" ? line["summary"] : "";
    const usage = readUsage(line["usage"]);
    return [stored({ kind: "compacted", summary, trigger: triggerOf(trigger), preTokens, usage })];
  }
  if (line.type !== "troupe" || !OwnLine.safeParse(line).success) return [];
  return line["kind"] === "agreed" ? agreed(line, stamp).map(stored) : [stored(line as unknown as Entry)];
}

/** Inputs as they were written; one that no longer says what its call does is left out. */
function writtenOf(given: unknown, content: readonly Block[]): readonly WrittenInput[] {
  if (given === undefined) return [];
  const inputs = new Map(content.map(({ id, input }) => [id, JSON.stringify(input)]));
  const { data = [] } = z.array(z.object({ id: z.string(), json: z.string() })).safeParse(given);
  return data.filter(({ id, json }) => {
    try {
      return JSON.stringify(JSON.parse(json)) === inputs.get(id);
    } catch {
      return false;
    }
  });
}

/** An agreement to end in a transcript that is older than ledgers. */
function agreed(line: TranscriptLine, stamp: { readonly id: string; readonly at: string }): readonly Entry[] {
  const id = String(line["requestId"]);
  const about = { handshake: "shutdown", id, to: leadName } as const;
  const from = parseShutdownId(id)?.agent ?? "";
  const body = { type: "shutdown_approved", requestId: id, from, timestamp: stamp.at } as const;
  const decided = { kind: "decided", ...about, result: "allowed", body, stamp } as const;
  const answered = line["isTold"] === true ? [{ kind: "answered", ...about } as const] : [];
  return [decided, ...answered].map((entry) => ({ kind: "ledger", entry }));
}

const triggerOf = (trigger: string | undefined): CompactTrigger =>
  trigger === "manual" || trigger === "overflow" ? trigger : "auto";

const inputsOf = (line: TranscriptLine): readonly string[] | undefined =>
  Array.isArray(line["inputs"]) ? line["inputs"].map(String) : line["isMeta"] === true ? [] : undefined;

/**
 * Results are entries of their own; the rest of the message is what was said. A person's words need
 * no id to be an input.
 */
function userEntries(
  content: string | readonly Block[],
  tells: unknown,
  inputs: readonly string[] = ["typed"],
): readonly Entry[] {
  const blocks = blocksOf(content);
  const results = blocks.flatMap(({ type, tool_use_id: call, content, is_error }): Entry[] =>
    type === "tool_result"
      ? [
          {
            kind: "result",
            call: String(call),
            content: blocksOf(content),
            isError: is_error === true,
            ...(typeof tells === "string" && { tells }),
          },
        ]
      : [],
  );
  const said = blocks.filter(({ type }) => type !== "tool_result");
  return said.length > 0 || results.length === 0 ? [...results, { kind: "said", content: said, inputs }] : results;
}

const blocksOf = (content: unknown): readonly Block[] =>
  Array.isArray(content) ? content : [{ type: "text", text: typeof content === "string" ? content : "" }];

function answerOf(message: { readonly [field: string]: unknown }): Answer {
  const { id = "", model = "", content, stop_reason: stopReason } = message;
  return {
    id: String(id),
    model: String(model),
    content: blocksOf(content),
    stopReason: typeof stopReason === "string" ? stopReason : "end_turn",
    usage: readUsage(message["usage"]),
  };
}

const blocks = z.array(z.looseObject({ type: z.string() }));
const failure = z.looseObject({ kind: z.string(), message: z.string() });
const words = z.array(z.string());

/**
 * Our own lines, taken as they stand: a parsed copy would have its keys in another order. One that
 * was damaged is passed over.
 */
const OwnLine = z.discriminatedUnion("kind", [
  z.looseObject({
    kind: z.literal("opened"),
    format: z.literal(1),
    fork: z.looseObject({ transcript: z.string(), line: z.string() }).optional(),
  }),
  z.looseObject({
    kind: z.literal("prefix"),
    prefix: z.looseObject({ key: z.looseObject({ model: z.string(), betas: words }), tools: words, system: words }),
  }),
  z.looseObject({
    kind: z.literal("input"),
    input: z.looseObject({
      id: z.string(),
      priority: z.enum(["now", "next", "later"]),
      content: blocks,
      delivered: z.custom((value) => value === undefined || isLedgerEntry(value)).optional(),
    }),
  }),
  z.looseObject({ kind: z.literal("asked"), result: z.string() }),
  z.looseObject({ kind: z.literal("failed"), failure, during: z.enum(["answer", "summary"]) }),
  z.looseObject({ kind: z.literal("called"), call: z.string(), isReplayable: z.boolean() }),
  z.looseObject({
    kind: z.literal("stop_checked"),
    verdict: z.union([
      z.looseObject({ stops: z.literal(true) }),
      z.looseObject({ stops: z.literal(false), because: z.string() }),
    ]),
  }),
  z.looseObject({ kind: z.literal("ledger"), entry: z.custom(isLedgerEntry) }),
  z.looseObject({ kind: z.literal("agreed"), requestId: z.string(), isTold: z.boolean() }),
  z.looseObject({ kind: z.literal("aborted"), reason: z.string() }),
  z.looseObject({
    kind: z.literal("ended"),
    terminal: z.looseObject({ isOk: z.boolean(), why: z.string(), text: z.string() }),
  }),
]);
