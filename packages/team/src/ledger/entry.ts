import { isObject, type MessageDraft, type PermissionMode } from "@troupe/protocol";
import type { Stamp } from "@troupe/store";

/** The three questions that members put to each other by message. */
export type Handshake = "permission" | "plan" | "shutdown";

/** What one's own request came to. */
export interface Outcome {
  readonly handshake: Handshake;
  readonly id: string;
  readonly result: "allowed" | "denied" | "given_up";
  /** Of a plan that was approved: what its author works in from now on. */
  readonly mode?: PermissionMode | undefined;
  readonly why?: string | undefined;
}

/** A request of another that the member was told of and has to answer itself. */
export interface Opening {
  readonly handshake: Handshake;
  readonly id: string;
  /** Of a plan: that of what was told. */
  readonly digest?: string | undefined;
  /** Of a permission: the request, since its answer repeats it. */
  readonly request?: unknown;
}

/** A message that is the member's own from here on. */
export interface Delivered {
  readonly kind: "delivered";
  readonly key: string;
  readonly from: string;
  readonly opens?: Opening | undefined;
  readonly settles?: Outcome | undefined;
}

/** A decision, with the bytes of the answer: sending it again needs nothing else. */
export interface Decided {
  readonly kind: "decided";
  readonly handshake: Handshake;
  readonly id: string;
  readonly to: string;
  readonly result: "allowed" | "denied";
  readonly body: MessageDraft;
  readonly stamp: Stamp;
  /** A message that is sent right behind the answer, which has no field for it. */
  readonly note?: { readonly text: string; readonly stamp: Stamp } | undefined;
  /** It follows another decision about the same request, which was sent. */
  readonly isAgain?: true | undefined;
}

/**
 * All that a member has to remember of its mail. What it knows is the fold of these and of nothing
 * else.
 */
export type LedgerEntry =
  /** Once a membership, not once a process. */
  | {
      readonly kind: "joined";
      readonly team: string;
      readonly createdAt: number;
      readonly name: string;
      readonly lead: string;
    }
  | { readonly kind: "left" }
  | Delivered
  /** Before the request is sent. */
  | {
      readonly kind: "asked";
      readonly handshake: Handshake;
      readonly id: string;
      readonly to: string;
      readonly digest?: string | undefined;
      /** What the request is about, for those who look at the team's history. */
      readonly about?: Readonly<Record<string, unknown>> | undefined;
    }
  /** Where no message is heard with it. */
  | { readonly kind: "settled"; readonly outcome: Outcome }
  /** Before the answer is sent. */
  | Decided
  /** The answer stands in the asker's inbox. */
  | { readonly kind: "answered"; readonly handshake: Handshake; readonly id: string; readonly to: string };

const words: Readonly<Record<LedgerEntry["kind"], readonly string[]>> = {
  joined: ["team", "name", "lead"],
  left: [],
  delivered: ["key", "from"],
  asked: ["handshake", "id", "to"],
  settled: [],
  decided: ["handshake", "id", "to", "result"],
  answered: ["handshake", "id", "to"],
};

/** True for what a fold can take; a line that was damaged is none. */
export function isLedgerEntry(value: unknown): value is LedgerEntry {
  if (!isObject(value) || typeof value["kind"] !== "string" || !Object.hasOwn(words, value["kind"])) return false;
  const kind = value["kind"] as LedgerEntry["kind"];
  if (!words[kind].every((field) => typeof value[field] === "string")) return false;
  const isPart = (part: unknown) => isObject(part) && ["handshake", "id"].every((key) => typeof part[key] === "string");
  if (kind === "settled") return isPart(value["outcome"]);
  if (kind === "decided") return isObject(value["body"]) && isObject(value["stamp"]);
  return [value["opens"], value["settles"]].every((part) => part === undefined || isPart(part));
}
