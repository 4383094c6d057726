import { parseShutdownId } from "@troupe/protocol";
import type { RecordedEvent } from "@troupe/store";
import { eventIn, type TeamEvent } from "@troupe/team";
import { endingWords } from "../endings.ts";
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
  const words = known ? wordsFor(known, by) : otherWords(event);
  return {
    document: { event: "recorded", id, by, recorded: event },
    line: words === undefined ? undefined : [memberSpan(by, undefined), ` ${words}`],
  };
}

/**
 * Undefined for what the files of the team tell themselves, and for an end that nobody waits for.
 */
function wordsFor(event: TeamEvent, by: string): string | undefined {
  switch (event.kind) {
    case "spawned":
      return `has started ${event.name} (${event.backend}, ${event.model}, ${event.mode})`;
    case "ready":
      return "is ready";
    case "turn":
      return event.phase === "began" ? "begins a turn" : `ends its turn: ${endingWords(event.why)}`;
    case "tool":
      return event.phase === "began" ? `runs ${event.tool}` : undefined;
    case "permission":
    case "plan":
      return requests[event.kind][event.phase];
    case "shutdown":
      return shutdownWords[event.phase](parseShutdownId(event.id)?.agent ?? "a teammate");
    case "idle":
      return "has nothing to do";
    case "acted":
      return `is told by ${event.person} to ${event.what}`;
    case "died":
      return `has seen ${event.name} die: ${firstLine(event.detail)}`;
    case "stopped":
      return event.name === by
        ? `has ended: ${firstLine(event.detail)}`
        : `has seen ${event.name} end: ${firstLine(event.detail)}`;
    case "spawning":
    case "message":
    case "task":
      return undefined;
  }
}

const requests = {
  permission: {
    asked: "asks for a permission",
    allowed: "gets the permission",
    denied: "is denied the permission",
    given_up: "waits for the permission no more",
  },
  plan: {
    asked: "hands in a plan",
    allowed: "has its plan approved",
    denied: "has its plan rejected",
    given_up: "waits for its plan no more",
  },
};

/** Recorded by the lead, of the teammate in the id. */
const shutdownWords = {
  asked: (name: string) => `asks ${name} to end`,
  allowed: (name: string) => `hears that ${name} agrees to end`,
  denied: (name: string) => `hears that ${name} goes on`,
  given_up: (name: string) => `waits no more for ${name} to end`,
};

/** What a program said last may have many lines, which the history keeps. */
const firstLine = (text: string): string => (text.split("\n", 1)[0] ?? "").replace(/; its last words:$/, "");

const otherWords = (event: object): string => {
  const { kind } = event as { readonly kind?: unknown };
  return typeof kind === "string" ? kind : "recorded something";
};
