import { isObject } from "@troupe/protocol";
import type { RecordedEvent } from "@troupe/store";
import type { Handshake } from "./ledger/entry.ts";

/**
 * What happens in a team, as its members record it in its history. A member speaks of itself,
 * unless the event names another.
 */
export type TeamEvent =
  /** A lead is about to add a roster entry of this name and time. */
  | { readonly kind: "spawning"; readonly name: string; readonly joinedAt: number }
  | {
      readonly kind: "spawned";
      readonly name: string;
      readonly joinedAt: number;
      readonly backend: string;
      readonly model: string;
      readonly mode: string;
    }
  /** A teammate that joined at this time is at work. */
  | { readonly kind: "ready"; readonly joinedAt?: number | undefined }
  | { readonly kind: "turn"; readonly phase: "began" }
  | { readonly kind: "turn"; readonly phase: "ended"; readonly why: string }
  | { readonly kind: "tool"; readonly phase: "began"; readonly call: string; readonly tool: string }
  | { readonly kind: "tool"; readonly phase: "ended"; readonly call: string; readonly isError: boolean }
  /** Recorded by the store: the member that sent it vouches for it. */
  | { readonly kind: "message"; readonly to: string; readonly key: string }
  /** Recorded by the store. */
  | { readonly kind: "task"; readonly id: string; readonly status: string; readonly owner?: string | undefined }
  | {
      readonly kind: Handshake;
      readonly id: string;
      readonly phase: "asked" | "allowed" | "denied" | "given_up";
    }
  /** It has nothing to do, and its lead knows. */
  | { readonly kind: "idle" }
  /** It does what a person wants, who said so at another place than its own screen. */
  | { readonly kind: "acted"; readonly person: string; readonly what: string }
  /** Seen by the lead: it ended without a word, or as it was told to. */
  | { readonly kind: "died" | "stopped"; readonly name: string; readonly detail: string }
  /** Seen by the lead: what it runs on is not heard of, or is again. */
  | { readonly kind: "away" | "back"; readonly name: string; readonly detail: string };

/** The type of a field, or the values that it may have. */
type Shape = Readonly<Record<string, "string" | "number" | "boolean" | readonly string[]>>;

const request: Shape = { id: "string", phase: ["asked", "allowed", "denied", "given_up"] };
const shapes: Readonly<Record<TeamEvent["kind"], readonly Shape[]>> = {
  spawning: [{ name: "string", joinedAt: "number" }],
  spawned: [{ name: "string", joinedAt: "number", backend: "string", model: "string", mode: "string" }],
  ready: [{}],
  turn: [{ phase: ["began"] }, { phase: ["ended"], why: "string" }],
  tool: [
    { phase: ["began"], call: "string", tool: "string" },
    { phase: ["ended"], call: "string", isError: "boolean" },
  ],
  message: [{ to: "string", key: "string" }],
  task: [{ id: "string", status: "string" }],
  permission: [request],
  plan: [request],
  shutdown: [request],
  idle: [{}],
  acted: [{ person: "string", what: "string" }],
  died: [{ name: "string", detail: "string" }],
  stopped: [{ name: "string", detail: "string" }],
  away: [{ name: "string", detail: "string" }],
  back: [{ name: "string", detail: "string" }],
};

/** Undefined for what a newer or another program recorded in a way of its own. */
export function eventIn({ event }: Pick<RecordedEvent, "event">): TeamEvent | undefined {
  if (!isObject(event) || typeof event["kind"] !== "string" || !Object.hasOwn(shapes, event["kind"])) return undefined;
  const isOf = (shape: Shape) =>
    Object.entries(shape).every(([field, wanted]) => {
      const value = event[field];
      return typeof wanted === "string" ? typeof value === wanted : wanted.some((one) => one === value);
    });
  return shapes[event["kind"] as TeamEvent["kind"]].some(isOf) ? (event as unknown as TeamEvent) : undefined;
}
