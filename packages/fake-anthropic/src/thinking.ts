import type { Model } from "./models.ts";
import { chained, rendered } from "./positions.ts";
import { invalid, type Refusal } from "./refusal.ts";
import type { ContentBlock, MessagesRequest } from "./request.ts";

/** The content of a signature: the model, the previous thought, the prefix, and the text. */
interface Seal {
  readonly model: string;
  readonly previous: string;
  readonly prefix: string;
  readonly text: string;
}

/** The place in a conversation where a thought is signed or checked. */
interface ThoughtPosition {
  readonly prefix: string;
  readonly previous: string;
}

const textSeal = ({ previous, prefix }: ThoughtPosition, model: string, thought: unknown) =>
  chained("thought", model, previous, prefix, thought);

const written = ({ model, previous, prefix, text }: Seal): string =>
  Buffer.from(JSON.stringify([model, previous, prefix, text])).toString("base64");

function readSeal(signature: unknown): Seal | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(String(signature), "base64").toString());
    if (!Array.isArray(parts) || parts.length !== 4 || !parts.every((part) => typeof part === "string"))
      return undefined;
    const [model, previous, prefix, text] = parts as [string, string, string, string];
    return { model, previous, prefix, text };
  } catch {
    return undefined;
  }
}

/** Thoughts bind to what was sent before them, thoughts left out. */
const behind = (prefix: string, role: string, block: ContentBlock) => chained(prefix, role, rendered(block));

export interface Thread {
  readonly refusal?: Refusal;
  /**
   * Thinking that the model does not see: of another model, or dropped because its prefix changed.
   */
  readonly dropped: ReadonlySet<ContentBlock>;
  readonly end: ThoughtPosition;
}

/** Walks through a conversation and checks every thought in it against what stands before. */
export function threadOf(request: MessagesRequest, model: Model, dropsMismatches = false): Thread {
  const dropped = new Set<ContentBlock>();
  const tools = request.tools.map(({ cache_control: _, ...definition }) => definition);
  let prefix = chained("thread", tools, request.system.map(rendered));
  let previous: string | undefined;
  for (const [n, { role, content }] of request.messages.entries()) {
    for (const [i, block] of content.entries()) {
      if (block.type !== "thinking") {
        prefix = behind(prefix, role, block);
        continue;
      }
      const seal = readSeal(block["signature"]);
      const refused = (why: string) => ({
        refusal: invalid(`messages.${n}.content.${i}: ${why}`),
        dropped,
        end: { prefix, previous: "" },
      });
      if (seal === undefined) return refused("Invalid `signature` in `thinking` block");
      if (seal.text !== textSeal(seal, seal.model, block["thinking"]))
        return refused("`thinking` blocks cannot be modified");
      if (seal.model !== model.id) {
        dropped.add(block);
        continue;
      }
      const fits = seal.prefix === prefix && (previous === undefined || seal.previous === previous);
      const isBroken = model.bindsThinking === true && !fits;
      if (isBroken && !dropsMismatches) return refused("this `thinking` block is bound to a different conversation");
      if (isBroken) dropped.add(block);
      else previous = seal.text;
    }
  }
  return { dropped, end: { prefix, previous: previous ?? "" } };
}

/** Signs the thoughts of an answer that stands behind `end`. */
export function signed<B extends ContentBlock>(
  content: readonly B[],
  end: ThoughtPosition,
  model: string,
): readonly B[] {
  let { prefix, previous } = end;
  return content.map((block) => {
    if (block.type !== "thinking") {
      prefix = behind(prefix, "assistant", block);
      return block;
    }
    if (typeof block["signature"] === "string") return block;
    const text = textSeal({ prefix, previous }, model, block["thinking"]);
    const signature = written({ model, previous, prefix, text });
    previous = text;
    return { ...block, signature };
  });
}
