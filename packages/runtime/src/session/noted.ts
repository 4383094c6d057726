import type { Stored } from "../journal/entry.ts";
import type { SessionEvent } from "./session.ts";

/** What the debug log says of an event of a session; undefined for one that it leaves out. */
export function noted(event: SessionEvent): string | undefined {
  const words = wordsOf(event);
  return words && event.agent ? `${event.agent.id}: ${words}` : words;
}

function wordsOf(event: SessionEvent): string | undefined {
  switch (event.kind) {
    case "entry":
      return wordsOfEntry(event.entry);
    case "turn_ended":
      return `turn ended: ${event.terminal.why}`;
    case "question":
      return `question ${event.question.id} about ${event.question.tool}`;
    case "question_closed":
      return `question ${event.id} answered: ${event.reply.behavior}`;
    case "membership":
      return event.team === undefined ? "left its team" : `in the team ${event.team} as ${event.name}`;
    case "state":
      return `it is ${event.state}`;
    case "teammate":
      return `teammate ${event.name}: ${event.seen.kind === "ended" ? `ended, ${event.seen.detail}` : event.seen.kind}`;
    case "shown":
      return `shown: ${event.text}`;
    default:
      return undefined;
  }
}

/** Names and outcomes: what was said stands in the transcript. */
function wordsOfEntry(entry: Stored): string | undefined {
  switch (entry.kind) {
    case "asked":
      return "the model is asked";
    case "answered": {
      const uses = entry.answer.content.filter(({ type }) => type === "tool_use");
      return `the model has answered${uses.map(({ name, id }) => `, calls ${name} (${id})`).join("")}`;
    }
    case "failed":
      return `the model failed: ${entry.failure.message}`;
    case "called":
      return `call ${entry.call} begins`;
    case "result":
      return `call ${entry.call} ${entry.isError ? "failed" : "has ended"}`;
    case "compacted":
      return "the conversation was summarised";
    case "aborted":
      return `interrupted: ${entry.reason}`;
    default:
      return undefined;
  }
}
