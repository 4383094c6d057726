import type { z } from "zod";
import type { Revision } from "../revisions/revision.ts";

/** One structured message: what its body holds, and which optional fields its envelope has. */
export interface MessageKind<Body extends z.ZodType = z.ZodType> {
  readonly type: string;
  /** What any reader takes. */
  readonly body: Body;
  /** The published form of each revision. */
  readonly published: Readonly<Record<Revision, z.ZodType>>;
  /** The fields a writer of each revision emits, in order; a field that is absent from the draft is left out. */
  readonly keys: Readonly<Record<Revision, readonly string[]>>;
  /** Does the envelope carry the sender's colour? None of the structured messages carries a summary. */
  readonly hasColor: boolean;
  /** The names other writers give to fields; a reader takes them and says so. */
  readonly aliases: Readonly<Record<string, string>>;
}

/** Types only. */
export const defineMessage = <Body extends z.ZodType>(kind: MessageKind<Body>): MessageKind<Body> => kind;
