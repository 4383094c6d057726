import type { Task } from "@troupe/protocol";
import type { Message, Overview, OverviewChange } from "@troupe/store";
import { messageBody, messageDocument, messageHead, shownMessage } from "../mail/message.ts";
import { counted, type Printed, type Span } from "../paint.ts";
import { taskDocument } from "../team/overview-document.ts";
import { memberSpan, statusSpan } from "../team/overview-text.ts";

/** One change, as a document and as lines of text. */
export interface ToldChange {
  readonly document: { readonly event: string; readonly [field: string]: unknown };
  readonly line: readonly Span[];
  readonly more: readonly Printed[];
}

/** Renders a change of a team of this form; a message with who vouches for its sender. */
export function toldChange(
  change: OverviewChange,
  form: Overview["form"],
  vouchedBy: (to: string, message: Message) => string | null,
): ToldChange {
  switch (change.kind) {
    case "member_joined":
    case "member_left": {
      const { name, color } = change.member;
      const did = change.kind === "member_joined" ? " joined" : " left";
      return told({ event: change.kind, member: name }, [memberSpan(name, color), did]);
    }
    case "member_changed": {
      const { name, color } = change.member;
      const state = change.isActive ? " works" : " is idle";
      const document = { event: change.kind, member: name, isActive: change.isActive };
      return told(document, [memberSpan(name, color), state]);
    }
    case "messages_taken": {
      const { agent, count } = change;
      const taken = [memberSpan(agent, undefined), ` has read ${counted(count, "message")}`];
      return told({ event: change.kind, member: agent, count }, taken);
    }
    case "message": {
      const { key, entry } = change.message;
      const message = shownMessage(entry, form);
      const document = {
        event: change.kind,
        to: change.to,
        vouchedBy: vouchedBy(change.to, change.message),
        ...messageDocument(key, entry, form),
      };
      return told(document, messageHead(entry, change.to, message.line), messageBody(message));
    }
    case "task": {
      const { before, task, openBlockers } = change;
      const document = { event: change.kind, task: taskDocument(task, openBlockers) };
      return told(document, taskLine(before, task, openBlockers));
    }
    case "task_deleted": {
      const { id, subject = "" } = change.task;
      return told({ event: change.kind, id }, [`#${id} ${subject} was deleted`]);
    }
    case "problem": {
      const { problem } = change;
      const line = [{ text: "problem", style: "red" } as const, ` ${problem.file}: ${problem.message}`];
      return told({ event: change.kind, problem }, line, [`    fix: ${problem.fix}`]);
    }
  }
}

const told = (document: ToldChange["document"], line: readonly Span[], more: readonly Printed[] = []): ToldChange => ({
  document,
  line,
  more,
});

function taskLine(was: Task | undefined, task: Task, openBlockers: readonly string[]): Span[] {
  const { id, status, subject = "", owner } = task;
  const step = was && was.status !== status ? [statusSpan(was.status), " -> "] : [];
  const waits = openBlockers.length > 0 ? `  waits for ${openBlockers.map((one) => `#${one}`).join(", ")}` : "";
  const fields = was && status === was.status ? `  (${changedFields(was, task).join(", ")})` : "";
  return [`#${id} `, ...step, statusSpan(status), `  ${subject}`, owner ? `  ${owner}` : "", waits, fields];
}

const changedFields = (was: Task, is: Task): string[] =>
  [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (field) => JSON.stringify(was[field]) !== JSON.stringify(is[field]),
  );
