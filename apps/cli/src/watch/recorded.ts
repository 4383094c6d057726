import type { RecordedEvent } from "@troupe/store";
import { eventIn, type TeamEvent } from "@troupe/team";
import type { Span } from "../paint.ts";
import { memberSpan } from "../team/overview-text.ts";

/**
 * An event of the team's history: a document, and a line where there is more to say than the files
 * show.
 */
export interface ToldRecord {
  readonly document: {
    readonly event: "recorded";
    readonly id: string;
    readonly by: string;
    readonly recorded: object;
  };
  readonly line: readonly Span[] | undefined;
}

export function toldRecord(recorded: RecordedEvent): ToldRecord {
  const { id, by, event } = recorded;
  const known = eventIn(recorded);
  const words = known ? wordsFor(known) : otherWords(event);
  return {
    document: { event: "recorded", id, by, recorded: event },
    line: words === undefined ? undefined : [memberSpan(by, undefined), ` ${words}`],
  };
}

/**
 * Undefined for what the files of the team tell themselves, and for an end that nobody waits for.
 */
function wordsFor(event: TeamEvent): string | undefined {
  switch (event.kind) {
    case "spawned":
      return `has started ${event.name} (${event.backend}, ${event.model}, ${event.mode})`;
    case "ready":
      return "is ready";
    case "turn":
      return event.phase === "began" ? "begins a turn" : `ends its turn: ${event.why}`;
    case "tool":
      return event.phase === "began" ? `runs ${event.tool}` : undefined;
    case "permission":
    case "plan":
    case "shutdown":
      return requests[event.phase](event.kind);
    case "idle":
      return "has nothing to do";
    case "died":
      return `has seen ${event.name} die: ${event.detail}`;
    case "stopped":
      return `has seen ${event.name} end: ${event.detail}`;
    case "spawning":
    case "message":
    case "task":
      return undefined;
  }
}

const requests = {
  asked: (kind: string) => `asks: ${kind}`,
  allowed: (kind: string) => `was answered yes: ${kind}`,
  denied: (kind: string) => `was answered no: ${kind}`,
  given_up: (kind: string) => `waits for no answer any more: ${kind}`,
};

const otherWords = (event: object): string => {
  const { kind } = event as { readonly kind?: unknown };
  return typeof kind === "string" ? kind : "recorded something";
};
