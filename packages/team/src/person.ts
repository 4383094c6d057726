import type { PermissionMode, PermissionUpdate } from "@troupe/protocol";

/** By what a person tells one agent from another. */
export interface Badge {
  readonly name: string;
  readonly color?: string | undefined;
}

/** A call that somebody has to decide about. */
export interface CallQuestion {
  /** Of the question, not of the call. */
  readonly id: string;
  /** The id of the call. */
  readonly call: string;
  readonly tool: string;
  readonly input: unknown;
  readonly reason: string;
  readonly suggestions: readonly PermissionUpdate[];
  /** What it comes to by now: an answer to another question may have settled it while it waited. */
  readonly recheck?: () => Reply | undefined;
  /** The agent that asks, where it is not the one the person talks to. */
  readonly from?: Badge;
}

/** What a member is asked by another. */
export type Question =
  | ({ readonly kind: "permission" } & CallQuestion)
  | {
      readonly kind: "plan";
      readonly id: string;
      readonly from: Badge;
      readonly plan: string;
      readonly path: string | undefined;
    }
  | { readonly kind: "shutdown"; readonly id: string; readonly from: Badge; readonly reason: string };

export type Reply =
  | {
      readonly behavior: "allow";
      readonly updatedInput?: unknown;
      readonly updates?: readonly PermissionUpdate[];
      /** Of a plan: what its author works in, if not in the mode of who approves it. */
      readonly mode?: PermissionMode;
      /** What the asker is to know besides; it hears it right behind the answer. */
      readonly note?: string | undefined;
    }
  | { readonly behavior: "deny"; readonly message: string; readonly interrupt?: boolean };

/**
 * Asks about a call: a person, a parent, a lead. The signal says that the answer is
 * of no use any more.
 */
export type Ask = (question: CallQuestion, signal: AbortSignal) => Promise<Reply>;

export const denied = (message: string): Reply => ({ behavior: "deny", message });

export const takenBack = denied("the question was taken back");

/** Where nobody is there to answer. */
export const askNobody: Ask = async ({ tool, reason }) =>
  denied(
    `nobody can be asked about it: ${reason}. A rule for ${tool} in permissions.allow, or another permission mode, would let it run`,
  );

/**
 * Hands the questions of an agent to the one its parent asks, marked with the name of the one that
 * asks.
 */
export const bubbleTo =
  (parent: Ask, badge: Badge): Ask =>
  (question, signal) =>
    parent({ ...question, from: question.from ?? badge }, signal);
