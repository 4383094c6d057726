import type { CallQuestion, Reply } from "@troupe/team";
import type { PendingCall } from "../loop/tool.ts";

/** Advice about a call before it is judged. */
export type Advice =
  | {
      readonly behavior?: "allow" | "ask" | "deny" | undefined;
      readonly reason?: string | undefined;
      /** The changed input of the call. */
      readonly input?: unknown;
      /** Notes that the model reads with the result. */
      readonly notes?: readonly string[];
    }
  /** The call is not judged at all. */
  | { readonly refusal: string };

/** Others, hooks say, that `permit` hears about a call. */
export interface Advisor {
  /** Asked before the call is judged. */
  readonly before?: (call: PendingCall, signal: AbortSignal) => Promise<Advice>;
  /** Asked in the place of the person; undefined leaves the question to the person. */
  readonly answer?: (question: CallQuestion, signal: AbortSignal) => Promise<Reply | undefined>;
}
