import { z } from "zod";
import type { Revision } from "../revisions/revision.ts";

/** One structured message: what its body holds, and which optional fields its envelope has. */
export interface MessageKind<View extends z.ZodType = z.ZodType> {
  readonly type: string;
  /** What any reader takes: the fields without which the message means nothing, the rest if it is there. */
  readonly view: View;
  /** What a writer of each revision emits; whatever satisfies it satisfies the view. */
  readonly published: Readonly<Record<Revision, z.ZodType>>;
  /** The fields a writer of each revision emits, in order; a field that is absent from the draft is left out. */
  readonly keys: Readonly<Record<Revision, readonly string[]>>;
  /** The field that joins a request to its answer. */
  readonly idKey: "requestId" | "request_id" | undefined;
  /** True for an answer: with a field left out it could grant more than was granted. */
  readonly isAllOrNothing: boolean;
  /** Does the envelope carry the sender's colour? None of the structured messages carries a summary. */
  readonly hasColor: boolean;
  /** The names other writers give to fields; a reader takes them and says so. */
  readonly aliases: Readonly<Record<string, string>>;
}

/** Types only. */
export const defineMessage = <View extends z.ZodType>(kind: MessageKind<View>): MessageKind<View> => kind;

/** A time that a reader takes as it stands. */
export const anyTime = z.string().optional();
