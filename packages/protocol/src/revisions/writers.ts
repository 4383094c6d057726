import type { z } from "zod";
import { TroupeError } from "../errors.ts";
import { assertGiven, shown } from "../given.ts";
import { makeAgentId } from "../ids.ts";
import type { InboxEntry } from "../inbox.ts";
import { writeJson } from "../json/write-json.ts";
import { hasColor, type MessageDraft, readBody, renderBody } from "../messages/body.ts";
import { agentName, leadName, memberName, taskId } from "../names.ts";
import { problemsOf } from "../problems.ts";
import type { Task } from "../task.ts";
import { Member, type TeamConfig } from "../team.ts";
import type { Codec } from "./codec.ts";
import { assertPlaced } from "./placement.ts";
import { documentSchemas } from "./published.ts";
import type { Revision } from "./revision.ts";

/** The order in which a revision writes the keys of each document, and what it writes besides. */
export interface WrittenForm {
  readonly team: readonly string[];
  readonly lead: readonly string[];
  readonly member: readonly string[];
  readonly entry: readonly string[];
  readonly task: readonly string[];
  readonly leadPaneId: string;
  /**
   * What remains of an inbox once the entries at these positions are taken; `messages` are the
   * positions of all messages.
   */
  readonly consumed: (
    raw: readonly unknown[],
    positions: ReadonlySet<number>,
    messages: ReadonlySet<number>,
  ) => unknown[];
}

type Writers = Pick<Codec, "newTeam" | "newTeammate" | "newEntry" | "newTask" | "write">;

/**
 * The part of a codec that creates documents. Each is validated against the published schema before
 * it is returned.
 */
export function writersOf(revision: Revision, form: WrittenForm): Writers {
  const schemas = documentSchemas[revision];
  return {
    newTeam(draft) {
      assertGiven("a new team", draft, { leadProcess: "json?" });
      assertPlaced(draft);
      const { leadName: asked = leadName } = draft;
      const name = asked === leadName ? asked : memberName(asked);
      const agentId = makeAgentId(name, draft.name);
      const lead = arrange(form.lead, {
        agentId,
        name,
        agentType: "team-lead",
        model: draft.leadModel,
        joinedAt: draft.createdAt,
        tmuxPaneId: form.leadPaneId,
        cwd: draft.cwd,
        subscriptions: [],
        backendType: "in-process",
      });
      const team = arrange(form.team, {
        ...draft,
        description: draft.description ?? "",
        leadAgentId: agentId,
        members: [lead],
      });
      return checked<TeamConfig>(schemas.team, team, "team");
    },

    newTeammate(given) {
      assertGiven("a new member", given, {});
      const { team, planModeRequired = false, ...draft } = given;
      assertPlaced(draft);
      const agentId = makeAgentId(draft.name, team);
      const member = { ...draft, agentId, planModeRequired, tmuxPaneId: "", subscriptions: [] };
      return checked(Member, arrange(form.member, member), "member");
    },

    newEntry(draft) {
      assertGiven("a message", draft, { from: "object", content: "object", messageId: "string" });
      const { from, content, timestamp, messageId } = draft;
      const isPlain = "text" in content;
      assertGiven(
        "a message",
        content,
        isPlain ? { text: "string", summary: "string?", urgent: "boolean?" } : { body: "json" },
      );
      if (isPlain) assertPlain(content.text, revision);
      else assertSender(content.body, from.name);
      const entry = arrange(form.entry, {
        from: agentName(from.name),
        text: isPlain ? content.text : renderBody(content.body, revision),
        summary: isPlain ? content.summary : undefined,
        timestamp,
        color: isPlain || hasColor(content.body) ? from.color : undefined,
        msgV: 1,
        msg_id: form.entry.includes("msg_id") ? uuid(messageId) : undefined,
        type: "message",
        read: false,
        urgent: (isPlain && content.urgent) || undefined,
      });
      return checked<InboxEntry>(schemas.entry, entry, "message");
    },

    newTask(given) {
      assertGiven("a new task", given, { metadata: "json?" });
      const { id, ...draft } = given;
      const task = { ...draft, id: taskId(id), status: "pending", blocks: [], blockedBy: [] };
      return checked<Task>(schemas.task, arrange(form.task, task), "task");
    },

    write: writeJson,
  };
}

/**
 * A text that parses as a protocol message would act as one: a model could forge a shutdown with
 * it.
 */
function assertPlain(text: string, revision: Revision): void {
  const { kind } = readBody(text, revision);
  if (kind === "text" || kind === "unknown") return;
  throw new TroupeError(
    "document_invalid",
    "this text reads as a structured message: give it as a body, or put words before it",
    { text },
  );
}

function assertSender(body: MessageDraft, name: string): void {
  const claims = [body["from"], body["assignedBy"], body["agent_id"]];
  const claimed = claims.find((claim) => claim !== undefined && claim !== name);
  if (claimed === undefined) return;
  throw new TroupeError(
    "document_invalid",
    `${name} cannot send a ${body.type} of ${shown(claimed)}: make the two the same`,
    { body },
  );
}

function uuid(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) return text;
  throw new TroupeError("id_invalid", `${shown(text)} is not a UUID in lower case: make one with crypto.randomUUID()`, {
    text,
  });
}

/** The keys the form knows, in its order; what is undefined or unknown to it is left out. */
function arrange(order: readonly string[], fields: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(order.filter((key) => fields[key] !== undefined).map((key) => [key, fields[key]]));
}

function checked<T>(schema: z.ZodType, document: unknown, noun: string): T {
  const read = schema.safeParse(document);
  if (read.success) return document as T;
  const problems = problemsOf(read.error, document);
  const list = problems.map(({ message }) => message).join("; ");
  throw new TroupeError("document_invalid", `this ${noun} cannot be written: ${list}`, { problems });
}
