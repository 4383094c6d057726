import { z } from "zod";
import type { Revision } from "../revisions/revision.ts";

/** One structured message: what its body holds, and which optional fields its envelope has. */
export interface MessageKind<View extends z.ZodType = z.ZodType> {
  readonly type: string;
  /** What readers accept: the fields it is meaningless without, and the others if present. */
  readonly view: View;
  /** The form that a writer of each revision emits; it always satisfies the view. */
  readonly published: Readonly<Record<Revision, z.ZodType>>;
  /**
   * The fields that a writer of each revision emits, in order; those absent from the draft are
   * omitted.
   */
  readonly keys: Readonly<Record<Revision, readonly string[]>>;
  /** The field that joins a request to its answer. */
  readonly idKey: "requestId" | "request_id" | undefined;
  /** True for an answer: with a field left out it could grant more than was granted. */
  readonly isAllOrNothing: boolean;
  /**
   * Does the envelope carry the sender's colour? None of the structured messages carries a summary.
   */
  readonly hasColor: boolean;
  /** The names other writers give to fields; a reader takes them and says so. */
  readonly aliases: Readonly<Record<string, string>>;
}

/** Types only. */
export const defineMessage = <View extends z.ZodType>(kind: MessageKind<View>): MessageKind<View> => kind;

/** A time that a reader takes as it stands. */
export const anyTime = z.string().optional();
